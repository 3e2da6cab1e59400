import { describe, expect, it } from "vitest";
import { PROPERTIES, type Property } from "../../../core/verdict.ts";
import { checkHistory } from "../../check.ts";
import { judge } from "../../testing/judge.ts";
import { Recording } from "../../testing/recording.ts";

type Mode = "shared" | "exclusive";

function accused(recording: Recording): readonly Property[] {
  const { properties } = checkHistory(recording.history);
  return PROPERTIES.filter((property) => properties[property]?.verdict === "invalid");
}

/** One owner is granted the key in one mode and then in the other. */
function changed(from: Mode, to: Mode): Recording {
  return new Recording({ clients: 2, backend: "simulated" })
    .acquire(0, 0, "a", { mode: from })
    .acquire(10, 0, "a", { mode: to });
}

describe.each([
  ["a reader that becomes a writer", "shared", "exclusive"],
  ["a writer that becomes a reader", "exclusive", "shared"],
] as const)("%s", (_, from, to) => {
  it("may end its hold by one release", () => {
    const once = changed(from, to).release(20, 0, "a");
    expect(accused(once.acquire(30, 1, "b", { mode: "exclusive" }).release(40, 1, "b"))).toEqual([]);
  });

  it("may end its hold by two releases, and be told of both", () => {
    const twice = changed(from, to).release(20, 0, "a").release(25, 0, "a");
    expect(accused(twice.acquire(30, 1, "b", { mode: "exclusive" }).release(40, 1, "b"))).toEqual([]);
  });

  it("may still have the key after one release", () => {
    const refused = changed(from, to).release(20, 0, "a").fail(30, 1);
    expect(accused(refused.release(40, 0, "a").acquire(50, 1, "b", { mode: "exclusive" }))).toEqual([]);
  });

  it("holds it until its first release", () => {
    const before = changed(from, to).acquire(15, 1, "b", { mode: "exclusive" });
    expect(accused(before.release(20, 0, "a").release(40, 1, "b"))).toEqual(
      expect.arrayContaining(["mutual-exclusion", "lease-exclusion", "linearizability"]),
    );
  });

  it("is decided in a long history", () => {
    const recording = new Recording({ clients: 2, backend: "simulated" });
    for (let at = 0; at < 10_000; at += 100) {
      recording.acquire(at, 0, `a${at}`, { mode: from }).acquire(at + 10, 0, `a${at}`, { mode: to });
      recording.release(at + 20, 0, `a${at}`).acquire(at + 30, 1, `b${at}`, { mode: "exclusive" });
      recording.release(at + 40, 1, `b${at}`);
    }
    expect(checkHistory(recording.history).properties.linearizability?.verdict).toBe("valid");
  });
});

/** The client is granted the key in one mode, and in the other under another owner value before it has released. */
function renamed(from: Mode, to: Mode, facts: object = { clients: 2 }): Recording {
  return new Recording(facts).acquire(0, 0, "a", { mode: from }).acquire(10, 0, "a2", { mode: to });
}

