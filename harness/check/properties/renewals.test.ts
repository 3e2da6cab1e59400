import { describe, expect, it } from "vitest";
import { judge } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

/** Client 0 is granted a lease of a second; client 1 is granted the same lock at 1200 ms, while client 0 works on. */
function granted(between: (it: Recording) => Recording): Recording {
  const held = between(new Recording({ clients: 2, backend: "simulated" }).acquire(0, 0, "a", { ttlMs: 1000 }));
  return held.acquire(1200, 1, "b", { ttlMs: 1000 }).release(1300, 0, "a", false).release(1400, 1, "b");
}

const lease = (recording: Recording): string => judge("lease-exclusion", recording);
const linearizable = (recording: Recording): string => judge("linearizability", recording).split(" ", 2).join(" ");

describe("a lease that the lock renews by itself", () => {
  it("is in force until its new end, for P2 and for P8", () => {
    expect(lease(granted((it) => it))).toBe("valid");
    const renewed = granted((it) => it.renewed(600, 0, "a", 1000));
    expect(lease(renewed)).toBe("invalid; double-grant 1,4");
    expect(linearizable(renewed)).toBe("invalid; double-grant");
    expect(judge("mutual-exclusion", renewed)).toBe("invalid; double-grant 1,4");
  });

  it("counts from when its client had the report, not from when it could tell", () => {
    expect(lease(granted((it) => it.renewed(600, 0, "a", 1000, 190)))).toBe("valid");
    expect(linearizable(granted((it) => it.renewed(600, 0, "a", 1000, 190)))).toBe("valid");
  });

  it("may be shorter than the lease before: no more is promised from then on", () => {
    const long = (renews: boolean): Recording =>
      granted((it) => {
        const extended = it.extend(500, 0, "a", { ttlMs: 5000 });
        return renews ? extended.renewed(600, 0, "a", 100) : extended;
      });
    for (const judged of [lease, linearizable]) {
      expect(judged(long(true))).toBe("valid");
      expect(judged(long(false))).toMatch(/^invalid; double-grant/);
    }
  });

  it("is not made again once it was given up", () => {
    const late = new Recording({ clients: 2, backend: "simulated" })
      .acquire(0, 0, "a", { ttlMs: 1000 })
      .release(500, 0, "a")
      .renewed(550, 0, "a", 1000)
      .acquire(600, 1, "b")
      .release(700, 1, "b");
    expect(lease(late)).toBe("valid");
    expect(linearizable(late)).toBe("valid");
  });

  it("that nobody outlives is no overrun when it is over and another is granted the lock", () => {
    const handed = new Recording({ clients: 2, backend: "simulated" })
      .acquire(0, 0, "a", { ttlMs: 1000 })
      .renewed(600, 0, "a", 1000)
      .release(1500, 0, "a")
      .acquire(1550, 1, "b")
      .release(1600, 1, "b");
    expect(judge("mutual-exclusion", handed)).toBe("valid");
    expect(lease(handed)).toBe("valid");
    expect(linearizable(handed)).toBe("valid");
  });
});
