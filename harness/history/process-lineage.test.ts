import { describe, expect, it } from "vitest";
import { judge } from "../check/testing/judge.ts";
import { Recording } from "../check/testing/recording.ts";
import { ProcessLineage } from "./process-lineage.ts";

describe("a history that does not say how many clients ran, with a new process number for each operation", () => {
  it("shows no second holder where a client enters its hold again", () => {
    const twice = new Recording().acquire(0, 0, "c0").acquire(10, 1, "c0").release(20, 2, "c0");
    expect(judge("mutual-exclusion", twice)).toBe("valid");
    expect(judge("lease-exclusion", twice)).toBe("valid");
  });

  it("leaves open who did first what happened at one time by the clock", () => {
    const twice = new Recording().seek(0, 0).seek(10, 1).granted(10, 0, "c0").granted(12, 1, "c0").release(20, 2, "c0");
    expect(judge("lease-exclusion", twice)).toBe("valid");
  });

  it("shows no hold that lasts after one release, where the lease of the first may have been over", () => {
    const again = new Recording()
      .acquire(0, 0, "c0", { ttlMs: 20 })
      .acquire(30, 1, "c0", { ttlMs: 20 })
      .release(35, 2, "c0")
      .acquire(40, 3, "c1")
      .write(45, 4, "c0", "x");
    expect(judge("mutual-exclusion", again)).toBe("valid");
    expect(judge("lease-exclusion", again)).toBe("valid");
  });

  it("leaves open whether an acquire that was never answered cut the lease of another process", () => {
    const threads = (facts: { clients?: number }): readonly string[] => {
      const beside = new Recording(facts)
        .seek(0, 0, { ttlMs: 410 })
        .seek(40, 2, { ttlMs: 50 })
        .granted(100, 0, "c0")
        .acquire(260, 1, "c1");
      return [judge("lease-exclusion", beside), judge("linearizability", beside)];
    };
    // Process 2 may be a second thread of the client of process 0, or, of four clients, is another.
    expect(threads({})).toEqual(["valid", "valid"]);
    expect(threads({ clients: 2 })).toEqual(["valid", "valid"]);
    expect(threads({ clients: 4 })).toEqual(["invalid; double-grant 2,4", "invalid; double-grant 2,3,4"]);
  });

  it("does not say which of two entries a release gives back", () => {
    const entered = new Recording()
      .acquire(0, 0, "c0")
      .acquire(10, 1, "c0")
      .leave(20, 2, "c0")
      .left(21, 2)
      .acquire(30, 3, "c1");
    expect(judge("lease-exclusion", entered)).toBe("valid");
  });

  it("does not say which of several holds of one owner value is entered again", () => {
    const shared = new Recording()
      .seek(0, 0, { ttlMs: 5 })
      .seek(1, 1, { ttlMs: 5 })
      .granted(2, 0, "s")
      .granted(3, 1, "s")
      .acquire(30, 2, "s", { ttlMs: 5 })
      .acquire(60, 3, "s")
      .release(70, 4, "s");
    expect(judge("mutual-exclusion", shared)).toBe("valid");
  });

  it("does not say whether an acquire that is never answered entered the hold of its client", () => {
    const fence = { fence: 1 };
    const left = new Recording()
      .acquire(0, 9, "c1", { fence: 0 })
      .leave(2, 9, "c1")
      .left(3, 9)
      .seek(4, 0)
      .acquire(10, 1, "c0", fence)
      .leave(20, 2, "c0")
      .left(21, 2)
      .acquire(30, 3, "c0", fence);
    expect(judge("fencing-tokens", left)).toBe("valid");
  });

  it("shows two holders of two owner values where one of them goes on after the other has begun", () => {
    const others = new Recording().acquire(0, 0, "c0").acquire(10, 1, "c1").leave(20, 0, "c0");
    expect(judge("mutual-exclusion", others)).toMatch(/^invalid/);
    expect(judge("lease-exclusion", others)).toMatch(/^invalid/);
  });

  it("does not say whose hold a release ends by a process that was granted another", () => {
    const left = new Recording()
      .acquire(0, 0, "c0", { ttlMs: 20 })
      .acquire(30, 1, "c1")
      .leave(40, 1, "c0")
      .left(41, 1, false);
    expect(judge("mutual-exclusion", left)).toBe("valid");
  });

  it("does not say that a client means its hold which may have asked anew", () => {
    const anew = (last: number): Recording =>
      new Recording()
        .acquire(0, 0, "c0", { ttlMs: 20 })
        .acquire(30, 1, "c1")
        .release(40, 1, "c1")
        .seek(50, 2)
        .write(60, last, "c0", "x");
    expect(judge("mutual-exclusion", anew(3))).toBe("valid");
    expect(judge("mutual-exclusion", anew(0))).toMatch(/^invalid/);
  });
});

it("a client that is told late of an unknown outcome, and goes on under another number, does one thing at a time", () => {
  const lineage = new ProcessLineage(2);
  lineage.push({ process: 0, time: 1, type: "invoke" });
  lineage.push({ process: 2, time: 5, type: "invoke" });
  lineage.push({ process: 0, time: 6, type: "info" });
  expect([lineage.areOneTask(0, 2), lineage.areTasks(0, 2)]).toEqual([true, false]);
  lineage.push({ process: 0, time: 7, type: "invoke" });
  expect([lineage.areOneTask(0, 2), lineage.areTasks(0, 2), lineage.areTasks(2, 0)]).toEqual([false, true, true]);
  expect(lineage.areTasks(0, 1)).toBe(false);
});
