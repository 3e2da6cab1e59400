import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { allCommands, commandNamed } from "./commands/registry.ts";

/** Runs the command line in a process that also prints when it loads the commands, and the simulation. */
async function loadedBy(...words: readonly string[]): Promise<string> {
  const main = new URL("main.ts", import.meta.url).href;
  const program = `
    import { writeSync } from "node:fs";
    import { registerHooks } from "node:module";
    const told = { "/cli/commands/debate.ts": "[commands]", "/harness/simulated/system/simulate.ts": "[simulation]" };
    registerHooks({
      load(url, context, next) {
        for (const [end, name] of Object.entries(told)) if (url.endsWith(end)) writeSync(1, name);
        return next(url, context);
      },
    });
    const { run } = await import(${JSON.stringify(main)});
    process.exitCode = await run(${JSON.stringify(words)}, new AbortController().signal);
  `;
  const environment = { ...process.env, NO_COLOR: "1" };
  return new Promise((resolve) => {
    execFile(process.execPath, ["--input-type=module", "-e", program], { env: environment }, (_, stdout) =>
      resolve(stdout),
    );
  });
}

test(
  "the first picture loads no commands, and says what it is about before it loads the simulation",
  { tags: "long" },
  async () => {
    const shown = await loadedBy();
    expect(shown).toMatch(/^A failover that breaks a lock[^]*\[simulation\][^]*INVALID {2}async-failover/);
    expect(shown).not.toContain("[commands]");
  },
);

test("the version is told without the commands", async () => {
  expect(await loadedBy("--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(await loadedBy("--help")).toMatch(/\[commands\][^]*Usage/);
});

test("a command is loaded without the others", async () => {
  const shown = await loadedBy("explain", "fencing-tokens");
  expect(shown).toMatch(/fencing token/);
  expect(shown).not.toContain("[commands]");
});

test("a command is found by the name that it has", async () => {
  for (const command of await allCommands()) expect(await commandNamed(command.name)).toBe(command);
});

test.each(["registry", "frob", "constructor", "--all", ""])("%j is no command", async (name) => {
  expect(await commandNamed(name)).toBeUndefined();
});
