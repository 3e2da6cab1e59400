import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parseHistory } from "../../history/history-reader.ts";
import type { Margins } from "../../core/verdict.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

function marginsOf(name: string): Margins | undefined {
  const text = readFileSync(new URL(`../testdata/${name}`, import.meta.url), "utf8");
  return checkHistory(parseHistory(text, name)).margins;
}

it("tells gap, validity left and pause", () => {
  const pause =
    "mutual-exclusion=invalid+overrun,lease-exclusion=valid,fencing-tokens=valid,stale-writes=valid.overrun-after-pause.jsonl";
  expect(marginsOf(pause)).toEqual({
    // client-0 released at 1300 ms what had been valid until 991 ms.
    smallestValidityLeft: { nanoseconds: -309_000_000, events: [14] },
    largestPause: { nanoseconds: 1_190_000_000, events: [4, 10] },
  });
});

it("counts the lease as its client was told of it, whatever a request that is never answered may have done", () => {
  const recording = new Recording({ clients: 2, topology: "single" })
    .seek(0, 0, { ttlMs: 300 })
    .acquire(400, 2, "a", { ttlMs: 300 })
    .release(450, 2, "a");
  expect(checkHistory(recording.history).margins?.smallestValidityLeft?.nanoseconds).toBe(250_000_000);
});

it("tells the smallest gap between two holds", () => {
  const name =
    "mutual-exclusion=valid,lease-exclusion=valid,fencing-tokens=valid,stale-writes=valid.two-holders-in-turn.jsonl";
  expect(marginsOf(name)).toEqual({
    smallestGap: { nanoseconds: 11_000_000, events: [7, 10] },
    smallestValidityLeft: { nanoseconds: 981_000_000, events: [7] },
  });
});

it("knows nothing of what did not happen", () => {
  expect(marginsOf("deadlock-freedom=not-applicable.late-orphan-is-bounded.jsonl")).toEqual({});
});

it("measures no gap while other clients hold permits", () => {
  const recording = new Recording()
    .acquire(0, 0, "a", { limit: 2 })
    .acquire(5, 1, "b", { limit: 2 })
    .release(10, 0, "a")
    .acquire(20, 2, "c", { limit: 2 })
    .release(30, 1, "b")
    .release(40, 2, "c")
    .acquire(50, 0, "d", { limit: 2 });
  expect(checkHistory(recording.history).margins?.smallestGap).toEqual({ nanoseconds: 11_000_000, events: [10, 13] });
});

it("tells no gap of a run in which two held a lock at once: there the shortest time between holds is none", () => {
  const recording = new Recording()
    .acquire(0, 0, "a")
    .acquire(5, 1, "b")
    .release(10, 0, "a")
    .release(30, 1, "b")
    .acquire(50, 0, "c");
  expect(checkHistory(recording.history).margins?.smallestGap).toBeUndefined();
});

it("measures validity at releases, not at other ends", () => {
  const recording = new Recording().acquire(0, 0, "a", { ttlMs: 100 }).lost(90, 0, "a").acquire(95, 1, "b");
  expect(checkHistory(recording.history).margins).toEqual({ smallestGap: { nanoseconds: 6_000_000, events: [2, 4] } });
});

it("keeps keys apart", () => {
  const recording = new Recording().acquire(0, 0, "a").release(5, 0, "a").on("other").acquire(6, 1, "b");
  expect(checkHistory(recording.history).margins?.smallestGap).toBeUndefined();
});

it("takes a pause that was never healed to last to the end, and one that was not seen for none", () => {
  const pause = new Recording().fault(10, "pause-node").acquire(50, 0, "a");
  expect(checkHistory(pause.history).margins?.largestPause).toEqual({ nanoseconds: 41_000_000, events: [0] });
  const unseen = new Recording().fault(10, "pause-client", { outcome: "indeterminate" }).acquire(50, 0, "a");
  expect(checkHistory(unseen.history).margins?.largestPause).toBeUndefined();
});
