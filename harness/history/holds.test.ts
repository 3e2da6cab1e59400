import { describe, expect, it } from "vitest";
import { SharedEvidence } from "../check/evidence/evidence.ts";
import type { Hold } from "./holds.ts";
import { judge } from "../check/testing/judge.ts";
import { Recording } from "../check/testing/recording.ts";

const MS = 1_000_000;

/** All holds of a history, as they were at its end, in the order of their grants. */
function holdsOf(recording: Recording): readonly Hold[] {
  const { header, events } = recording.history;
  const evidence = new SharedEvidence(header);
  const holds: Hold[] = [];
  for (const event of events) {
    for (const { kind, hold } of evidence.push(event).changes) if (kind === "granted") holds.push(hold);
  }
  return holds;
}

function ends(recording: Recording): readonly (string | undefined)[] {
  return holdsOf(recording).map(({ end }) => (end === undefined ? undefined : `${end.by} at ${end.time / MS} ms`));
}

function leaseEndsMs(recording: Recording): readonly number[] {
  return holdsOf(recording).map(({ leaseEnd }) => leaseEnd / MS);
}

describe("a hold ends", () => {
  it("at the invocation of its release, even if the release fails", () => {
    expect(ends(new Recording().acquire(0, 0, "a").release(5, 0, "a"))).toEqual(["release at 5 ms"]);
    expect(ends(new Recording().acquire(0, 0, "a").leave(5, 0, "a").info(9, 0, "release"))).toEqual([
      "release at 5 ms",
    ]);
  });

  it("at a lost notice", () => {
    expect(ends(new Recording().acquire(0, 0, "a").lost(7, 0, "a").release(9, 0, "a"))).toEqual(["lost at 7 ms"]);
  });

  it("not at a lost notice of another owner value", () => {
    expect(ends(new Recording().acquire(0, 0, "a").lost(7, 0, "b"))).toEqual([undefined]);
  });

  it("when its client is killed, also under a later process number", () => {
    const killed = (clients: number | undefined, process: number): readonly unknown[] =>
      ends(
        new Recording(clients === undefined ? {} : { clients })
          .acquire(0, 1, "a")
          .write(2, 1, "a", "x")
          .info(3, 1, "write")
          .fault(4, "kill-client", { processes: [process] }),
      );
    expect(killed(3, 4)).toEqual(["kill at 4 ms"]);
    expect(killed(3, 5)).toEqual([undefined]);
    expect(killed(undefined, 9)).toEqual([undefined]);
  });

  it("perhaps when the client of another process was killed, where process numbers do not tell clients", () => {
    const killed = (process: number): readonly boolean[] =>
      holdsOf(
        new Recording()
          .acquire(0, 1, "a")
          .read(2, 2, 0)
          .fault(4, "kill-client", { processes: [process] }),
      ).map(({ doubtful }) => doubtful);
    expect(killed(9)).toEqual([true]);
    expect(
      holdsOf(
        new Recording()
          .fail(0, 2)
          .acquire(3, 1, "a")
          .read(5, 2, 0)
          .fault(9, "kill-client", { processes: [2] }),
      ).map(({ doubtful, end }) => [doubtful, end]),
    ).toEqual([[false, undefined]]);
  });

  it("not when the client of another process was killed and its own asks for something later", () => {
    const killed = (later: (recording: Recording) => Recording): string =>
      judge(
        "lease-exclusion",
        later(
          new Recording()
            .acquire(0, 1, "a")
            .seekExtension(2, 1, "a", 1000)
            .fault(4, "kill-client", { processes: [9] })
            .acquire(10, 2, "b"),
        ),
      );
    expect(killed((recording) => recording.info(20, 1, "extend"))).toBe("valid");
    expect(killed((recording) => recording.extended(20, 1, "a").leave(30, 1, "a"))).toMatch(/^invalid/);
  });

  it("not when the kill was not seen, was healed, or names nobody", () => {
    const recording = (): Recording => new Recording({ clients: 2 }).acquire(0, 0, "a");
    expect(ends(recording().fault(4, "kill-client", { processes: [0], outcome: "indeterminate" }))).toEqual([
      undefined,
    ]);
    expect(ends(recording().fault(4, "kill-client", { processes: [0], phase: "heal" }))).toEqual([undefined]);
    expect(ends(recording().fault(4, "kill-client"))).toEqual([undefined]);
    expect(ends(recording().fault(4, "pause-client", { processes: [0] }))).toEqual([undefined]);
  });

  it("when a release finds nothing", () => {
    const missed = new Recording().acquire(0, 0, "a").acquire(2, 0, "a").release(5, 0, "a", false);
    expect(ends(missed)).toEqual(["lost at 6 ms"]);
    const underWay = new Recording({ clients: 2 }).acquire(0, 0, "a").leave(5, 0, "a").acquire(6, 2, "a");
    expect(ends(underWay.left(8, 0, false))).toEqual(["release at 5 ms", undefined]);
  });

  it("not when its client is granted another key", () => {
    expect(ends(new Recording().acquire(0, 0, "a").on("other").acquire(5, 0, "b"))).toEqual([undefined, undefined]);
  });

  it("by a release under any number, of the same client first", () => {
    expect(ends(new Recording().acquire(0, 0, "a").release(5, 7, "a"))).toEqual(["release at 5 ms"]);
    const twins = new Recording({ clients: 2 }).acquire(0, 0, "same").acquire(2, 1, "same").release(5, 1, "same");
    expect(ends(twins)).toEqual([undefined, "release at 5 ms"]);
  });
});

