import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HarnessError, UserError } from "../../core/errors.ts";
import type { Verdict } from "../../core/verdict.ts";
import { type History, INVALID_ANSWER } from "../../history/history.ts";
import { Recording } from "../../check/testing/recording.ts";
import { freshStores, HeardProgress } from "../testing/results.ts";
import { EarlyEnd } from "./early-end.ts";
import { huntLock } from "./hunt-lock.ts";

const fresh = freshStores();

const unknown: Verdict = { verdict: "unknown", required: [], properties: {}, reasons: ["why 7"], remarks: [] };
const cannotConnect = new UserError("the lock of client-0 could not connect: no answer", "fix its driver");

/** Of a hunt that nobody interrupts. */
const NEVER = new AbortController().signal;

function failing(error: Error): () => Promise<never> {
  return async () => {
    throw error;
  };
}

/** A history in which an acquire was answered with what is no answer, or with a grant too. */
function mistaken(isGranted = false) {
  const recording = new Recording({ clients: 2 });
  if (isGranted) recording.acquire(1, 1, "a");
  const { header, events } = recording.seek(12, 0).history;
  const at = { process: 0, key: "k", f: "acquire", type: "info" } as const;
  const value = { reason: INVALID_ANSWER, detail: "`owner` is empty" };
  return { header, events: [...events, { index: events.length, time: 13e6, ...at, value }] };
}

/** A history in which nothing is granted, and the only acquire ends like this, after or before a fault began. */
function refused(kind: "error" | "contended" | "info", fault?: "before" | "after" | "crash") {
  const recording = new Recording({ clients: 2 });
  if (fault === "before") recording.fault(1, "kill-node");
  recording.seek(2, 0);
  if (kind === "info") recording.info(3, 0, "acquire");
  else recording.refused(3, 0, kind);
  if (fault === "after") recording.fault(4, "kill-node");
  if (fault === "crash") recording.fault(4, "client-crash");
  return recording.history;
}

function heard(...runs: readonly (readonly [History, Verdict])[]): EarlyEnd {
  const early = new EarlyEnd(0, NEVER);
  for (const [history, verdict] of runs) early.note(history, verdict);
  return early;
}

describe("a hunt goes on", () => {
  test.each([
    ["after a few mistakes", Array.from({ length: 4 }, () => [mistaken(), unknown] as const)],
    ["where a lock is granted", Array.from({ length: 9 }, () => [mistaken(true), unknown] as const)],
    [
      "where a run decides",
      Array.from(
        { length: 9 },
        (_, nr) => [mistaken(), nr === 4 ? { ...unknown, verdict: "valid" } : unknown] as const,
      ),
    ],
    ["where a fault may be to blame", Array.from({ length: 9 }, () => [refused("error", "before"), unknown] as const)],
    ["where the lock is contended", Array.from({ length: 9 }, () => [refused("contended"), unknown] as const)],
    [
      "where a lock is granted between",
      Array.from({ length: 9 }, (_, nr) => [nr === 4 ? mistaken(true) : refused("error"), unknown] as const),
    ],
  ])("%s", (_, runs) => {
    const early = heard(...(runs as (readonly [History, Verdict])[]));
    expect([early.by, early.signal.aborted]).toEqual([undefined, false]);
  });
});

test("a driver that answers nothing but mistakes ends a hunt, with the reasons of the last run", () => {
  const last: Verdict = { ...unknown, reasons: ["the time limit", "why 7"] };
  const early = heard(...Array.from({ length: 5 }, () => [mistaken(), last] as const));
  expect(early.signal.aborted).toBe(true);
  expect(early.by).toEqual({
    reason: expect.stringMatching(/^in 5 runs nothing was granted because .*: the time limit; why 7$/),
  });
});

test.each([cannotConnect, new HarnessError("no more memory")])(
  "a run that cannot be done ends a hunt: %s",
  async (error) => {
    const early = new EarlyEnd(0, NEVER);
    expect(await early.run(async () => "valid")).toBe("valid");
    await expect(early.run(failing(error))).rejects.toBe(error);
    expect([early.signal.aborted, early.by?.error]).toEqual([true, error]);
  },
);

test("a run that an interruption ends is none that cannot be done", async () => {
  const interruption = new AbortController();
  const early = new EarlyEnd(1, interruption.signal);
  const interrupted = new UserError("interrupted", "what was recorded is kept");
  interruption.abort(interrupted);
  await expect(early.run(failing(interrupted))).rejects.toBe(interrupted);
  expect([early.by, early.signal.aborted]).toEqual([undefined, false]);
});

test("the first run that cannot be done, and a fault of the program itself, are no end with a summary", async () => {
  const early = new EarlyEnd(0, NEVER);
  await expect(early.run(failing(cannotConnect))).rejects.toBe(cannotConnect);
  await early.run(async () => "valid");
  await expect(early.run(failing(new TypeError("a bug")))).rejects.toThrow(TypeError);
  expect(early.signal.aborted).toBe(false);
});

