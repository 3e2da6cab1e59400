import { describe, expect, it } from "vitest";
import { PROPERTIES, type Property } from "../../../core/verdict.ts";
import { checkHistory } from "../../check.ts";
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
