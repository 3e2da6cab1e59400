import { describe, expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

const longestOf = (recording: Recording) => checkHistory(recording.history).margins?.mostPassed;

/** client-1 asks at 5 ms, and is still waiting. */
const waiting = (): Recording => new Recording().acquire(0, 0, "a").seek(5, 1, { waitMs: 1000 });

describe("how often a waiting acquire was passed", () => {
  it("is the number of grants to those who asked later, until it ends", () => {
    const twice = (): Recording =>
      waiting().release(10, 0, "a").acquire(20, 2, "b").release(25, 2, "b").acquire(30, 0, "c");
    expect(longestOf(twice().release(35, 0, "c").granted(40, 1, "d"))).toEqual({ grants: 2, events: [2, 13] });
    expect(longestOf(twice().refused(41, 1))).toEqual({ grants: 2, events: [2, 11] });
  });

  it("leaves out those who asked before", () => {
    const first = new Recording().acquire(0, 0, "a").seek(3, 2).seek(5, 1).release(10, 0, "a").granted(11, 2, "b");
    expect(longestOf(first.release(12, 2, "b").granted(13, 1, "c"))).toBeUndefined();
  });

  it("leaves out an acquire of unknown outcome, and one that is under way at the end", () => {
    const once = (): Recording => waiting().release(10, 0, "a").acquire(20, 2, "b");
    expect(longestOf(once())).toBeUndefined();
    expect(longestOf(once().info(30, 1, "acquire"))).toBeUndefined();
  });

  it("keeps keys apart", () => {
    expect(longestOf(waiting().on("other").acquire(20, 2, "b").on("k").refused(30, 1))).toBeUndefined();
  });

  it("is that of the acquire that was passed most often", () => {
    const later = waiting().release(10, 0, "a").acquire(20, 2, "b").release(25, 2, "b").granted(40, 1, "d");
    expect(longestOf(later.release(50, 1, "d").acquire(60, 0, "e"))?.grants).toBe(1);
    const twice = waiting().release(10, 0, "a").acquire(20, 2, "b").release(25, 2, "b").acquire(30, 0, "c");
    const once = twice.seek(31, 3).release(35, 0, "c").acquire(40, 2, "d").refused(50, 1).refused(51, 3);
    expect(longestOf(once)).toMatchObject({ grants: 3, events: [2, expect.any(Number)] });
  });
});