describe("an owner that acquires again", () => {
  it("re-enters, and holds until it has released as often", () => {
    const recording = new Recording().acquire(0, 0, "a").acquire(5, 0, "a").release(7, 0, "a").release(9, 0, "a");
    expect(ends(recording)).toEqual(["release at 9 ms"]);
  });

  it("re-enters under a later number of the same client", () => {
    const recording = (clients: number): Recording =>
      new Recording({ clients }).acquire(0, 0, "a").write(1, 0, "a", "x").info(2, 0, "write").acquire(5, 2, "a");
    expect(ends(recording(2))).toEqual([undefined]);
    expect(ends(recording(3))).toEqual([undefined, undefined]);
  });

  it("may be a thread of the same client when both were alive side by side", () => {
    const recording = new Recording().fail(0, 1).acquire(2, 0, "a").write(4, 0, "a", "x").info(5, 0, "write");
    expect(ends(recording.acquire(7, 1, "a"))).toEqual([undefined]);
    const fresh = new Recording().acquire(2, 0, "a").write(4, 0, "a", "x").info(5, 0, "write").acquire(7, 1, "a");
    expect(ends(fresh)).toEqual([undefined]);
  });

  it("has one lease, which the last entry or extension sets and no inner release changes", () => {
    const longer = new Recording().acquire(0, 0, "a", { ttlMs: 1000 }).acquire(500, 0, "a", { ttlMs: 2000 });
    expect(leaseEndsMs(longer)).toEqual([2500]);
    expect(leaseEndsMs(longer.release(600, 0, "a"))).toEqual([2500]);
    const shorter = new Recording().acquire(0, 0, "a", { ttlMs: 1000 }).acquire(100, 0, "a", { ttlMs: 200 });
    expect(leaseEndsMs(shorter.release(150, 0, "a"))).toEqual([300]);
    const extended = new Recording().acquire(0, 0, "a").acquire(100, 0, "a").extend(500, 0, "a", { ttlMs: 3000 });
    expect(leaseEndsMs(extended.release(600, 0, "a"))).toEqual([3500]);
  });

  it("begins a new hold once its lease may be over, and is done with one release", () => {
    const again = (atMs: number, fault?: string): Recording => {
      const first = new Recording().acquire(0, 0, "a", { ttlMs: 100 });
      return (fault === undefined ? first : first.fault(10, fault)).acquire(atMs, 0, "a", { ttlMs: 100 });
    };
    expect(ends(again(98))).toEqual([undefined]);
    expect(ends(again(100))).toEqual(["abandoned at 101 ms", undefined]);
    expect(ends(again(600).release(650, 0, "a"))).toEqual(["abandoned at 601 ms", "release at 650 ms"]);
    expect(ends(again(50, "restart-node"))).toEqual(["abandoned at 51 ms", undefined]);
    expect(ends(again(50, "pause-client"))).toEqual([undefined]);
  });
});

