import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { alternatives } from "./alternatives/alternatives.ts";
import { specimens } from "./flawed/specimens.ts";
import { ladder } from "./ladder/ladder.ts";
import { libraries } from "./libraries/libraries.ts";
import { locks } from "./registry.ts";

/** Prints the packages that a module loads, one per line, as Node resolves them. */
const LOADED_PACKAGES = `
  import { registerHooks } from "node:module";
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      if (resolved.url.includes("/node_modules/")) console.log(specifier);
      return resolved;
    },
  });
  const { locks } = await import(process.argv[1]);
  if (process.argv[2] !== undefined) await locks.find(({ name }) => name === process.argv[2]).load();`;

async function packagesLoaded(...lock: readonly string[]): Promise<readonly string[]> {
  const program = ["--input-type=module", "--eval", LOADED_PACKAGES];
  const registry = new URL("./registry.ts", import.meta.url).href;
  const { stdout } = await promisify(execFile)(process.execPath, [...program, registry, ...lock]);
  return stdout.split("\n").filter((line) => line !== "");
}

test("the list of all locks loads no package: what a lock needs is loaded with its driver", async () => {
  expect(await packagesLoaded()).toEqual([]);
  expect(await packagesLoaded("redis-semaphore")).toEqual(expect.arrayContaining(["ioredis", "redis-semaphore"]));
});

test("a lock is one file, with its name, in the folder of its family", () => {
  const families = { ladder, alternatives, flawed: specimens, libraries };
  expect(Object.values(families).flat()).toHaveLength(locks.length);
  for (const [folder, family] of Object.entries(families)) {
    const missing = family.filter(({ name }) => !existsSync(new URL(`./${folder}/${name}.ts`, import.meta.url)));
    expect(missing).toEqual([]);
  }
});

test("a lock's entry says what its driver supports", async () => {
  const shared = locks.filter(({ supports }) => supports !== undefined);
  expect(shared.map(({ name }) => name)).toEqual(expect.arrayContaining(["semaphore", "read-write"]));
  for (const { load, supports } of shared) expect((await load()).supports).toEqual(supports);
});
