import { expect, it } from "vitest";
import { Recording } from "../check/testing/recording.ts";
import { collectHolds, type HoldSpan } from "./hold-spans.ts";

const MS = 1_000_000;

/** The only hold of a history that ends at 5000. */
function holdOf(recorded: Recording): HoldSpan {
  const [hold, ...others] = collectHolds(recorded.history.events, 5000 * MS, { clients: 2 });
  if (hold === undefined || others.length > 0) throw new Error("expected one hold");
  return hold;
}

const leaseOf = (recorded: Recording): readonly (readonly number[])[] =>
  holdOf(recorded).lease.map(({ from, to }) => [from / MS, to / MS]);

it("begins with its grant, and ends as its client meant", () => {
  const acquired = (): Recording => new Recording({ clients: 2 }).acquire(0, 3, "a", { fence: 7 });
  expect(holdOf(acquired())).toMatchObject({
    client: 1,
    process: 3,
    fence: 7,
    from: MS,
    to: 5000 * MS,
    invokedAt: 0,
    leaseUntil: 1000 * MS,
    endedBy: "end of run",
    granted: 1,
    ended: undefined,
  });
  expect(holdOf(acquired().release(100, 3, "a"))).toMatchObject({ to: 100 * MS, endedBy: "release", ended: 2 });
  expect(holdOf(acquired().lost(200, 3, "a"))).toMatchObject({ to: 200 * MS, endedBy: "lost", ended: 2 });
});

it("has a lease where one was in force: not after its end, and none that was over when it was granted", () => {
  const acquired = (): Recording => new Recording().acquire(0, 0, "a");
  expect(leaseOf(acquired())).toEqual([[1, 1000]]);
  expect(leaseOf(acquired().release(1500, 0, "a"))).toEqual([[1, 1000]]);
  expect(leaseOf(acquired().release(300, 0, "a"))).toEqual([[1, 300]]);
  const late = new Recording().seek(0, 0).granted(1500, 0, "a");
  expect([leaseOf(late), holdOf(late).leaseUntil]).toEqual([[], 1500 * MS]);
});

it("has one lease where one follows on another, and two with a gap between them", () => {
  expect(leaseOf(new Recording().acquire(0, 0, "a").extend(999, 0, "a"))).toEqual([[1, 1999]]);
  expect(leaseOf(new Recording().acquire(0, 0, "a").seekExtension(900, 0, "a", 1000).extended(1000, 0, "a"))).toEqual([
    [1, 1900],
  ]);
  expect(leaseOf(new Recording().acquire(0, 0, "a").extend(1100, 0, "a"))).toEqual([
    [1, 1000],
    [1101, 2100],
  ]);
});

it("tells what prolonged it", () => {
  const recorded = new Recording().acquire(0, 0, "a").extend(500, 0, "a").renewed(900, 0, "a", 1000);
  const { prolonged, leaseUntil, grantedUntil } = holdOf(recorded);
  expect(prolonged).toEqual([
    { by: "extension", index: 3, time: 501 * MS, until: 1500 * MS },
    { by: "renewal", index: 4, time: 900 * MS, until: 1900 * MS },
  ]);
  expect([grantedUntil, leaseUntil]).toEqual([1000 * MS, 1900 * MS]);
});
