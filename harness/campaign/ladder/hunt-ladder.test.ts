import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { UserError } from "../../core/errors.ts";
import { cleanup } from "../cleanup.ts";
import { readKeptRun } from "../kept-run.ts";
import { expectSilence, freshStores, HeardProgress } from "../testing/results.ts";
import { cellCommand } from "./cells.ts";
import { huntLadder, type LadderOptions } from "./hunt-ladder.ts";

const fresh = freshStores();
expectSilence();

/** Two cells: without a fault, which holds, and under clock jumps, which no Redlock survives. */
const TABLE: LadderOptions = { only: ["redlock"], faults: ["clock-jump"], runs: 30 };

test(
  "a table gives each cell as data, and a shrunk and drawn counterexample of the one that broke",
  { tags: "long" },
  async () => {
    const store = fresh();
    const progress = new HeardProgress();
    cleanup.isDue = false;
    const table = await huntLadder(TABLE, { store, progress, drawRun: ({ title }) => `page of ${title}` });
    expect(table).toMatchObject({ name: "ladder", backend: "simulated", wanted: 2, containersOnly: [] });
    expect(table.found.map(({ cell, found }) => [cell.fault?.kind ?? "none", found === "broken"])).toEqual([
      ["none", false],
      ["clock-jump", true],
    ]);
    expect([...table.counterexamples.keys()]).toEqual([1]);
    const folder = table.counterexamples.get(1) ?? "";
    expect(readFileSync(join(folder, "report.html"), "utf8")).toBe("page of redlock under clock-jump");
    expect((await readKeptRun(folder)).verdict.verdict).toBe("invalid");
    expect(progress.steps.at(-1)).toBe("shrinking 1 of 1");
    expect(progress.notes).toEqual([
      expect.stringMatching(/^redlock: broken under clock-jump; (?:a client outlives its lease|holds) under no fault$/),
    ]);
    // From its first cell on, an interruption waits until the table is told.
    expect(cleanup.isDue).toBe(true);
    // Cells in the journal are not searched again.
    const again = new HeardProgress();
    const resumed = await huntLadder({ ...TABLE, resume: true }, { store, progress: again });
    expect(again.notes).toEqual(["resumed: 2 of 2 cells were searched before"]);
    expect(resumed.counterexamples).toEqual(table.counterexamples);
    const [, broken] = table.found;
    if (broken === undefined) throw new Error("the table has no second cell");
    expect(cellCommand(broken.cell, { backend: table.backend, ...table.search })).toBe(
      "npx lockstorm hunt --all --lock redlock --topology redlock --faults clock-jump --runs 30 --backend simulated --seed 1",
    );
  },
);

test(
  "a cell whose plan does not fail again keeps no counterexample, and the table goes on",
  { tags: "long" },
  async () => {
    const store = fresh();
    await huntLadder(TABLE, { store });
    const journal = join(store, "campaigns", "ladder.jsonl");
    const entries = readFileSync(journal, "utf8")
      .split("\n")
      .filter((line) => !line.includes('"shrunk"'))
      .map((line) => line.replace(/"path":"[^"]*"/, '"path":"0"'));
    writeFileSync(journal, entries.join("\n"));
    const progress = new HeardProgress();
    const table = await huntLadder({ ...TABLE, resume: true }, { store, progress });
    expect(progress.notes.at(-1)).toContain(
      "redlock under clock-jump: broken, but the same plan did not break it again",
    );
    expect(table.found.map(({ found }) => found)).toContain("broken");
    expect(table.counterexamples.size).toBe(0);
  },
);

test("a semaphore's permits are not known in another run", { tags: "long" }, async () => {
  const counter: LadderOptions = { all: true, only: ["semaphore-counter"], faults: ["kill-client"], seed: 77 };
  const { counterexamples } = await huntLadder(counter, { store: fresh() });
  expect(counterexamples.size).toBe(1);
});

test.each<[string, LadderOptions, string]>([
  ["real servers that is to be complete", { backend: "containers", complete: true }, "too many schedules"],
  ["a lock that there is not", { only: ["nothing"] }, "nothing"],
  ["a lock that the simulation does not have", { all: true, only: ["zookeeper"] }, "zookeeper"],
  ["a fault that none of its locks can have", { only: ["redlock"], faults: ["failover"] }, "failover"],
])("a table of %s is refused", async (_, options, why) => {
  const refused = huntLadder(options, { store: fresh() });
  await expect(refused).rejects.toThrow(UserError);
  await expect(refused).rejects.toThrow(why);
});

test(
  "a counterexample that cannot be recorded is the user's to mend, and resuming keeps it",
  { tags: "long" },
  async () => {
    const store = fresh();
    const table = {
      ...TABLE,
      all: true,
      only: ["set-px"],
      topology: "single",
      faults: ["pause-client"],
      runs: 12,
    } as const;
    mkdirSync(store, { recursive: true });
    writeFileSync(join(store, "runs"), "no folder");
    const refused = huntLadder(table, { store });
    await expect(refused).rejects.toThrow(UserError);
    await expect(refused).rejects.toThrow(/^the run cannot be recorded in /);
    rmSync(join(store, "runs"));
    const { counterexamples } = await huntLadder({ ...table, resume: true }, { store });
    expect(counterexamples.size).toBe(1);
  },
);
