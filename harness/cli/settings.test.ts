import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Config } from "../campaign/config.ts";
import { allCommands } from "./commands/registry.ts";
import { readSettings, settingsOf, variableOf } from "./settings.ts";
import { runMain, type MainResult } from "./testing/run-main.ts";

const commands = await allCommands();

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-settings-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function configure(text: string, name = "lockstorm.config.mts"): void {
  writeFileSync(join(folder, name), text);
}

/** A hunt that ends at once, with a line that repeats its settings. */
function hunt(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<MainResult> {
  return runMain(["hunt", "--lock", "single", "--runs", "1", "--faults", "none", ...words], { cwd: folder, env });
}

test.each([
  ["a flag before all", ["--seed", "1"], { LOCKSTORM_SEED: "2" }, "seed: 3", "seed 1,"],
  ["a flag with an equals sign too", ["--seed=1"], { LOCKSTORM_SEED: "2" }, "seed: 3", "seed 1,"],
  ["the environment before the file", [], { LOCKSTORM_SEED: "2" }, "seed: 3", "seed 2,"],
  ["the file when nothing else is said", [], {}, "seed: 3", "seed 3,"],
  ["an empty variable says nothing", [], { LOCKSTORM_SEED: "" }, "seed: 3", "seed 3,"],
  [
    "a name in camel case",
    ["--seed", "1"],
    {},
    'topology: "redlock", lock: "redlock", shrinkRuns: 1',
    "topology single",
  ],
] as const)("%s", { tags: "long" }, async (_, words, env, config, expected) => {
  configure(`export default { ${config} };`);
  const asked = config.includes("topology") ? [...words, "--topology", "single"] : words;
  const { stderr } = await hunt(asked, env);
  expect(stderr).toContain(expected);
});

test.each([
  [
    "export default { topologie: 1 };",
    {},
    /^lockstorm: lockstorm\.config\.mts sets "topologie", which is not a setting; did you mean topology\?\n$/,
  ],
  [
    "export default { colour: 1 };",
    {},
    /^lockstorm: lockstorm\.config\.mts sets "colour", which is not a setting; choose from lock, topology, .*proxyPort/,
  ],
  ['export default { topology: "star" };', {}, /^lockstorm: topology in lockstorm\.config\.mts cannot be "star"; /],
  [
    "export default { seed: true };",
    {},
    /^lockstorm: lockstorm\.config\.mts sets "seed" to a value of the wrong type; /,
  ],
  ["export default 3;", {}, /^lockstorm: lockstorm\.config\.mts exports no configuration; export an object as default/],
  ["export default {", {}, /^lockstorm: lockstorm\.config\.mts cannot be loaded: .*; correct it/],
  [
    "export default {};",
    { LOCKSTORM_SEED: "x" },
    /^lockstorm: LOCKSTORM_SEED "x" is not a whole number of at least 0; /,
  ],
  ["export default {};", { LOCKSTORM_SERVER: "x" }, /^lockstorm: LOCKSTORM_SERVER cannot be "x"; choose one of redis8/],
] as const)("%s with %j is refused in one line that names where it comes from", async (config, env, line) => {
  configure(config);
  const { code, stdout, stderr } = await hunt([], env);
  expect(stderr).toMatch(line);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect([code, stdout]).toEqual([254, ""]);
});

test.each([
  ["another lock by a flag", ["--lock", "redlock"], {}, "topology redlock"],
  ["another lock by a flag with an equals sign", ["--lock=redlock"], {}, "topology redlock"],
  ["another lock by a variable", [], { LOCKSTORM_LOCK: "redlock" }, "topology redlock"],
  ["the lock of the file", ["--lock", "single"], {}, "topology sentinel"],
  ["no lock", [], {}, "topology sentinel"],
] as const)("the topology in the file is that of its lock: %s", { tags: "long" }, async (_, words, env, expected) => {
  configure('export default { lock: "single", topology: "sentinel", runs: 1, faults: [], seed: 1 };');
  const { stderr } = await runMain(["hunt", ...words], { cwd: folder, env });
  expect(stderr).toContain(expected);
});

test("a flag that is wrong is not blamed on the file", async () => {
  configure("export default { seed: 3 };");
  const { stderr } = await hunt(["--seed", "x"], { LOCKSTORM_SEED: "2" });
  expect(stderr).toMatch(/^lockstorm: --seed "x" is not a whole number/);
});

describe("which settings a command has", () => {
  const named = (name: string) => commands.find((command) => command.name === name)!;
  const flags = async (name: string, words: readonly string[], environment: Readonly<Record<string, string>>) =>
    (await readSettings(named(name), words, environment)).map(({ flag, value }) => `${flag}=${value}`);

  test("every key of the file is a flag of the hunt", () => {
    const keys: Readonly<Record<keyof Config, true>> = {
      lock: true,
      topology: true,
      persistence: true,
      faults: true,
      backend: true,
      runs: true,
      budget: true,
      shrinkRuns: true,
      seed: true,
      require: true,
      server: true,
      proxyPort: true,
      store: true,
    };
    const asFlags = Object.keys(keys).map((key) => key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
    expect(settingsOf(named("hunt")).toSorted()).toEqual(asFlags.toSorted());
  });

  test("a lock that is set is the hunt's, not in place of a saved plan's own", async () => {
    const environment = { LOCKSTORM_LOCK: "redlock", LOCKSTORM_STORE: "elsewhere" };
    expect(await flags("hunt", [], environment)).toEqual(["lock=redlock", "store=elsewhere"]);
    expect(await flags("replay", [], environment)).toEqual(["store=elsewhere"]);
    expect(await flags("hunt", ["--ladder"], environment)).toEqual(["store=elsewhere"]);
    expect(await flags("init", [], environment)).toEqual([]);
  });

  test("variables are named after flags", () => {
    expect(variableOf("proxy-port")).toBe("LOCKSTORM_PROXY_PORT");
  });
});
