import { describe, expect, it } from "vitest";
import { violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

/** Two holds one after the other, of which the later has the same fencing token; `between` happens between them. */
function twice(between: (written: Recording) => Recording, persistence?: "always"): Recording {
  const facts = {
    clients: 2,
    backend: "simulated",
    topology: "sentinel",
    ...(persistence && { persistence }),
  } as const;
  const first = new Recording(facts).acquire(0, 0, "a", { fence: 3 }).release(10, 0, "a");
  return between(first).acquire(1000, 1, "b", { fence: 3 });
}

function hypothesesOf(written: Recording) {
  return violationsOf("fencing-tokens", written)[0]?.hypotheses ?? [];
}

it("is not why a grant beside another's hold is impossible, where a clock ended the lease", () => {
  const stepped = new Recording({ clients: 2, backend: "simulated" })
    .acquire(0, 0, "a", { fence: 3, ttlMs: 300 })
    .leave(10, 0, "a")
    .fault(10, "clock-jump", { targets: ["node-0"] })
    .acquire(12, 1, "b", { fence: 3, ttlMs: 300 })
    .left(20, 0, false);
  const [impossible] = violationsOf("linearizability", stepped);
  expect([impossible?.cause, impossible?.fault]).toEqual(["clock-jump", 3]);
  expect(impossible?.hypotheses?.map(({ cause }) => cause)).toContain("token-rollback");
});

describe("what made a fencing token counter forget", () => {
  it.each([
    ["failover", "token-rollback"],
    ["promotion", "token-rollback"],
    ["restart-node", "token-rollback"],
    ["power-loss", "token-rollback"],
    ["kill-node", "token-rollback"],
    ["eviction", "eviction"],
  ])("may be %s, called %s", (fault, cause) => {
    const [first, last] = hypothesesOf(twice((it) => it.fault(500, fault)));
    expect([first?.cause, first?.ground]).toEqual([cause, { on: "faults", faults: [4] }]);
    expect([last?.cause, last?.fault]).toEqual(["token-rollback", undefined]);
  });

  it("is nothing that leaves the data where they are", () => {
    const causes = hypothesesOf(twice((it) => it.fault(500, "pause-client"))).map(({ fault }) => fault);
    expect(causes).toEqual([undefined]);
  });

  it("says of a fault that lockstorm does not know that it may have to do with it", () => {
    const [first] = hypothesesOf(twice((it) => it.fault(500, "redis-upgrade")));
    expect(first?.why).toContain("(redis-upgrade happened in between, of which lockstorm does not know what it does)");
    expect(hypothesesOf(twice((it) => it.fault(500, "latency")))[0]?.why).not.toContain("in between");
  });

  it("is a loss of data before two masters that each have a counter", () => {
    const written = new Recording({ clients: 2, backend: "simulated", topology: "sentinel" })
      .fault(100, "partition", { targets: ["node-0"] })
      .fault(300, "promotion", { targets: ["node-1"] })
      .acquire(1000, 0, "a", { fence: 3 })
      .fault(1500, "restart-node", { targets: ["node-1"] })
      .acquire(2500, 1, "b", { fence: 3 });
    const grounds = hypothesesOf(written).map(({ ground }) => ground);
    expect(grounds.slice(0, 2)).toEqual([
      { on: "faults", faults: [4] },
      { on: "faults", faults: [0, 1] },
    ]);
  });

  it.each([
    [undefined, ["fsync"]],
    ["always", []],
  ] as const)("is mended by a fsync, unless the servers do that: persistence %s", (persistence, remedies) => {
    const [first] = hypothesesOf(twice((it) => it.fault(500, "power-loss"), persistence));
    expect(first?.remedies).toEqual(remedies);
    expect(hypothesesOf(twice((it) => it.fault(500, "eviction"), persistence))[0]?.remedies).toEqual([]);
  });
});

it("may be a fault whose name lockstorm does not know, as well as the lock itself", () => {
  const whyOf = (between: (written: Recording) => Recording): string => {
    const first = new Recording({ clients: 2 }).acquire(0, 0, "a", { fence: 1 }).release(10, 0, "a");
    const [violation] = violationsOf("fencing-tokens", between(first).acquire(1000, 1, "b", { fence: 1 }));
    return violation?.explanation ?? "";
  };
  expect(whyOf((written) => written.fault(500, "flushall"))).toMatch(
    /Probably: the fencing token counter was lost, or the lock itself issued the wrong fencing token \(flushall happened/,
  );
  expect(whyOf((written) => written)).toMatch(/Probably: the lock itself issued the wrong fencing token\./);
});
