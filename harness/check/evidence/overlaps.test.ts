import { describe, expect, it } from "vitest";
import type { Hold } from "../../history/holds.ts";
import type { HistoryStep } from "./history-step.ts";
import { conflictsOf, OpenOverlaps, type Overlap } from "./overlaps.ts";

const hold = (owner: string): Hold => ({ owner }) as Hold;

describe("overlaps of a semaphore with many further holds", () => {
  const among = (first: Hold, ...others: readonly Hold[]): Overlap =>
    ({ first, second: hold("last"), others, shares: new Map() }) as unknown as Overlap;
  /** Follows overlaps that may have so many further holds together. */
  const following = (
    mostFurtherHolds: number,
  ): { open: OpenOverlaps; end: (...holds: Hold[]) => readonly string[] } => {
    const concluded: string[] = [];
    const open = new OpenOverlaps(({ first }) => concluded.push(first.owner), mostFurtherHolds);
    const end = (...holds: Hold[]): readonly string[] => {
      for (const ended of holds) {
        ended.end = { by: "release", index: 1, time: 1 };
        open.push({ changes: [{ kind: "ended", hold: ended }] } as unknown as HistoryStep);
      }
      return concluded.splice(0);
    };
    return { open, end };
  };

  it("are followed as long as their further holds are not too many together", () => {
    const { open, end } = following(4);
    const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(hold) as [Hold, Hold, Hold, Hold, Hold];
    open.begin(among(a, d, e));
    open.begin(among(b, d, e));
    open.begin(among(c, d, e));
    expect(open.open).toBe(2);
    // A pair has no further holds, and needs no room.
    open.begin(among(c));
    expect(open.open).toBe(3);
    expect(end(c)).toEqual(["c"]);
    expect(end(a, d)).toEqual([]);
    expect(end(b)).toEqual([]);
    expect(end(e)).toEqual(["a", "b"]);
    expect(open.open).toBe(0);
  });

  it("make room for others when they are concluded", () => {
    const { open, end } = following(2);
    const [a, b, c, d] = ["a", "b", "c", "d"].map(hold) as [Hold, Hold, Hold, Hold];
    open.begin(among(a, c, d));
    expect(end(c, d, a)).toEqual(["a"]);
    open.begin(among(b, hold("f"), hold("g")));
    expect(open.open).toBe(1);
    open.finish();
    expect(end()).toEqual(["b"]);
  });
});

it("the holds of one client in two modes are no conflict, those of two clients are", () => {
  const [reader, writer] = (["shared", "exclusive"] as const).map((kind, currentProcess) => ({
    share: { kind },
    currentProcess,
  })) as unknown as [Hold, Hold];
  const conflicts = (areOne: boolean): unknown => conflictsOf(writer, [reader], () => areOne, new Map());
  expect(conflicts(true)).toEqual([]);
  expect(conflicts(false)).toEqual([[reader]]);
});
