import { expect, test } from "vitest";
import { Recording } from "../../check/testing/recording.ts";
import { slow } from "./slow.ts";

const recorded = (): Recording => new Recording({ backend: "simulated", clients: 2, topology: "single" });

function whatIsSlow({ history }: Recording): readonly string[] {
  return slow(history).map(({ kind, what }) => `${kind}: ${what}`);
}

test("waits for a lock that nobody held are told apart by how they ended, each once", () => {
  const refused = recorded().fail(200, 1).fail(400, 1).seek(600, 1, { waitMs: 10 }).refused(620, 1);
  expect(whatIsSlow(refused)).toEqual([
    "slow: a lock that nobody held was refused at once",
    "slow: a lock that nobody held was refused when the wait was over",
  ]);
  expect(whatIsSlow(recorded().seek(0, 1, { waitMs: 1000 }).granted(501, 1, "a"))).toEqual([
    "slow: a lock that nobody held was granted after more than half a second",
  ]);
});

test("a lock whose holder had died is told apart", () => {
  const waiting = recorded().acquire(0, 0, "a", { ttlMs: 1000 }).seek(50, 1, { waitMs: 9000 });
  expect(whatIsSlow(waiting.fault(100, "kill-client", { processes: [0] }).granted(3200, 1, "b"))).toEqual([
    "slow: a lock whose holder had died was granted more than 2 s after its lease was over",
  ]);
});

test("late answers are told apart by what was asked", () => {
  const late = recorded().acquire(0, 0, "a", { ttlMs: 9000 }).seekExtension(10, 0, "a", 9000).extended(600, 0, "a");
  const later = late.leave(700, 0, "a").left(1300, 0);
  expect(whatIsSlow(later.seek(1500, 1).granted(1501, 1, "b").seek(1600, 0).refused(2200, 0))).toEqual([
    "slow: an extension was answered after more than half a second",
    "slow: a release was answered after more than half a second",
    "slow: an acquire was answered more than half a second after its wait was over",
  ]);
});

test("nothing is told of a quick lock", () => {
  expect(whatIsSlow(recorded().acquire(0, 0, "a").fail(50, 1).release(99, 0, "a"))).toEqual([]);
});

test("nothing is told where the resource was as slow: the machine is busy", () => {
  const busy = recorded().acquire(0, 0, "a", { ttlMs: 9000 }).write(10, 0, "a", "x").wrote(200, 0, 1);
  expect(whatIsSlow(busy.leave(300, 0, "a").left(900, 0))).toEqual([]);
});
