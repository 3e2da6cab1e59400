import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cliDocument } from "./cli-document.ts";
import { allCommands } from "./commands/registry.ts";

const commands = await allCommands();

test("docs/cli.md is what the table of commands says (npm run docs:cli)", () => {
  expect(readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8")).toBe(cliDocument(commands));
});

test("the document has every command, flag and example", () => {
  const document = cliDocument(commands);
  for (const { name, flags, examples } of commands) {
    expect(document).toContain(`## lockstorm ${name}\n`);
    for (const flag of Object.keys(flags)) expect(document).toContain(`| \`--${flag}`);
    for (const example of examples) expect(document).toContain(`    ${example}\n`);
  }
});

/** Set by lockstorm itself, for the processes that it starts. */
const OWN = ["LOCKSTORM_CLIENT", "LOCKSTORM_CLOCK"];

test("the document has every variable of the environment that the sources name", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const files = globSync("{harness,faults,lock-impl,workloads,reports}/**/*.ts", { cwd: root });
  const named = files
    .filter((file) => !/\.(test|bench)\.ts$|\/(testing|testdata|bench)\//.test(file))
    .flatMap((file) => readFileSync(`${root}/${file}`, "utf8").match(/\bLOCKSTORM_[A-Z_]*[A-Z]\b/g) ?? []);
  const document = cliDocument(commands);
  expect([...new Set(named)].filter((name) => !OWN.includes(name) && !document.includes(`\`${name}\``))).toEqual([]);
});
