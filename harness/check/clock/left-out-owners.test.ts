/** Owner values whose operations a coarse clock leaves too uncertain for `linearizability`. */
import { describe, expect, it } from "vitest";
import { randomStream } from "../../core/random.ts";
import type { History } from "../../history/history.ts";
import { checkHistory } from "../check.ts";
import { StepBudget } from "../linearizability/step-budget.ts";
import { linearizability } from "../properties/linearizability.ts";
import { recordedCoarsely } from "../testing/coarse-recording.ts";
import { Recording } from "../testing/recording.ts";
import { historyOf, type SmallKind, soundOperations } from "../testing/small-histories.ts";

const MS = 1_000_000;
/** More histories of each kind, with `LOCKSTORM_CLOCK_RUNS=5000`, take longer. */
const RUNS = Number(process.env["LOCKSTORM_CLOCK_RUNS"] ?? 40);

function judged(history: History, steps = 1_000_000): { readonly verdict: string | undefined; readonly steps: number } {
  const budget = new StepBudget(steps);
  const { properties } = checkHistory(history, { foreign: true, checkers: [linearizability({ budget })] });
  return { verdict: properties["linearizability"]?.verdict, steps: budget.spent };
}

/** A lock that clients have in turn for 2 ms each, on a clock with ticks of 100 ms. */
function handedOn(times: number, clients: number, owner: (time: number) => string): History {
  const recording = new Recording({ clients });
  for (let time = 0; time < times; time += 1) {
    const [at, process] = [time * 4, time % clients];
    recording.seek(at, process, { ttlMs: 10_000 });
    recording.granted(at + 1, process, owner(time), { fence: time + 1 });
    recording.leave(at + 2, process, owner(time)).left(at + 3, process);
  }
  return recordedCoarsely(recording.history, 100 * MS, Math.floor, randomStream(1, "clock"));
}

describe("a clock with many handovers in a tick", () => {
  it.each([
    ["fresh", (time: number) => `o${time}`],
    ["of the clients", (time: number) => `o${time % 8}`],
  ])("is decided in steps that grow with the history: owner values %s", { tags: "long" }, (_, owner) => {
    const short = judged(handedOn(500, 8, owner));
    const long = judged(handedOn(4000, 8, owner));
    expect([short.verdict, long.verdict]).toEqual(["valid", "valid"]);
    expect(long.steps).toBeLessThan(30 * 4000);
    expect(long.steps).toBeLessThan(12 * short.steps);
  });

  it("still shows a hold that another was granted the lock within", () => {
    const { header, events } = handedOn(500, 8, (time) => `o${time}`);
    const [first] = events;
    const held = new Recording({ clients: 9 })
      .seek(-300, 8, { ttlMs: 60_000 })
      .granted(-200, 8, "z")
      .leave(3000, 8, "z");
    const [asked, granted, left] = held.history.events;
    const all = [asked!, granted!, ...events, left!].map((event) => ({ ...event, time: event.time + 300 * MS }));
    expect(first).toBeDefined();
    const history = { header: { ...header, clients: 9 }, events: all.map((event, index) => ({ ...event, index })) };
    expect(judged(history).verdict).toBe("invalid");
  });
});

it("an owner value that is left out stays so under the value that its extension drew, if that is known", () => {
  const verdictWith = (extend: (recording: Recording) => Recording, owner: string): string | undefined => {
    const tick = new Recording({ clients: 3 }).seek(0, 2).refused(100, 2).seek(200, 0).granted(200, 0, "a");
    extend(tick.seekExtension(200, 0, "a", 5000));
    for (const other of ["c", "d"]) tick.seek(200, 1).granted(200, 1, other).leave(200, 1, other).left(200, 1);
    return judged(tick.leave(200, 0, owner).left(400, 0).history).verdict;
  };
  expect(verdictWith((recording) => recording.extended(200, 0, "b"), "b")).toBe("valid");
  expect(verdictWith((recording) => recording.info(200, 0, "extend"), "a")).toBe("unknown");
});

const ONE: SmallKind = { clients: 3, threads: 1, operations: 9, owners: "fresh", shares: "none" };

describe.each<readonly [string, SmallKind]>([
  ["an exclusive lock", ONE],
  ["a lock whose clients use one owner value each", { ...ONE, owners: "fixed" }],
  ["a reentrant, fenced lock", { ...ONE, owners: "fixed", reenters: true, fences: true }],
  ["a reentrant lock that reports its validity", { ...ONE, owners: "fixed", reenters: true, reportsValidity: true }],
  ["a lock whose clients share one owner value", { ...ONE, owners: "shared", reenters: true }],
  ["a reentrant lock of busy clients", { ...ONE, clients: 2, threads: 2, owners: "fixed", reenters: true }],
  ["a lock that draws new owner values", { ...ONE, renames: true, notifies: true }],
])("a sound server, %s, on a coarse clock", (_, kind) => {
  it("is not accused", () => {
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const exact = historyOf(soundOperations(seed, kind), kind);
      const clock = randomStream(seed, "clock");
      for (const tickMs of [40, 100, 300, 1000]) {
        const { verdict } = judged(recordedCoarsely(exact, tickMs * MS, Math.floor, clock));
        expect({ seed, tickMs, verdict }).not.toEqual({ seed, tickMs, verdict: "invalid" });
      }
    }
  });
});
