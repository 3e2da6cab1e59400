import { describe, expect, it } from "vitest";
import { Evidence } from "./evidence.ts";
import type { Hold } from "./holds.ts";
import { Recording } from "./testing/recording.ts";

const MS = 1_000_000;

/** All holds of a history, as they were at its end, in the order of their grants. */
function holdsOf(recording: Recording): readonly Hold[] {
  const { header, events } = recording.history;
  const evidence = new Evidence(header);
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
  it("at the invocation of its release, whatever becomes of it", () => {
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

  it("when its client is killed, under whatever number it goes by", () => {
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
    expect(killed(undefined, 9)).toEqual(["kill at 4 ms"]);
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

  it("when its client is granted the key under another owner value", () => {
    expect(ends(new Recording().acquire(0, 0, "a").acquire(5, 0, "b"))).toEqual(["abandoned at 6 ms", undefined]);
    // After an indeterminate end only the number of clients tells that process 2 is client 0.
    const later = (facts: { clients?: number }): Recording =>
      new Recording(facts).acquire(0, 0, "a").write(1, 0, "a", "x").info(2, 0, "write").acquire(5, 2, "b");
    expect(ends(later({ clients: 2 }))).toEqual(["abandoned at 6 ms", undefined]);
    expect(ends(later({}))).toEqual([undefined, undefined]);
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

  it("is two clients when both were alive side by side", () => {
    const recording = new Recording().fail(0, 1).acquire(2, 0, "a").write(4, 0, "a", "x").info(5, 0, "write");
    expect(ends(recording.acquire(7, 1, "a"))).toEqual([undefined, undefined]);
    const fresh = new Recording().acquire(2, 0, "a").write(4, 0, "a", "x").info(5, 0, "write").acquire(7, 1, "a");
    expect(ends(fresh)).toEqual([undefined]);
  });

  it("has the lease of the inner entry, and after its release that of the outer", () => {
    const inner = new Recording().acquire(0, 0, "a", { ttlMs: 1000 }).acquire(500, 0, "a", { ttlMs: 2000 });
    expect(leaseEndsMs(inner)).toEqual([2500]);
    expect(leaseEndsMs(inner.release(600, 0, "a"))).toEqual([1000]);
  });

  it("has, after an extension, the extended lease on all levels", () => {
    const recording = new Recording().acquire(0, 0, "a").acquire(100, 0, "a").extend(500, 0, "a", { ttlMs: 3000 });
    expect(leaseEndsMs(recording)).toEqual([3500]);
    expect(leaseEndsMs(recording.release(600, 0, "a"))).toEqual([3500]);
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

  it("so on all levels of a hold that was entered again", () => {
    const entered = (): Recording => new Recording().acquire(0, 0, "a").acquire(100, 0, "a");
    const asked = entered().seekExtension(400, 0, "a", 100);
    expect(leaseEndsMs(asked.info(450, 0, "extend").release(460, 1, "a"))).toEqual([500]);
    const failed = entered().seekExtension(400, 0, "a", 100).failExtension(450, 0);
    expect(leaseEndsMs(failed.release(460, 0, "a"))).toEqual([1000]);
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

  it("is re-entry, the release and the kill", () => {
    expect(lastSigns(new Recording().acquire(0, 0, "a").acquire(5, 0, "a"))).toEqual([6]);
    expect(lastSigns(new Recording().acquire(0, 0, "a").leave(5, 0, "a"))).toEqual([5]);
    expect(lastSigns(new Recording().acquire(0, 0, "a").fault(9, "kill-client", { processes: [0] }))).toEqual([9]);
  });
});

it("an acquire of unknown outcome is no hold", () => {
  expect(holdsOf(new Recording().seek(0, 0).info(5, 0, "acquire"))).toEqual([]);
});
