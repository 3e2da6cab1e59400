// @module-tag long
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, watch, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { makeFolder } from "../../run/output-file.ts";
import { mergeResults } from "../merge.ts";
import { freshStores } from "../testing/results.ts";
import { explore } from "./explore.ts";
import type { ExploreOptions } from "./explore-options.ts";
import { smallWorkload } from "./testing/small-workload.ts";

const fresh = freshStores();
const PROGRAM = fileURLToPath(new URL("../../cli/launch.js", import.meta.url));

const SOUND: ExploreOptions = {
  lock: "single",
  faults: ["kill-client", "reset"],
  workload: smallWorkload("single", "single"),
  threads: 1,
};

test("with two deviations extends each schedule after its first, and of a class only one", async () => {
  const options = { ...SOUND, faults: ["kill-client"], deviations: 2 };
  const { findings } = await explore(options, { store: fresh() });
  const all = await explore({ ...options, reduction: false }, { store: fresh() });
  expect(findings).toMatchObject({ complete: true, outcomes: { invalid: 0 } });
  expect(all.findings).toMatchObject({ complete: true, outcomes: { invalid: 0 } });
  expect(findings.levels).toHaveLength(2);
  expect(findings.schedules).toBeLessThan(all.findings.schedules);
  const kinds = (notes: typeof findings.notes): ReadonlySet<string> => new Set(notes.map(({ what }) => what));
  expect(kinds(findings.notes)).toEqual(kinds(all.findings.notes));
});

test("an exploration whose process was killed goes on where it was, and ends as another process ends", async () => {
  const whole = await explore(SOUND, { store: fresh("whole") });
  const store = fresh("killed");
  const journal = join(store, "campaigns", `${whole.name}.jsonl`);
  makeFolder(dirname(journal));
  const planFile = join(store, "workload.json");
  writeFileSync(planFile, JSON.stringify(SOUND.workload));
  const flags = ["explore", "--lock", "single", "--faults", "kill-client,reset", "--plan", planFile, "--store", store];
  const child = spawn(process.execPath, [PROGRAM, ...flags, "--threads", "1"], { stdio: "ignore" });
  const exit = once(child, "exit");
  const lines = (): number => (existsSync(journal) ? readFileSync(journal, "utf8").split("\n").length : 0);
  for await (const _ of changesOf(dirname(journal))) if (lines() > 4) break;
  child.kill("SIGKILL");
  await exit;
  const done = lines();
  const resumed = JSON.parse(
    execFileSync(process.execPath, [PROGRAM, ...flags, "--resume", "--json"], { encoding: "utf8", stdio: "pipe" }),
  ) as object;
  expect(resumed).toMatchObject(JSON.parse(JSON.stringify(whole.findings)) as object);
  expect(done).toBeGreaterThan(4);
});

/** Ends never: the caller does. */
async function* changesOf(folder: string): AsyncGenerator<undefined> {
  const watcher = watch(folder);
  try {
    while (true) {
      yield undefined;
      await once(watcher, "change");
    }
  } finally {
    watcher.close();
  }
}

test("the shards of an exploration, merged, are the whole one", async () => {
  const store = fresh("merged");
  const whole = await explore(SOUND, { store: fresh("whole") });
  const stores = [fresh("one"), fresh("two")];
  for (const [index, each] of stores.entries()) {
    const shard = { index: index + 1, count: 2 };
    const part = await explore({ ...SOUND, shard }, { store: each });
    expect(part.findings.schedules).toBeLessThan(whole.findings.schedules);
  }
  const merged = await mergeResults(stores, store);
  expect(merged).toEqual({ exploration: { ...whole, store, reason: expect.any(String) } });
  const half = await mergeResults(stores.slice(1), fresh("half"));
  expect(half).toMatchObject({
    exploration: { findings: { complete: false }, reason: expect.stringContaining("shard 1") },
  });
});
