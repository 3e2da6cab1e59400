import { describe, expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { judge, violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

const judged = (recording: Recording): string => judge("first-come-first-served", recording);
const recorded = (facts = {}): Recording => new Recording({ clients: 3, backend: "simulated", ...facts });
const LONG: { ttlMs: number; waitMs: number; alsoKeys?: readonly string[] } = { ttlMs: 5000, waitMs: 5000 };

/** client-0 holds; client-1 stands in the queue at 20 ms; client-2 asks at 30 ms, and is granted the lock at 110 ms. */
const passed = (recording = recorded(), { waiter = LONG, late = LONG } = {}): Recording =>
  recording
    .acquire(0, 0, "x", LONG)
    .seek(10, 1, waiter)
    .queued(20, 1)
    .seek(30, 2, late)
    .release(100, 0, "x")
    .granted(110, 2, "z");

/** client-1 is granted the lock when client-2 has given it back. */
const served = (recording: Recording, grantedAtMs = 201): Recording =>
  recording.release(200, 2, "z").granted(210, 1, "y", { grantedAtMs });

describe("a client that stood in the queue before another asked", () => {
  it("was overtaken if its lease counts from after the grant to the other", () => {
    expect(judged(served(passed()))).toBe("invalid; overtaken 2,3,4,7,10");
    expect(violationsOf("first-come-first-served", served(passed()))[0]?.explanation).toBe(
      "client-1 stood in the queue for k at 20 ms. client-2 asked for it after that, at 30 ms, and was granted it at 110 ms; client-1 was still waiting, and was granted it at 210 ms. The lock let client-2 pass the queue.",
    );
  });

  it("is not judged in a history of another program, which may not name every fault, and the reason says so", () => {
    const elsewhere = served(passed(new Recording({ clients: 3 })));
    expect(checkHistory(elsewhere.history, { foreign: true }).properties["first-come-first-served"]).toEqual({
      verdict: "not-applicable",
      reason: "only a history that lockstorm recorded names every fault, and a lock may drop a waiter because of one",
      violations: [],
    });
  });

  it("waits for its turn from the grant to the other until its own", () => {
    expect(violationsOf("first-come-first-served", served(passed()))[0]?.overlap).toEqual({ from: 110e6, to: 210e6 });
  });

  /** client-0 gave the key back before, and its release said nothing at this time. */
  const afterSilentRelease = (infoAtMs: number): Recording =>
    recorded()
      .acquire(0, 0, "x", LONG)
      .leave(10, 0, "x")
      .info(infoAtMs, 0, "release")
      .acquire(620, 3, "w", LONG)
      .seek(630, 1, LONG)
      .queued(640, 1)
      .seek(650, 2, LONG)
      .release(700, 3, "w")
      .granted(710, 2, "z")
      .release(800, 2, "z")
      .granted(810, 1, "y", { grantedAtMs: 801 });

  it("was overtaken also after a prompt release that says nothing, as that of some locks", () => {
    expect(judged(afterSilentRelease(30))).toMatch(/^invalid; overtaken /);
    expect(judged(afterSilentRelease(520))).not.toMatch(/^invalid/);
  });

  it("was served in turn if it is granted first", () => {
    const inTurn = recorded()
      .acquire(0, 0, "x", LONG)
      .seek(10, 1, LONG)
      .queued(20, 1)
      .seek(30, 2, LONG)
      .release(100, 0, "x")
      .granted(110, 1, "y", { grantedAtMs: 101 });
    expect(judged(inTurn)).toBe("valid");
  });

  it("may have been granted it first where only the answer is late", () => {
    expect(judged(served(passed(), 109))).toBe("valid");
    expect(judged(passed().release(200, 2, "z").granted(210, 1, "y"))).toBe("valid");
  });

  it("may have been granted it first where a lease from its invocation on was over when the other was granted", () => {
    const long = passed(recorded(), { waiter: { ...LONG, ttlMs: 104 } });
    expect(judged(served(long))).toMatch(/^invalid/);
    const short = passed(recorded(), { waiter: { ...LONG, ttlMs: 103 } });
    expect(judged(served(short))).toBe("valid");
  });

  it("may have been granted it first for no longer than the lock grants leases, shorter ones than were asked for", () => {
    const grant = (validForMs: number) =>
      passed().release(200, 2, "z").granted(210, 1, "y", { grantedAtMs: 201, validForMs });
    expect(judged(grant(102))).toBe("valid");
    expect(judged(grant(104))).toMatch(/^invalid/);
  });

  it("is still overtaken where a fault was skipped, or comes much later", () => {
    expect(judged(served(passed().fault(150, "latency", { outcome: "skipped" })))).toMatch(/^invalid/);
    expect(judged(served(passed()).fault(1211, "latency"))).toMatch(/^invalid/);
  });
});

describe("a place in the queue", () => {
  it("counts from when the lock spoke of it last: it may have lost the place before", () => {
    const lost = passed(recorded().acquire(0, 0, "x", LONG).seek(10, 1, LONG).queued(20, 1)).queued(120, 1);
    expect(judged(served(lost))).not.toMatch(/^invalid/);
    const asked = recorded().acquire(0, 0, "x", LONG).seek(10, 1, LONG).queued(20, 1).seek(30, 2, LONG);
    const behind = asked.queued(90, 1).release(100, 0, "x").granted(110, 2, "z");
    expect(judged(served(behind))).not.toMatch(/^invalid/);
    const told = recorded().acquire(0, 0, "x", LONG).seek(10, 1, LONG).queued(15, 1);
    const again = told.queued(20, 1).seek(30, 2, LONG).release(100, 0, "x").granted(110, 2, "z");
    expect(judged(served(again))).toMatch(/^invalid/);
  });

  it("is at the end of the queue where the lock spoke of it again: those before it stay before it", () => {
    const four = recorded({ clients: 4 }).acquire(0, 0, "x", LONG);
    const queue = four.seek(10, 1, LONG).queued(20, 1).seek(21, 2, LONG).queued(22, 2);
    const passing = queue.seek(30, 3, LONG).queued(50, 1).release(100, 0, "x").granted(110, 3, "z");
    expect(judged(passing.release(200, 3, "z").granted(210, 2, "y", { grantedAtMs: 201 }))).toMatch(/^invalid/);
  });

  it("is passed by a client that had released as often as it had entered, and by one whose other acquire failed", () => {
    const twice = recorded().acquire(0, 2, "w", LONG).acquire(2, 5, "w", LONG);
    expect(judged(served(passed(twice.release(4, 2, "w").release(6, 2, "w"))))).toMatch(/^invalid/);
    const forgotten = recorded().acquire(0, 2, "v", LONG).acquire(2, 2, "w", LONG).release(4, 2, "w");
    expect(judged(served(passed(forgotten)))).toMatch(/^invalid/);
    expect(judged(served(passed(recorded().seek(0, 3, LONG))))).toMatch(/^invalid/);
  });

  it("may be kept for a client that gives up, and is gone once it is granted the lock", () => {
    const gaveUp = (): Recording => recorded().seek(0, 2, LONG).refused(1, 2);
    expect(judged(served(passed(gaveUp())))).not.toMatch(/^invalid/);
    const grantedSince = gaveUp().seek(2, 2, LONG).granted(3, 2, "w").release(4, 2, "w");
    expect(judged(served(passed(grantedSince)))).toMatch(/^invalid/);
    const earlier = recorded().seek(0, 1, LONG).refused(1, 1);
    expect(judged(served(passed(earlier)))).toMatch(/^invalid/);
  });

  it("is passed by the first that is granted the lock: another may come after the lease that might excuse it", () => {
    const short = passed(recorded(), { waiter: { ttlMs: 300, waitMs: 5000 } }).release(200, 2, "z");
    const twice = short.seek(210, 2, LONG).granted(400, 2, "v").release(410, 2, "v");
    expect(judged(twice.granted(420, 1, "y", { grantedAtMs: 411 }))).toMatch(/^invalid/);
  });
});

describe("nothing is certain", () => {
  const unqueued = recorded().acquire(0, 0, "x", LONG).seek(10, 1, LONG);
  it.each<[string, Recording]>([
    ["where no client was told that it is queued", served(unqueued.seek(30, 2, LONG).granted(110, 2, "z"))],
    [
      "where the other asked before the queue was certain",
      served(
        recorded().acquire(0, 0, "x", LONG).seek(10, 1, LONG).seek(15, 2, LONG).queued(20, 1).granted(110, 2, "z"),
      ),
    ],
    ["of one that does not wait", served(passed(recorded(), { late: { ...LONG, waitMs: 0 } }))],
    ["of several keys at once", served(passed(recorded(), { late: { ...LONG, alsoKeys: ["k2"] } }))],
    ["of a re-entry", served(passed(recorded().acquire(0, 2, "w", LONG)))],
    ["of a re-entry under another process number", served(passed(recorded().acquire(0, 5, "w", LONG)))],
    [
      "of a hold that was entered twice and released once",
      served(passed(recorded().acquire(0, 2, "w", LONG).acquire(2, 2, "w", LONG).release(4, 2, "w"))),
    ],
    [
      "of a client that asked once more, and was never answered",
      served(
        recorded()
          .acquire(0, 0, "x", LONG)
          .seek(10, 1, LONG)
          .queued(20, 1)
          .seek(30, 2, LONG)
          .seek(40, 5, LONG)
          .release(100, 0, "x")
          .granted(110, 2, "z"),
      ),
    ],
    [
      "of a client that gave back an older hold only",
      served(passed(recorded().acquire(0, 2, "v", LONG).acquire(2, 2, "w", LONG).release(4, 2, "v"))),
    ],
    ["of a client whose other acquire was never answered", served(passed(recorded().seek(0, 5, LONG)))],
    ["after a fault", served(passed(recorded().fault(0, "latency")))],
    ["where a fault is recorded within a second", served(passed()).fault(1210, "latency")],
    ["after an unknown outcome", served(passed(recorded().seek(0, 5, LONG).info(1, 5, "acquire")))],
    ["of a semaphore", served(passed(recorded().acquire(0, 5, "w", { limit: 2 }).release(2, 5, "w")))],
    ["of a history that somebody else recorded", served(passed(new Recording({ clients: 3 })))],
  ])("%s", (_, recording) => {
    expect(judged(recording)).not.toMatch(/^invalid/);
  });

  it("where something did not run, within a second", () => {
    const frozenFrom = (atMs: number) => {
      const { header, events } = served(passed()).history;
      const value = { targets: ["client-1"], from: atMs * 1e6, to: 3e9, evidence: "it did not run" };
      const notice = { process: "harness", type: "notice", f: "freeze", value } as const;
      return checkHistory({ header, events: [...events, { ...notice, index: events.length, time: 3e9 }] });
    };
    expect(frozenFrom(1210).properties["first-come-first-served"]?.verdict).not.toBe("invalid");
    expect(frozenFrom(1211).properties["first-come-first-served"]?.verdict).toBe("invalid");
  });

  it("where nobody asks for the key after the one that stands in the queue", () => {
    const alone = recorded().acquire(0, 0, "x", LONG).seek(10, 1, LONG).queued(20, 1).release(100, 0, "x");
    expect(judged(alone.granted(110, 1, "y", { grantedAtMs: 101 }))).toBe("not-applicable");
  });

  it("of a waiter that gives up", () => {
    expect(judged(passed().refused(150, 1))).toBe("not-applicable");
  });
});
