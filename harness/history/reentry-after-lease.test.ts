import { describe, expect, it, test } from "vitest";
import { judge } from "../check/testing/judge.ts";
import { Recording } from "../check/testing/recording.ts";

/** An owner is granted the lock again when its lease is over, releases once, and another is granted the lock. */
const again = (as: "reenter" | "acquire", fence?: number): Recording => {
  const tokens = (token: number) => (fence === undefined ? {} : { fence: token });
  const first = new Recording({ clients: 2 }).acquire(0, 0, "a", { ttlMs: 100, ...tokens(1) });
  return first[as](200, 0, "a", { ttlMs: 1000, ...tokens(fence ?? 1) })
    .release(210, 0, "a")
    .acquire(220, 1, "b", { ttlMs: 1000, ...tokens(9) });
};

describe("an owner that is granted the lock again when its lease is over", () => {
  it.each(["acquire", "reenter"] as const)("may have begun a new hold, whatever it says (%s)", (as) => {
    for (const property of ["lease-exclusion", "linearizability"] as const) {
      expect(judge(property, again(as))).toBe("valid");
      expect(judge(property, again(as).release(300, 0, "a", false))).toBe("valid");
    }
    expect(judge("mutual-exclusion", again(as).release(300, 0, "a", false))).toBe("valid");
  });

  it("meant to hold until then, if it says that it enters what it holds", () => {
    const between = (as: "reenter" | "acquire"): Recording => {
      const held = new Recording({ clients: 2 }).acquire(0, 0, "a", { ttlMs: 100 }).acquire(150, 1, "b");
      return held.release(160, 1, "b")[as](200, 0, "a");
    };
    expect(judge("mutual-exclusion", between("acquire"))).toBe("valid");
    expect(judge("mutual-exclusion", between("reenter"))).toBe("invalid; overrun 1,3");
    expect(judge("lease-exclusion", between("reenter"))).toBe("valid");
  });

  it.each(["acquire", "reenter"] as const)("may be told its fencing token once more (%s)", (as) => {
    const first = new Recording({ clients: 2 }).acquire(0, 0, "a", { ttlMs: 100, fence: 1 });
    const again = first[as](200, 0, "a", { fence: 2 })[as](210, 0, "a", { fence: 2 });
    expect(judge("fencing-tokens", again)).toBe("valid");
    expect(judge("fencing-tokens", again[as](220, 0, "a", { fence: 3 }))).toContain("invalid; token-rollback");
  });

  it.each(["acquire", "reenter"] as const)("may be told the old fencing token or a larger one (%s)", (as) => {
    expect(judge("fencing-tokens", again(as, 2))).toBe("valid");
    const kept = new Recording({ clients: 2 }).acquire(0, 0, "a", { ttlMs: 100, fence: 1 });
    const twice = kept[as](200, 0, "a", { fence: 1 }).release(210, 0, "a").release(212, 0, "a");
    expect(judge("fencing-tokens", twice.acquire(220, 1, "b", { fence: 9 }))).toBe("valid");
  });
});

test("an owner that extends when its lease is over may do so in a hold that an unanswered acquire began", () => {
  const recording = new Recording({ clients: 2 });
  recording.seek(0, 0, { ttlMs: 400 }).info(1, 0, "acquire");
  recording.seek(30, 2, { ttlMs: 20 }).granted(31, 2, "a").seek(32, 2, { ttlMs: 20 }).granted(33, 2, "a");
  recording.seekExtension(80, 2, "a", 20).extended(81, 2, "a").release(82, 2, "a");
  for (const property of ["lease-exclusion", "linearizability"] as const) {
    expect(judge(property, recording.acquire(83, 1, "b", { ttlMs: 20 }))).toBe("valid");
  }
});
