import { expect, it } from "vitest";
import { checkHistory } from "./check.ts";
import { judge } from "./testing/judge.ts";
import { Recording } from "./testing/recording.ts";

const judged = (recording: Recording): string => judge("owner-release", recording);

/** `a` outlives its lease; `b` holds now. */
const overrun = (facts: { topology?: string } = {}): Recording =>
  new Recording({ clients: 3, ...facts }).acquire(0, 0, "a", { ttlMs: 500 }).acquire(600, 1, "b", { ttlMs: 500 });

it("refuses a release and an extension that lie within another's hold", () => {
  expect(judged(overrun().release(700, 0, "a"))).toBe("invalid; foreign-release 1,3,4,5");
  expect(judged(overrun().extend(700, 0, "a"))).toBe("invalid; foreign-release 1,3,4,5");
});

it("takes them when they found nothing", () => {
  expect(judged(overrun().release(700, 0, "a", false))).toBe("valid");
});

it("takes a release of unknown outcome", () => {
  expect(judged(overrun().leave(700, 0, "a").info(710, 0, "release"))).toBe("valid");
});

it("takes one that was under way when the other was granted the lock, or when the other gave it up", () => {
  const early = new Recording({ clients: 3 }).acquire(0, 0, "a").leave(5, 0, "a").acquire(6, 1, "b").left(8, 0);
  expect(judged(early)).toBe("valid");
  const late = overrun().leave(700, 0, "a").release(701, 1, "b").left(703, 0);
  expect(judged(late)).toBe("valid");
});

it("takes one when the other's lease was over too", () => {
  expect(judged(overrun().release(1200, 0, "a"))).toBe("valid");
});

it("takes one by whoever was granted the lock last", () => {
  expect(judged(overrun().release(700, 1, "b"))).toBe("valid");
});

it("refuses one by a stranger", () => {
  expect(judged(new Recording({ clients: 3 }).acquire(0, 0, "a").release(5, 2, "z"))).toBe(
    "invalid; foreign-release 1,2,3",
  );
});

it("keeps keys apart", () => {
  expect(judged(overrun().on("other").release(700, 0, "a"))).toBe("valid");
});

it("takes one that may have found its own copy after a failover, and remarks upon it", () => {
  const recording = new Recording({ clients: 3 })
    .acquire(0, 0, "a")
    .fault(10, "promotion")
    .acquire(20, 1, "b")
    .release(30, 0, "a");
  expect(judged(recording)).toBe("valid");
  expect(checkHistory(recording.history).remarks).toEqual([expect.stringContaining("may have been its own")]);
});

it("does not take a failover before its own grant for an excuse", () => {
  const recording = new Recording({ clients: 3 })
    .fault(0, "promotion")
    .acquire(1, 0, "a", { ttlMs: 500 })
    .acquire(600, 1, "b")
    .release(700, 0, "a");
  expect(judged(recording)).toBe("invalid; foreign-release 2,4,5,6");
});

it("of several masters, takes one whose lease was still running, and refuses one whose was over", () => {
  const running = new Recording({ clients: 3, topology: "redlock" })
    .acquire(0, 0, "a")
    .acquire(20, 1, "b")
    .release(30, 0, "a");
  expect(judged(running)).toBe("valid");
  expect(judged(overrun({ topology: "redlock" }).release(700, 0, "a"))).toBe("invalid; foreign-release 1,3,4,5");
});

it("does not apply where nobody released or extended", () => {
  expect(judged(new Recording().acquire(0, 0, "a"))).toBe("not-applicable");
});
