import { expect, it } from "vitest";
import { judge } from "./testing/judge.ts";
import { Recording } from "./testing/recording.ts";

const judged = (recording: Recording): string => judge("fencing-tokens", recording);

it("takes fencing tokens that grow, with gaps", () => {
  expect(judged(new Recording().acquire(0, 0, "a", { fence: 3 }).acquire(5, 1, "b", { fence: 9 }))).toBe("valid");
});

it("refuses one that is repeated later", () => {
  const recording = new Recording()
    .acquire(0, 0, "a", { fence: 3 })
    .release(2, 0, "a")
    .acquire(5, 1, "b", { fence: 3 });
  expect(judged(recording)).toBe("invalid; token-rollback 1,5");
});

it("refuses one that is repeated by a grant at the same time", () => {
  const recording = new Recording()
    .seek(0, 0)
    .seek(1, 1)
    .granted(2, 0, "a", { fence: 3 })
    .granted(3, 1, "b", { fence: 3 });
  expect(judged(recording)).toBe("invalid; token-rollback 2,3");
});

it("takes grants at the same time in any order", () => {
  const recording = new Recording()
    .seek(0, 0)
    .seek(1, 1)
    .granted(2, 0, "a", { fence: 4 })
    .granted(3, 1, "b", { fence: 3 });
  expect(judged(recording)).toBe("valid");
});

it("names the grant with the same fencing token rather than the largest", () => {
  const recording = new Recording()
    .acquire(0, 0, "a", { fence: 3 })
    .acquire(5, 1, "b", { fence: 7 })
    .acquire(10, 2, "c", { fence: 3 });
  expect(judged(recording)).toBe("invalid; token-rollback 1,5");
});

it("keeps keys apart", () => {
  const recording = new Recording().on("k1").acquire(0, 0, "a", { fence: 3 }).on("k2").acquire(5, 1, "b", { fence: 3 });
  expect(judged(recording)).toBe("valid");
});

it("takes the same fencing token on re-entry, and refuses another", () => {
  const outer = (): Recording => new Recording().acquire(0, 0, "a", { fence: 3 });
  expect(judged(outer().acquire(5, 0, "a", { fence: 3 }))).toBe("valid");
  expect(judged(outer().acquire(5, 0, "a", { fence: 4 }))).toBe("invalid; token-rollback 3");
  expect(judged(outer().acquire(5, 0, "a", { fence: 2 }))).toBe("invalid; token-rollback 3");
});

it("refuses re-entry with a fencing token that is no longer the largest: the hold was gone in between", () => {
  const recording = new Recording()
    .acquire(0, 0, "a", { fence: 3 })
    .acquire(1100, 1, "b", { fence: 4 })
    .acquire(2200, 0, "a", { fence: 3 });
  expect(judged(recording)).toBe("invalid; token-rollback 3,5");
});

it("refuses the old fencing token after the hold was released or lost", () => {
  const held = (): Recording => new Recording().acquire(0, 0, "a", { fence: 3 });
  expect(judged(held().release(3, 0, "a").acquire(5, 0, "a", { fence: 3 }))).toBe("invalid; token-rollback 1,5");
  expect(judged(held().lost(3, 0, "a").acquire(5, 0, "a", { fence: 3 }))).toBe("invalid; token-rollback 1,4");
});

it("does not count grants without one", () => {
  expect(judged(new Recording().acquire(0, 0, "a").acquire(5, 1, "b"))).toBe("not-applicable");
  const some = new Recording().acquire(0, 0, "a", { fence: 3 }).acquire(5, 1, "b").acquire(9, 2, "c", { fence: 4 });
  expect(judged(some)).toBe("valid");
});

it("does not count acquires that failed or whose outcome is unknown", () => {
  const recording = new Recording().acquire(0, 0, "a", { fence: 3 }).fail(5, 1).seek(7, 1).info(9, 1, "acquire");
  expect(judged(recording)).toBe("valid");
});

it("blames the fault that makes a counter forget", () => {
  const recording = new Recording()
    .acquire(0, 0, "a", { fence: 3 })
    .fault(3, "latency")
    .fault(4, "restart-node")
    .acquire(5, 1, "b", { fence: 1 });
  expect(judged(recording)).toBe("invalid; token-rollback 1,3,5");
});

it("finds a repetition however many grants lie between, while one of the two acquires was under way", () => {
  const recording = new Recording().seek(0, 99).acquire(1, 0, "first", { fence: 1 });
  for (let count = 2; count <= 10_000; count += 1) recording.acquire(count * 2, 0, `o${count}`, { fence: count });
  expect(judged(recording.granted(30_000, 99, "late", { fence: 1 }))).toMatch(/^invalid; token-rollback 2,\d+$/);
});

it("finds a fencing token that ran backwards however many grants lie between", () => {
  const recording = new Recording();
  for (let count = 1; count <= 10_000; count += 1) recording.acquire(count * 2, 0, `o${count}`, { fence: count });
  expect(judged(recording.acquire(30_000, 1, "late", { fence: 1 }))).toMatch(/^invalid; token-rollback/);
});
