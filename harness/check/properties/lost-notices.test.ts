/** A loss notice about a lock that was entered several times: it may be mistaken, or one entry may be gone, or all. */
import { describe, expect, it } from "vitest";
import { judge } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

const PROPERTIES = [
  "mutual-exclusion",
  "lease-exclusion",
  "fencing-tokens",
  "owner-release",
  "linearizability",
] as const;

/** Client 0 has entered twice, and is told that its lease is gone. */
function told(fence?: number): Recording {
  const token = fence === undefined ? {} : { fence };
  const first = new Recording({ clients: 2 }).acquire(0, 0, "a", token);
  return first.acquire(10, 0, "a", token).lost(20, 0, "a");
}

function accusing(recording: Recording): readonly string[] {
  return PROPERTIES.filter((property) => judge(property, recording).startsWith("invalid"));
}

describe("a loss notice after two entries", () => {
  it.each([
    ["all may be gone: another is granted the lock", told().acquire(30, 1, "b")],
    ["all may be gone: a release finds nothing", told().release(30, 0, "a", false)],
    [
      "all may be gone: its owner begins a new hold",
      told(1).acquire(30, 0, "a", { fence: 2 }).acquire(40, 0, "a", { fence: 2 }),
    ],
    ["one may be gone: the other is released", told().release(30, 0, "a").acquire(40, 1, "b")],
    ["it may be mistaken: both are released", told().release(30, 0, "a").release(35, 0, "a").acquire(40, 1, "b")],
    ["it may be mistaken: its owner enters once more", told(1).acquire(30, 0, "a", { fence: 1 })],
  ])("accuses nobody: %s", (_, recording) => {
    expect(accusing(recording)).toEqual([]);
  });

  it("excuses no other owner, and nothing before it", () => {
    const early = new Recording({ clients: 2 }).acquire(0, 0, "a").acquire(10, 0, "a").acquire(15, 1, "b");
    expect(accusing(early.lost(20, 0, "a"))).toContain("linearizability");
    const others = new Recording({ clients: 3 }).acquire(0, 0, "a").acquire(10, 0, "a").lost(20, 2, "other");
    expect(accusing(others.acquire(30, 1, "b"))).toContain("linearizability");
  });

  it("ends all entries too where a fault may have taken the first, or an acquire of unknown outcome was one", () => {
    const struck = new Recording({ clients: 2 }).acquire(0, 0, "a").fault(5, "restart-node").acquire(10, 0, "a");
    expect(accusing(struck.lost(20, 0, "a").acquire(30, 1, "b"))).toEqual([]);
    const unknown = new Recording({ clients: 2 }).seek(0, 0).info(1, 0, "acquire").acquire(2, 2, "a", { fence: 1 });
    const again = unknown.release(4, 2, "a").acquire(6, 2, "a", { fence: 1 }).lost(8, 2, "a");
    expect(accusing(again.acquire(10, 2, "a", { fence: 2 }))).toEqual([]);
  });
});

describe("a client that dies while it holds", () => {
  const died = (): Recording =>
    new Recording({ clients: 2 })
      .acquire(0, 0, "a")
      .acquire(5, 0, "a")
      .fault(10, "kill-client", { processes: [0] });

  it("leaves a lock that may notice it: no lease is left to keep", () => {
    expect(accusing(died().acquire(20, 1, "b"))).toEqual([]);
  });

  it("excuses no grant before its death", () => {
    const early = new Recording({ clients: 2 }).acquire(0, 0, "a").acquire(5, 1, "b");
    expect(accusing(early.fault(10, "kill-client", { processes: [0] }))).toContain("linearizability");
  });
});