describe.each([
  ["a reader that becomes a writer", "shared", "exclusive"],
  ["a writer that becomes a reader", "exclusive", "shared"],
] as const)("%s under another owner value", (_, from, to) => {
  const exclusion = expect.arrayContaining(["mutual-exclusion", "lease-exclusion", "linearizability"]);

  it.each([{ clients: 2 }, {}])("may end both holds by one release: %j", (facts) => {
    const once = renamed(from, to, facts).release(20, 0, "a2").acquire(30, 1, "b", { mode: "exclusive" });
    expect(accused(once.release(40, 1, "b"))).toEqual([]);
  });

  it("may have two holds with a release each", () => {
    for (const [first, second] of [["a", "a2"] as const, ["a2", "a"] as const]) {
      const twice = renamed(from, to).release(20, 0, first).release(30, 0, second);
      expect(accused(twice.acquire(40, 1, "b", { mode: "exclusive" }).release(50, 1, "b"))).toEqual([]);
    }
  });

  it("has the newer hold until its release", () => {
    const { history } = renamed(from, to).acquire(15, 1, "b", { mode: "exclusive" }).release(20, 0, "a2");
    const { properties } = checkHistory(history);
    expect(PROPERTIES.filter((property) => properties[property]?.verdict === "invalid")).toEqual(exclusion);
  });

  it("has the older hold, too, once that is extended", () => {
    const extended = renamed(from, to).extend(15, 0, "a").release(20, 0, "a2");
    expect(accused(extended.acquire(30, 1, "b", { mode: "exclusive" }))).toContain("lease-exclusion");
    const first = new Recording({ clients: 2 }).acquire(0, 0, "a", { mode: from }).seekExtension(5, 2, "a", 1000);
    const beside = first.acquire(10, 0, "a2", { mode: to }).extended(15, 2, "a").release(20, 0, "a2");
    expect(accused(beside.acquire(30, 1, "b", { mode: "exclusive" }))).toEqual([]);
  });

  it("may have made the change before it hears of it", () => {
    const waiting = new Recording({ clients: 2 }).acquire(0, 0, "a", { mode: from }).seek(10, 0, { mode: to });
    const between = waiting.acquire(20, 1, "b", { mode: "shared" }).release(25, 1, "b");
    const granted = between.granted(30, 0, "a2").release(40, 0, "a2");
    expect(accused(granted)).toEqual([]);
  });

  it("may know the owner value of a grant whose outcome nobody knows", () => {
    const unknown = new Recording({ clients: 2 }).acquire(0, 0, "a", { mode: from }).seek(10, 0, { mode: to });
    const released = unknown.info(20, 0, "acquire").release(30, 2, "a2").acquire(40, 1, "b", { mode: "exclusive" });
    expect(accused(released)).toEqual([]);
    const other = new Recording({ clients: 2 }).acquire(0, 0, "a", { mode: from }).seek(10, 0, { mode: to });
    const kept = other.info(20, 0, "acquire").acquire(40, 1, "b", { mode: "exclusive" });
    expect(accused(kept.release(50, 2, "a"))).toContain("lease-exclusion");
  });

  it("is decided in a long history", () => {
    const recording = new Recording({ clients: 2 });
    for (let at = 0; at < 10_000; at += 100) {
      recording.acquire(at, 0, `a${at}`, { mode: from }).acquire(at + 10, 0, `c${at}`, { mode: to });
      recording.release(at + 20, 0, `c${at}`).acquire(at + 30, 1, `b${at}`, { mode: "exclusive" });
      recording.release(at + 40, 1, `b${at}`);
    }
    expect(checkHistory(recording.history).properties.linearizability?.verdict).toBe("valid");
  });

  it("counts for one entry again where an acquire of unknown outcome may have had the other mode", () => {
    const unknown = new Recording({ clients: 2 }).seek(0, 0, { mode: to }).info(5, 0, "acquire");
    const twice = unknown.acquire(10, 2, "a", { mode: from }).acquire(20, 2, "a", { mode: to }).release(30, 2, "a");
    expect(accused(twice.acquire(40, 1, "b", { mode: "exclusive" }).release(50, 1, "b"))).toEqual([]);
  });
});

it.each(["shared", "exclusive"] as const)("a hold since before a recording excludes nobody for certain, %s", (mode) => {
  const recording = new Recording({ clients: 4 })
    .seek(7, 3, { mode: "shared" })
    .seek(8, 0, { mode: "shared" })
    .extend(9, 1, "b")
    .granted(11, 0, "a")
    .release(12, 1, "b")
    .release(14, 0, "a")
    .seek(17, 1, { mode })
    .info(18, 1, "acquire")
    .granted(25, 3, "d");
  expect(judge("linearizability", recording)).toBe("valid");
});