describe("a client that is granted the key under another owner value", () => {
  const forgotten = (recording: Recording): readonly boolean[] => holdsOf(recording).map((hold) => hold.forgotten);

  it("has forgotten its older hold, whose lease goes on", () => {
    const two = (): Recording => new Recording().acquire(0, 0, "a").acquire(5, 0, "b");
    expect(forgotten(two())).toEqual([true, false]);
    expect(ends(two())).toEqual([undefined, undefined]);
    expect(ends(two().release(10, 0, "a"))).toEqual(["release at 10 ms", undefined]);
    expect(ends(two().lost(10, 0, "a"))).toEqual(["lost at 10 ms", undefined]);
    expect(ends(two().fault(10, "kill-client", { processes: [0] }))).toEqual(["kill at 10 ms", "kill at 10 ms"]);
    expect(ends(two().extend(900, 0, "b").fail(1001, 1))).toEqual(["abandoned at 1001 ms", undefined]);
    expect(ends(two().extend(900, 0, "a").fail(1001, 1))).toEqual([undefined, undefined]);
    expect(ends(two().acquire(500, 0, "a"))).toEqual(["abandoned at 501 ms", undefined, undefined]);
  });

  it("has not where nobody can tell that it is the same client", () => {
    // After an indeterminate end only the number of clients tells that process 2 is client 0.
    const later = (facts: { clients?: number }): Recording =>
      new Recording(facts).acquire(0, 0, "a").write(1, 0, "a", "x").info(2, 0, "write").acquire(5, 2, "b");
    expect(forgotten(later({ clients: 2 }))).toEqual([true, false]);
    expect(forgotten(later({}))).toEqual([false, false]);
  });

  it("shows nothing of it any more", () => {
    const signed = new Recording().acquire(0, 0, "a").acquire(5, 0, "b").release(10, 0, "a");
    expect(holdsOf(signed)[0]?.lastSignTime).toBe(1 * MS);
  });
});

describe("a lease ends", () => {
  it("the validity after the lock answered", () => {
    expect(leaseEndsMs(new Recording().acquire(10, 0, "a", { validForMs: 500 }))).toEqual([511]);
    expect(leaseEndsMs(new Recording().acquire(10, 0, "a", { validForMs: 500, grantedAtMs: 10.25 }))).toEqual([510.25]);
  });

  it("the validity after the completion, when the lock claims to have answered later", () => {
    expect(leaseEndsMs(new Recording().acquire(10, 0, "a", { validForMs: 500, grantedAtMs: 90 }))).toEqual([511]);
  });

  it("the TTL after the invocation, where no validity is reported", () => {
    expect(leaseEndsMs(new Recording().acquire(10, 0, "a", { ttlMs: 700 }))).toEqual([710]);
    expect(leaseEndsMs(new Recording().acquire(10, 0, "a", { ttlMs: 700, grantedAtMs: 10.5 }))).toEqual([710]);
  });

  it("as the last extension that succeeded says", () => {
    const extended = new Recording().acquire(0, 0, "a").extend(400, 0, "a", { ttlMs: 100 });
    expect(leaseEndsMs(extended)).toEqual([500]);
    expect(leaseEndsMs(new Recording().acquire(0, 0, "a").extend(400, 0, "a", { validForMs: 50 }))).toEqual([451]);
  });

  it("as an extension to a shorter lease asks for, from its invocation on, until it certainly failed", () => {
    const asked = (): Recording => new Recording().acquire(0, 0, "a").seekExtension(400, 0, "a", 100);
    expect(leaseEndsMs(asked())).toEqual([500]);
    expect(leaseEndsMs(asked().info(450, 0, "extend"))).toEqual([500]);
    expect(leaseEndsMs(asked().failExtension(450, 0))).toEqual([1000]);
    expect(leaseEndsMs(asked().extended(450, 0, "a", { validForMs: 300 }))).toEqual([750]);
    expect(leaseEndsMs(new Recording().acquire(0, 0, "a").seekExtension(400, 0, "a", 5000))).toEqual([1000]);
  });

  it("as an extension to a shorter lease asks for that failed while a fault may have kept its reply back", () => {
    const ended = (f: string, healedAtMs?: number): readonly number[] => {
      const asked = new Recording().acquire(0, 0, "a").fault(300, f);
      if (healedAtMs !== undefined) asked.fault(healedAtMs, f, { phase: "heal" });
      return leaseEndsMs(asked.seekExtension(400, 0, "a", 100).failExtension(450, 0));
    };
    for (const f of ["stall", "latency", "partition", "pause-node", "of-another-tool"])
      expect(ended(f), f).toEqual([500]);
    expect(ended("stall", 350)).toEqual([1000]);
    for (const f of ["clock-rate", "eviction"]) expect(ended(f), f).toEqual([1000]);
    const reset = new Recording().acquire(0, 0, "a").seekExtension(400, 0, "a", 100).fault(420, "reset");
    expect(leaseEndsMs(reset.failExtension(450, 0))).toEqual([500]);
  });

  it("as a re-entry with a shorter lease asks for, from its invocation on, until it certainly failed", () => {
    const asked = (): Recording => new Recording({ clients: 2 }).acquire(0, 0, "a").seek(400, 0, { ttlMs: 100 });
    expect(leaseEndsMs(asked())).toEqual([500]);
    expect(leaseEndsMs(asked().info(450, 0, "acquire"))).toEqual([500]);
    expect(leaseEndsMs(asked().refused(450, 0))).toEqual([1000]);
    expect(leaseEndsMs(asked().granted(450, 0, "a"))).toEqual([500]);
    expect(leaseEndsMs(new Recording({ clients: 2 }).acquire(0, 0, "a").seek(400, 1, { ttlMs: 100 }))).toEqual([1000]);
  });

  it("with what an extension asked for that nobody knows the outcome of, also after a longer one", () => {
    const unknown = (): Recording =>
      new Recording().acquire(0, 0, "a", { ttlMs: 3000 }).seekExtension(10, 0, "a", 30).info(20, 0, "extend");
    expect(leaseEndsMs(unknown())).toEqual([40]);
    expect(leaseEndsMs(unknown().extend(21, 2, "a", { ttlMs: 3000 }))).toEqual([51]);
    expect(leaseEndsMs(unknown().extend(21, 2, "a", { ttlMs: 20 }))).toEqual([41]);
    const longer = unknown().seekExtension(21, 2, "a", 500).info(22, 2, "extend");
    expect(leaseEndsMs(longer.extend(23, 4, "a", { ttlMs: 3000 }))).toEqual([53]);
    const failed = new Recording().acquire(0, 0, "a").seekExtension(10, 0, "a", 30).failExtension(20, 0);
    expect(leaseEndsMs(failed.extend(21, 2, "a", { ttlMs: 3000 }))).toEqual([3021]);
  });

  it("unchanged by an extension of another's, or of a hold that has ended", () => {
    expect(leaseEndsMs(new Recording().acquire(0, 0, "a").extend(400, 1, "b", { ttlMs: 5000 }))).toEqual([1000]);
    const ended = new Recording().acquire(0, 0, "a").release(5, 0, "a").extend(400, 0, "a", { ttlMs: 5000 });
    expect(leaseEndsMs(ended)).toEqual([1000]);
  });

  it("vaguely where the lock may have waited and reports no validity", () => {
    const vague = (waitMs: number, details: { validForMs?: number }): readonly boolean[] =>
      holdsOf(new Recording().seek(0, 0, { waitMs }).granted(50, 0, "a", details)).map((hold) => hold.vague);
    expect(vague(100, {})).toEqual([true]);
    expect(vague(0, {})).toEqual([false]);
    expect(vague(100, { validForMs: 10 })).toEqual([false]);
  });
});

