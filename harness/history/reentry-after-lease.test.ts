import { describe, expect, it } from "vitest";
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
  it("has begun a new hold, if it does not say that it enters what it holds", () => {
    expect(judge("lease-exclusion", again("acquire"))).toBe("valid");
    expect(judge("mutual-exclusion", again("acquire").release(300, 0, "a", false))).toBe("valid");
  });

  it("has entered once more, if it says so: one release does not free the lock", () => {
    expect(judge("lease-exclusion", again("reenter"))).toBe("invalid; double-grant 1,7");
    expect(judge("mutual-exclusion", again("reenter").release(300, 0, "a", false))).toBe("invalid; double-grant 1,7");
  });

  it.each(["acquire", "reenter"] as const)("may be told the old fencing token or a larger one (%s)", (as) => {
    expect(judge("fencing-tokens", again(as, 2))).toBe("valid");
    const kept = new Recording({ clients: 2 }).acquire(0, 0, "a", { ttlMs: 100, fence: 1 });
    const twice = kept[as](200, 0, "a", { fence: 1 }).release(210, 0, "a").release(212, 0, "a");
    expect(judge("fencing-tokens", twice.acquire(220, 1, "b", { fence: 9 }))).toBe("valid");
  });
});
