import { describe, expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { judge } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

describe("one owner value of two processes that go on beside each other", () => {
  it("leaves open whether they are threads of one client, if the history does not say how many clients ran", () => {
    const both = new Recording().acquire(0, 0, "c0").seek(10, 1).read(11, 0, 0).granted(20, 1, "c0").leave(30, 0, "c0");
    expect(judge("mutual-exclusion", both)).toBe("unknown");
    expect(judge("lease-exclusion", both)).toBe("unknown");
    const { reason } = checkHistory(both.history).properties["lease-exclusion"] ?? {};
    expect(reason).toMatch(/^process 1 was granted k at 20 ms under the owner value c0 of process 0.*Add `clients`/);
    const twice = new Recording().acquire(0, 0, "x").acquire(5, 1, "x").release(10, 0, "x").release(12, 1, "x");
    expect(judge("mutual-exclusion", twice)).toBe("unknown");
    expect(judge("lease-exclusion", twice)).toBe("unknown");
  });

  it("shows two holders if the history says that they are two clients", () => {
    const twice = new Recording({ clients: 2 }).acquire(0, 0, "x").acquire(5, 1, "x").release(10, 0, "x");
    expect(judge("mutual-exclusion", twice)).toMatch(/^invalid; double-grant/);
    expect(judge("lease-exclusion", twice)).toMatch(/^invalid; double-grant/);
  });

  it("shows one that enters its hold again if the history says that they are one client", () => {
    const twice = new Recording({ clients: 1 }).acquire(0, 0, "x").acquire(5, 1, "x").release(10, 0, "x");
    expect(judge("mutual-exclusion", twice)).toBe("valid");
    expect(judge("lease-exclusion", twice)).toBe("valid");
  });

  it("is no promise to two where the lease of the first was over, and leaves open who held", () => {
    const again = new Recording().acquire(0, 0, "x", { ttlMs: 20 }).acquire(30, 1, "x");
    expect(judge("lease-exclusion", again.release(40, 0, "x"))).toBe("valid");
    expect(judge("mutual-exclusion", again)).toBe("unknown");
  });

  it("leaves nothing open where the first does nothing more under that value", () => {
    const moved = new Recording().acquire(0, 0, "x", { ttlMs: 20 }).acquire(30, 1, "x").release(40, 1, "x").fail(50, 0);
    expect(judge("mutual-exclusion", moved)).toBe("valid");
  });

  it("leaves open whether acquires that were under way together entered one hold", () => {
    const beside = new Recording().seek(0, 0).seek(1, 1).granted(2, 0, "x").granted(3, 1, "x").release(4, 0, "x");
    expect(judge("lease-exclusion", beside)).toBe("unknown");
  });

  it("does not excuse a grant to another owner value", () => {
    const other = new Recording().acquire(0, 0, "x").acquire(5, 1, "x").acquire(10, 2, "y").release(20, 0, "x");
    expect(judge("lease-exclusion", other)).toMatch(/^invalid/);
  });

  it("leaves open what a release that is under way ends", () => {
    const left = new Recording()
      .acquire(0, 0, "x", { ttlMs: 20 })
      .leave(30, 2, "x")
      .acquire(40, 0, "x")
      .acquire(50, 1, "y")
      .leave(60, 0, "x");
    expect(judge("mutual-exclusion", left)).toBe("valid");
    expect(judge("lease-exclusion", left)).toBe("valid");
  });
});
