import { describe, expect, it } from "vitest";
import { violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

describe("a server that came back without the lock", () => {
  const restarted = () =>
    new Recording({ clients: 2, backend: "simulated" }).acquire(0, 0, "a").fault(20, "restart-node");
  const whyOf = (recording: Recording): string | undefined =>
    violationsOf("linearizability", recording)[0]?.hypotheses?.find(({ cause }) => cause === "lost-in-restart")?.why;

  it("granted it again where another client was granted it", () => {
    expect(whyOf(restarted().acquire(30, 1, "b").release(50, 1, "b"))).toMatch(
      /without the lock, and granted it again$/,
    );
  });

  it("did nothing more where it only answered its holder", () => {
    expect(whyOf(restarted().release(30, 0, "a", false))).toMatch(/came back without the lock$/);
  });
});

it("suspects a fault that was seen to take effect before one that was not", () => {
  const written = new Recording({ clients: 2, backend: "simulated" })
    .acquire(0, 0, "a")
    .fault(20, "kill-node", { outcome: "indeterminate" })
    .fault(30, "eviction")
    .acquire(40, 1, "b");
  const [violation] = violationsOf("lease-exclusion", written);
  expect(violation?.hypotheses?.map(({ fault }) => fault).slice(0, 2)).toEqual([3, 2]);
});

it("says that a fault is recorded only after what it may have led to", () => {
  const told = (faultAt: number, grantedAt: number): string | undefined => {
    const begun = new Recording({ clients: 2 }).acquire(0, 0, "a");
    const recording =
      faultAt < grantedAt
        ? begun.fault(faultAt, "eviction").acquire(grantedAt, 1, "b")
        : begun.acquire(grantedAt, 1, "b").fault(faultAt, "eviction");
    return violationsOf("lease-exclusion", recording)[0]?.explanation;
  };
  const late = "the server ran short of memory; it is recorded only 259 ms later, and may have happened before";
  expect(told(300, 40)).toContain(late);
  expect(told(30, 40)).not.toContain("it is recorded only");
});