/** A driver in a file that acquires like this, and connects so many clients. */
function driverFile(acquire: string, connects = Infinity): string {
  const folder = fresh("driver");
  mkdirSync(folder);
  const path = join(folder, "lock.mjs");
  writeFileSync(
    path,
    `import { appendFileSync, statSync } from "node:fs";
    const file = ${JSON.stringify(join(folder, "connected"))};
    export const driver = { async connect({ client }) {
      appendFileSync(file, ".");
      if (statSync(file).size > ${connects}) throw new Error("no more connections");
      let count = 0;
      return {
        acquire: async (key) => (${acquire}),
        release: async () => ({ type: "ok", value: { released: true } }),
        [Symbol.asyncDispose]: async () => {},
      };
    } };`,
  );
  return path;
}

const OPTIONS = { faults: [], topology: "single", seed: 1, runs: 30, shrinkRuns: 3, threads: 1 } as const;

test("a hunt for a lock that cannot connect any more says what it did until then, and why it ended", async () => {
  const lock = driverFile(`{ type: "fail", kind: "contended", reason: "held" }`, 30);
  // A lock that refuses everybody is at fault, and that is not asked here.
  const required = ["lease-exclusion"] as const;
  const { findings, endedBy } = await huntLock({ ...OPTIONS, lock, required }, { store: fresh() });
  expect(findings.runs).toBeGreaterThan(0);
  expect(findings.runs + findings.missing).toBe(30);
  expect(endedBy?.error?.message).toMatch(/could not connect: no more connections$/);
});

test("a counterexample that was found before is kept", { tags: "long" }, async () => {
  const lock = driverFile(`{ type: "ok", value: { key, owner: client + (count += 1) } }`, 500);
  const { findings, endedBy } = await huntLock({ ...OPTIONS, lock, shrinkRuns: 500 }, { store: fresh() });
  expect(findings.counterexample?.verdict).toBe("invalid");
  expect(endedBy?.error?.message).toMatch(/could not connect: no more connections$/);
});

test.each([1, 3])(
  "a hunt for a lock whose answers are none ends after a few runs, with %d threads",
  { tags: "long" },
  async (threads) => {
    const lock = driverFile(`{ type: "ok", value: { key, owner: "" } }`);
    const { findings, endedBy } = await huntLock({ ...OPTIONS, lock, threads }, { store: fresh() });
    // The first plan is the largest: until its run has ended, other threads go on, and what they have run counts.
    const ahead = findings.runs - 5;
    expect(findings).toMatchObject({ valid: 0, missing: 25 - ahead });
    expect(ahead).toBeGreaterThanOrEqual(0);
    expect(ahead).toBeLessThan(threads === 1 ? 1 : 20);
    expect(endedBy?.reason).toMatch(/mistakes of the driver: .*owner/);
  },
);

test.each([
  [`{ type: "fail", kind: "error", reason: "no idea" }`, ": no idea"],
  [`{ type: "info", reason: "no idea" }`, ": no idea; its driver has not tried to connect to a server so far"],
])(
  "a hunt for a lock that answers nothing else than %s ends after a few runs",
  { tags: "long" },
  async (answer, why) => {
    const { findings, endedBy } = await huntLock({ ...OPTIONS, lock: driverFile(answer) }, { store: fresh() });
    expect(findings).toMatchObject({ runs: 5, valid: 0, missing: 25 });
    expect(endedBy?.reason).toMatch(/^in 5 runs nothing was granted although no fault had begun /);
    expect(endedBy?.reason.endsWith(why)).toBe(true);
  },
);

test.each([
  [
    `{ type: "info", reason: "no idea" }`,
    "no acquire was granted, and the first that was not contended ended as info: no idea",
  ],
  [
    `{ type: "fail", kind: "contended", reason: "held" }`,
    "every acquire was refused as contended, though no acquire was granted",
  ],
])(
  "a hunt for a lock that answers nothing else than %s says so before its first run",
  { tags: "long" },
  async (answer, why) => {
    const progress = new HeardProgress();
    const lock = driverFile(answer);
    await huntLock({ ...OPTIONS, lock }, { store: fresh(), progress });
    expect(progress.notes[1]).toMatch(
      new RegExp(`^without faults, ${why}.*; check the driver: npx lockstorm conform `),
    );
    // More of them would teach as little, and each waits for what does not come.
    expect(progress.steps.filter((step) => step.includes("learning what the lock does"))).toHaveLength(1);
  },
);

test("a hunt in real time says from its beginning what it is about", { tags: "long" }, async () => {
  const progress = new HeardProgress();
  const lock = driverFile(`{ type: "ok", value: { key, owner: client + (count += 1) } }`);
  await huntLock({ ...OPTIONS, lock, runs: 2, threads: 2, backend: "live" }, { store: fresh(), progress });
  expect(progress.steps[0]).toBe(`hunt for ${lock}: 2 plans at a time`);
});
