import { expect, test } from "vitest";
import { allCommands } from "../commands/registry.ts";
import { grouped, GROUPED_FLAGS } from "./flag-groups.ts";

const commands = await allCommands();

const flags = new Set(commands.flatMap((command) => Object.keys(command.flags)));

test("every flag of every command has one group", () => {
  expect([...flags].filter((flag) => !GROUPED_FLAGS.includes(flag))).toEqual([]);
  expect(GROUPED_FLAGS.filter((flag, index) => GROUPED_FLAGS.indexOf(flag) !== index)).toEqual([]);
});

test("no group has a flag that no command has", () => {
  expect(GROUPED_FLAGS.filter((flag) => !flags.has(flag))).toEqual([]);
});

test("a command's flags are under their headings, each once; one without a group is not lost", () => {
  expect(grouped(["json", "lock", "whom"])).toEqual([
    ["What is tested", ["lock"]],
    ["What is read and written", ["json"]],
    ["Further flags", ["whom"]],
  ]);
});
