import { describe, expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { judge } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

const judged = (recording: Recording): string => judge("deadlock-freedom", recording);

/** A client of three dies while it holds, with a TTL of a second. */
const crashed = (facts: object = {}): Recording =>
  new Recording({ clients: 3, ...facts })
    .acquire(0, 0, "a", { ttlMs: 1000 })
    .fault(10, "kill-client", { processes: [0] });

describe("clients that ask at the same time", () => {
  /** A holder has died, and two clients are refused beside each other, for as long as anybody asks. */
  const crowded = (facts: object = {}): Recording => {
    const recording = crashed(facts);
    for (let at = 1000; at < 8000; at += 100)
      recording
        .seek(at, 1)
        .seek(at + 5, 2)
        .refused(at + 10, 1)
        .refused(at + 15, 2);
    return recording;
  };
  const told = ({ history }: Recording): string => checkHistory(history).properties["deadlock-freedom"]?.reason ?? "";

  it("may have refused one another if the lock lives on several servers", () => {
    expect(judged(crowded({ topology: "single" }))).toMatch(/^invalid; never-freed/);
    const open =
      "the lock may be stuck, or, if it lives on several servers, clients that asked at the same time refused one another";
    expect(told(crowded())).toMatch(
      new RegExp(`${open}; if one server decides at a time, write "topology":"single" in the first line$`, "u"),
    );
    expect(told(crowded({ topology: "redlock" }))).toMatch(new RegExp(`${open}$`, "u"));
    expect(judged(crowded({ topology: "redlock", backend: "simulated" }))).not.toBe("unknown");
  });

  it("show nothing where a client is granted the lock later, or one is promised so long a lease", () => {
    expect(judged(crowded().acquire(9000, 1, "b").release(9010, 1, "b"))).toBe("valid");
    const promised = crowded().on("other").acquire(9000, 1, "b", { ttlMs: 1000, validForMs: 30_000 });
    expect(judged(promised.release(9010, 1, "b"))).toBe("valid");
  });

  it("may always refuse one another once", () => {
    const meeting = (recording: Recording, at: number): Recording =>
      recording
        .seek(at, 1)
        .seek(at + 5, 2)
        .refused(at + 10, 1)
        .refused(at + 15, 2);
    const once = meeting(crashed(), 5000);
    expect(judged(once)).toBe("not-applicable");
    expect(judged(meeting(once.acquire(9000, 1, "b").release(9010, 1, "b"), 20_000))).toBe("valid");
  });

  it("may have been refused by one that held before the recording began", () => {
    const before = new Recording({ clients: 3 }).fail(0, 1).seek(60_000, 1).seek(60_005, 2);
    expect(told(before.refused(60_010, 1).refused(60_015, 2))).toContain("before the history began");
  });

  it("are no excuse for a refusal of one that asks alone", () => {
    expect(judged(crowded().fail(9000, 1))).toMatch(/^invalid; never-freed/);
  });
});