describe("the last sign of a hold", () => {
  const lastSigns = (recording: Recording): readonly number[] =>
    holdsOf(recording).map((hold) => hold.lastSignTime / MS);

  it("is an operation on the key by its client", () => {
    expect(lastSigns(new Recording().acquire(0, 0, "a").read(5, 0, 0))).toEqual([6]);
    expect(lastSigns(new Recording().acquire(0, 0, "a").write(5, 0, "a", "x").wrote(8, 0, 1))).toEqual([8]);
  });

  it("is none of another client, of another owner value or on another key", () => {
    expect(lastSigns(new Recording({ clients: 2 }).acquire(0, 0, "a").read(5, 1, 0))).toEqual([1]);
    expect(lastSigns(new Recording({ clients: 2 }).acquire(0, 0, "a").write(5, 1, "a", "x"))).toEqual([1]);
    expect(lastSigns(new Recording().acquire(0, 0, "a").write(5, 0, "old", "x"))).toEqual([1]);
    expect(lastSigns(new Recording().acquire(0, 0, "a").on("other").read(5, 0, 0))).toEqual([1]);
  });

  it("is no acquire that may have forgotten it", () => {
    expect(lastSigns(new Recording().acquire(0, 0, "a").fail(5, 0))).toEqual([1]);
    expect(lastSigns(new Recording().acquire(0, 0, "a").acquire(5, 0, "b"))).toEqual([1, 6]);
  });

  it("is no look at the lock", () => {
    expect(lastSigns(new Recording().acquire(0, 0, "a").observe(5, 0, 100))).toEqual([1]);
  });

  it("is re-entry and the release, and not the kill", () => {
    expect(lastSigns(new Recording().acquire(0, 0, "a").acquire(5, 0, "a"))).toEqual([6]);
    expect(lastSigns(new Recording().acquire(0, 0, "a").leave(5, 0, "a"))).toEqual([5]);
    expect(lastSigns(new Recording().acquire(0, 0, "a").fault(9, "kill-client", { processes: [0] }))).toEqual([1]);
  });
});

it("an acquire of unknown outcome is no hold", () => {
  expect(holdsOf(new Recording().seek(0, 0).info(5, 0, "acquire"))).toEqual([]);
});
