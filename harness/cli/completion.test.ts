import { execFileSync } from "node:child_process";
import { beforeAll, describe, expect, test } from "vitest";
import { allCommands } from "./commands/registry.ts";
import { runMain } from "./testing/run-main.ts";

const commands = await allCommands();

let script: Readonly<Record<string, string>>;
beforeAll(async () => {
  const shells = ["bash", "zsh", "fish"];
  const results = await Promise.all(shells.map((shell) => runMain(["completion", shell])));
  expect(results.map(({ code, stderr }) => [code, stderr])).toEqual(shells.map(() => [0, ""]));
  script = Object.fromEntries(shells.map((shell, index) => [shell, results[index]?.stdout ?? ""]));
});

/** Bash's completions of the last of these words. */
function offered(...words: readonly string[]): readonly string[] {
  const list = words.map((word) => `'${word}'`).join(" ");
  const program = `${script["bash"]}
COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _lockstorm; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync("bash", ["--noprofile", "--norc", "-euc", program], { encoding: "utf8" });
  return output.split("\n").filter((line) => line !== "");
}

describe("bash offers", () => {
  test("commands", () => {
    expect(offered("lockstorm", "")).toEqual([...commands.map(({ name }) => name), "--help"]);
    expect(offered("lockstorm", "re")).toEqual(["reproduce", "replay", "report"]);
  });

  test("a command's flags", () => {
    expect(offered("lockstorm", "hunt", "--to")).toEqual(["--topology"]);
    expect(offered("lockstorm", "doctor", "--")).toEqual(["--help", "--json"]);
  });

  test("a flag's words", () => {
    expect(offered("lockstorm", "hunt", "--topology", "s")).toEqual(["single", "sentinel"]);
    expect(offered("lockstorm", "setup", "--server", "v")).toEqual(["valkey"]);
  });

  test("a command's words", () => {
    expect(offered("lockstorm", "reproduce", "async")).toEqual(["async-failover"]);
    expect(offered("lockstorm", "completion", "")).toEqual(["--help", "bash", "zsh", "fish"]);
  });

  test("files, where there is nothing else to offer", () => {
    expect(offered("lockstorm", "hunt", "--store", "")).toEqual([]);
    expect(script["bash"]).toContain("complete -o default -F _lockstorm lockstorm");
  });
});

test.each(commands)("zsh and fish know $name with its flags", ({ name, flags }) => {
  const arguments_ = script["zsh"]?.split("\n").find((line) => line.startsWith(`    ${name}) _arguments `));
  for (const flag of Object.keys(flags)) {
    expect(arguments_).toContain(`'--${flag}[`);
    expect(script["fish"]).toContain(`-n '__fish_seen_subcommand_from ${name}' -l ${flag} `);
  }
  expect(script["fish"]).toContain(` -f -a ${name} -d '`);
});
