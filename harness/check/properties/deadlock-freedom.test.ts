import { describe, expect, it } from "vitest";
import { ENDLESS_TTL_MS } from "../../history/holds/endless-lease.ts";
import { checkHistory } from "../check.ts";
import { judge, violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

const judged = (recording: Recording): string => judge("deadlock-freedom", recording);

/** A client of three dies while it holds, with a TTL of a second. */
const crashed = (topology?: string, backend?: string): Recording =>
  new Recording({
    clients: 3,
    ...(topology === undefined ? {} : { topology }),
    ...(backend === undefined ? {} : { backend }),
  })
    .acquire(0, 0, "a", { ttlMs: 1000 })
    .fault(10, "kill-client", { processes: [0] });

describe("a lock that somebody may have held before the history began", () => {
  const refused = (facts = {}): Recording => new Recording(facts).fail(0, 1).fail(3010, 1).fail(60_000, 1);

  it("is not known to be stuck before anybody was granted it", () => {
    expect(judged(refused())).toBe("unknown");
    expect(judged(refused({ backend: "simulated" }))).toMatch(/^invalid; never-freed/);
    expect(judged(refused().acquire(70_000, 1, "b").release(70_010, 1, "b"))).toBe("valid");
  });

  it("is stuck once a grant or an extension shows how long its lease lasts", () => {
    const extended = new Recording().extend(0, 0, "a", { ttlMs: 1000 });
    expect(judged(extended.fail(60_000, 1))).toMatch(/^invalid; never-freed/);
    const granted = new Recording().fail(0, 1).acquire(10, 0, "a").fail(60_000, 1);
    expect(judged(granted)).toBe("valid");
    expect(judged(granted.fault(60_010, "kill-client", { processes: [0] }).fail(90_000, 1))).toMatch(/^invalid/);
  });

  it("is said to be without a holder only since the last one, and beside an acquire of unknown outcome", () => {
    const reason = ({ history }: Recording): string | undefined =>
      checkHistory(history).properties["deadlock-freedom"]?.reason;
    const never =
      "k was refused as contended at 60,001 ms although nobody is known to have held it, but somebody may have held it since before the history began, for an unknown time";
    expect(reason(refused())).toBe(never);
    const readers = new Recording({ clients: 2 })
      .acquire(0, 0, "r", { mode: "shared" })
      .release(500, 0, "r")
      .fail(60_000, 1);
    expect(reason(readers)).toBe(never.replace("to have held it,", "to have held it since 501 ms,"));
    const asked = new Recording({ clients: 2 }).seek(10, 0).info(20, 0, "acquire").fail(60_000, 1);
    expect(reason(asked)).toBe(
      never.replace("but somebody", "but nobody knows the outcome of the acquire of client-0 at 10 ms, and somebody"),
    );
  });

  it("may have any expiry until then, but not none", () => {
    const seen = (pttlMs: number): Recording => new Recording().fail(0, 1).observe(10, 2, pttlMs);
    expect(judged(seen(60_000))).not.toMatch(/^invalid/);
    expect(judged(seen(-1))).toMatch(/^invalid/);
  });
});

describe("a lock is stuck", () => {
  it("when a try is refused later than TTL and slack after the last holder ended", () => {
    expect(judged(crashed().fail(3011, 1))).toBe("invalid; never-freed 1,2,3,4");
  });

  it("not when the requests to several servers may have used up the lease that was asked for", () => {
    const slow = (topology: string | undefined, tookMs: number, waitMs = 0): string =>
      judged(
        crashed(topology)
          .seek(6000, 1, { ttlMs: 1000, waitMs })
          .refused(6000 + waitMs + tookMs, 1)
          .acquire(9000, 1, "b", { ttlMs: 1000 }),
      );
    for (const topology of ["redlock", undefined]) {
      expect(slow(topology, 501)).toBe("valid");
      expect(slow(topology, 500)).toMatch(/^invalid; never-freed/);
      expect(slow(topology, 500, 900)).toMatch(/^invalid; never-freed/);
      expect(slow(topology, 501, 900)).toBe("valid");
    }
    // The server said that another client has the key, however late.
    for (const topology of ["single", "sentinel"]) expect(slow(topology, 2500)).toMatch(/^invalid; never-freed/);
  });

  it("and is said to be what it must be: free after a release, free by itself after a death", () => {
    const told = (recording: Recording): string =>
      violationsOf("deadlock-freedom", recording.fail(6000, 1))[0]?.explanation ?? "";
    const free = "the lock was not free although its holder had released it";
    expect(told(crashed())).toContain(
      "ended its holder, and a lock must become free by itself even if its holder dies",
    );
    expect(told(crashed())).not.toContain(free);
    const released = new Recording({ clients: 3 }).acquire(0, 0, "a").release(10, 0, "a");
    expect(told(released)).toContain(free);
    expect(told(released)).not.toContain("dies");
  });

  it("or a client was not woken that waited for it", () => {
    const told = (waitMs: number): string =>
      violationsOf(
        "deadlock-freedom",
        new Recording({ clients: 2, topology: "single" })
          .acquire(0, 0, "a")
          .release(10, 0, "a")
          .seek(4000, 1, { waitMs })
          .refused(6000, 1),
      )[0]?.explanation ?? "";
    const woken = "or it was, and a client that waited for it was not woken";
    expect(told(1500)).toContain(woken);
    expect(told(0)).toContain("the lock was not free although its holder had released it");
    expect(told(0)).not.toContain(woken);
  });

  it("and the TTL that was asked for is told as it was, however coarse the clock is", () => {
    const { header, events } = new Recording({ clients: 2 })
      .acquire(0, 0, "a", { ttlMs: 300 })
      .release(50, 0, "a")
      .seek(4000, 1, { ttlMs: 300 })
      .refused(4001, 1).history;
    const rounded = events.map((event) => ({ ...event, time: Math.floor(event.time / 50e6) * 50e6 }));
    const { properties } = checkHistory({ header, events: rounded }, { foreign: true });
    const [violation] = properties["deadlock-freedom"]?.violations ?? [];
    expect(violation?.explanation).toContain("No client had asked for a TTL of more than 300 ms.");
    const promised = events.map((event) =>
      event.index === 1 ? { ...event, value: { owner: "a", validForMs: 400 } } : event,
    );
    expect(
      checkHistory({ header, events: promised as typeof events }, { foreign: true }).properties["deadlock-freedom"]
        ?.violations?.[0]?.explanation,
    ).toContain("No client had asked for, or had been promised, a TTL of more than 400 ms.");
  });

  it("not while a lease may last that is longer than anybody asked for, by what the lock promised", () => {
    const fixed = (): Recording =>
      new Recording({ clients: 3, backend: "live" })
        .acquire(0, 0, "a", { ttlMs: 1000, validForMs: 10_000 })
        .fault(10, "kill-client", { processes: [0] });
    expect(judged(fixed().fail(9000, 1).acquire(11_000, 1, "b"))).toBe("valid");
    expect(judged(fixed().fail(12_100, 1))).toMatch(/^invalid; never-freed/);
  });

  it("and is not said to have been released, or to be nobody's, where an outcome is unknown", () => {
    const told = (recording: Recording): string =>
      violationsOf("deadlock-freedom", recording.fail(6000, 1))[0]?.explanation ?? "";
    const recorded = (): Recording => new Recording({ clients: 3, backend: "live" }).acquire(0, 0, "a");
    const free = "although its holder had released it";
    const silent = recorded().leave(10, 0, "a").info(20, 0, "release");
    expect(told(silent)).toContain("called release at 10 ms, with an unknown outcome");
    expect(told(silent)).not.toContain(free);
    const dying = recorded()
      .leave(10, 0, "a")
      .fault(20, "kill-client", { processes: [0] });
    expect(told(dying)).toContain("called release at 10 ms, with an unknown outcome");
    const asking = recorded().release(10, 0, "a").seek(20, 2).info(30, 2, "acquire");
    expect(told(asking)).toContain(
      "he lock had not become free by itself after the acquire of client-2 at 20 ms, which may have taken it: its outcome is unknown",
    );
    expect(told(asking)).not.toContain(free);
    const since = recorded().release(10, 0, "a").seek(20, 2).info(30, 2, "acquire");
    expect(told(since.acquire(40, 1, "b").release(50, 1, "b"))).toContain(free);
  });

  it("and accuses only the death of a client that may have left the lock behind", () => {
    const told = (recording: Recording): string =>
      violationsOf("deadlock-freedom", recording.fail(6000, 1))[0]?.explanation ?? "";
    const released = new Recording({ clients: 3 }).acquire(0, 0, "a").release(10, 0, "a");
    expect(told(released.fault(20, "kill-client", { processes: [2] }))).not.toContain("kill-client");
    const asking = new Recording({ clients: 3, backend: "simulated" })
      .acquire(0, 0, "a")
      .release(10, 0, "a")
      .seek(15, 2);
    expect(told(asking.fault(20, "kill-client", { processes: [2] }))).toContain(
      "Probably: kill-client at 20 ms (event 5) ended a client that had asked for it and may have got it, and",
    );
    const leaving = new Recording({ clients: 3, backend: "simulated" }).acquire(0, 0, "a").leave(15, 0, "a");
    expect(told(leaving.fault(20, "kill-client", { processes: [0] }))).toContain("(event 3) ended its holder, and");
  });

  it("not before", () => {
    expect(judged(crashed().fail(3010, 1))).toBe("not-applicable");
  });

  it("counted from the invocation of a single try, and from the end of one that waits", () => {
    const single = crashed().seek(3000, 1).refused(3020, 1);
    expect(judged(single)).toBe("not-applicable");
    const waiting = crashed().seek(20, 1, { waitMs: 3000 }).refused(3020, 1);
    expect(judged(waiting)).toBe("invalid; never-freed 1,2,3,4");
  });

  it("not for what a client did after its wait was over, however late it says that it was refused", () => {
    const hanging = crashed().seek(20, 1, { waitMs: 2400 }).refused(7205, 1);
    expect(judged(hanging)).toBe("not-applicable");
  });

  it("counted with the longest TTL that any client asked for, to acquire or to extend", () => {
    expect(judged(crashed().seek(20, 2, { ttlMs: 5000 }).refused(21, 2).fail(3011, 1))).toBe("not-applicable");
    const extended = new Recording({ clients: 3 })
      .acquire(0, 0, "a")
      .extend(5, 0, "a", { ttlMs: 5000 })
      .fault(10, "kill-client", { processes: [0] })
      .fail(3011, 1);
    expect(judged(extended)).toBe("not-applicable");
  });

  it("not while somebody holds", () => {
    expect(judged(new Recording({ clients: 3 }).acquire(0, 0, "a").fail(9000, 1))).toBe("valid");
  });

  it("not when it was refused for another reason", () => {
    expect(judged(crashed().seek(5000, 1).refused(5001, 1, "NOREPLICAS"))).toBe("not-applicable");
  });

  it("not when it asked for a shorter lease than any that was granted, which may be too short to be granted at all", () => {
    const brief = (ttlMs: number, grantedMs = 1000): string =>
      judged(
        new Recording({ clients: 3 })
          .acquire(0, 0, "a", { ttlMs: grantedMs })
          .release(10, 0, "a")
          .seek(6000, 1, { ttlMs })
          .refused(6001, 1),
      );
    expect(brief(2)).not.toContain("invalid");
    expect(brief(99)).not.toContain("invalid");
    expect(brief(100)).toMatch(/^invalid; never-freed/);
    expect(brief(20, 20)).toMatch(/^invalid; never-freed/);
    expect(brief(20, 21)).not.toContain("invalid");
  });

  it("not on another key", () => {
    const busy = new Recording({ clients: 3 }).on("other").acquire(0, 0, "a").on("k").acquire(2, 1, "b");
    expect(judged(busy.fail(9000, 2))).toBe("valid");
  });

  it("not when one of those who tried at the time was granted the lock, or may have been", () => {
    const trying = (): Recording => crashed("single").seek(5000, 1).seek(5001, 2).refused(5002, 2);
    expect(judged(trying().granted(5003, 1, "b"))).toBe("valid");
    expect(judged(trying().info(5003, 1, "acquire"))).toBe("not-applicable");
    expect(judged(trying())).toBe("not-applicable");
    expect(judged(trying().refused(5003, 1))).toBe("invalid; never-freed 1,2,4,5");
  });

  it("not when one that failed for another reason may have held for a moment, or left what it took", () => {
    expect(judged(crashed().seek(5000, 1).seek(5001, 2).refused(5002, 2).refused(5003, 1, "NOREPLICAS"))).toBe(
      "not-applicable",
    );
    const left = crashed().seek(4000, 1).refused(4001, 1, "NOREPLICAS");
    expect(judged(left.fail(7000, 2))).toBe("not-applicable");
    expect(judged(left.fail(7002, 2))).toMatch(/^invalid/);
  });

  it("not where two tries at the same time may have won some servers each", () => {
    expect(judged(crashed().seek(5000, 1).seek(5001, 2).refused(5002, 2).refused(5003, 1))).toBe("not-applicable");
    const waiting = crashed().seek(20, 2, { waitMs: 6000 }).seek(2900, 1).refused(4100, 1);
    expect(judged(waiting.refused(6020, 2))).toBe("not-applicable");
    expect(judged(crashed().fail(2900, 1).fail(4002, 2))).toMatch(/^invalid/);
  });

  it("not until what had an unknown outcome must have expired", () => {
    const late = crashed("single", "simulated").seek(100, 1).info(3000, 1, "acquire");
    expect(judged(late.fail(5900, 2))).toBe("not-applicable");
    expect(judged(late.fail(6100, 2))).toBe("invalid; never-freed 1,2,3,7,8");
  });
});

describe("a lock without leases", () => {
  const FOR_EVER = { ttlMs: ENDLESS_TTL_MS };
  const begun = (facts = {}): Recording =>
    new Recording({ clients: 3, backend: "simulated", topology: "single", ...facts });
  const later = (recording: Recording): Recording => recording.seek(9000, 1, FOR_EVER).refused(9001, 1);

  it("is stuck if it is refused after every holder has released it, and was told so", () => {
    const released = later(begun().acquire(0, 0, "a", FOR_EVER).release(10, 0, "a"));
    expect(judged(released)).toBe("invalid; never-freed 1,2,4,5");
    const [violation] = violationsOf("deadlock-freedom", released);
    expect(violation?.explanation).toContain("every client that was granted it had released it");
    expect(violation?.explanation).not.toContain("TTL");
  });

  it("is stuck if it is refused from the beginning on", () => {
    const refused = (facts = {}): Recording => later(begun(facts).seek(0, 0, FOR_EVER).refused(3000, 0));
    expect(judged(refused())).toBe("invalid; never-freed 2,3");
    const [violation] = violationsOf("deadlock-freedom", refused());
    expect(violation?.explanation).toContain("no client was ever granted it");
    expect(judged(refused({ backend: undefined }))).not.toMatch(/^invalid/);
  });

  it.each([
    ["its holder may go on", begun().acquire(0, 0, "a", FOR_EVER)],
    [
      "its holder died",
      begun()
        .acquire(0, 0, "a", FOR_EVER)
        .fault(10, "kill-client", { processes: [0] }),
    ],
    ["nobody knows whether a try took it", begun().seek(0, 0, FOR_EVER).info(10, 0, "acquire")],
    ["a try that failed may have left it", begun().seek(0, 0, FOR_EVER).refused(10, 0, "error")],
    [
      "nobody knows whether a release freed it",
      begun().acquire(0, 0, "a", FOR_EVER).leave(10, 0, "a").info(20, 0, "release"),
    ],
    ["its release freed nothing", begun().acquire(0, 0, "a", FOR_EVER).release(10, 0, "a", false)],
    ["its holder was told of a loss", begun().acquire(0, 0, "a", FOR_EVER).lost(10, 0, "a")],
    ["several servers have it", begun({ topology: "redlock" }).acquire(0, 0, "a", FOR_EVER).release(10, 0, "a")],
    ["its servers are unknown", begun({ topology: undefined }).acquire(0, 0, "a", FOR_EVER).release(10, 0, "a")],
  ])("is not stuck for certain where %s", (_, recording) => {
    expect(judged(later(recording))).not.toMatch(/^invalid/);
  });
});

describe("a lock is not stuck for certain", () => {
  it("where an acquire of unknown outcome may take effect at any time, once", () => {
    const unknown = (): Recording => crashed().seek(100, 1).info(3000, 1, "acquire").fail(6100, 2);
    expect(judged(unknown())).toBe("not-applicable");
    expect(judged(unknown().fail(9000, 2))).toBe("not-applicable");
    expect(judged(unknown().fail(9102, 2))).toBe("invalid; never-freed 1,2,3,7,8");
  });

  it("while a release or an extension is under way, and for a lease and the slack after it", () => {
    const leaving = (): Recording => crashed().acquire(1100, 1, "b").leave(1200, 1, "b");
    expect(judged(leaving().fail(9000, 2))).toBe("valid");
    expect(judged(leaving().info(8000, 1, "release").fail(10_999, 2))).toBe("valid");
    expect(judged(leaving().info(8000, 1, "release").fail(11_001, 2))).toMatch(/^invalid/);
    const extending = crashed().acquire(1100, 1, "b").lost(1150, 1, "b").seekExtension(1200, 1, "b", 1000);
    expect(judged(extending.fail(9000, 2))).toBe("valid");
  });

  it("while what a dead client had under way may take effect, and is when it must be over", () => {
    const dying = (): Recording => {
      const open = crashed("single", "simulated").acquire(1100, 1, "b").leave(1200, 1, "b").seek(1300, 2);
      return open.fault(4000, "kill-client", { processes: [1] }).fault(4000, "kill-client", { processes: [2] });
    };
    expect(judged(dying().fail(6999, 3))).toBe("not-applicable");
    expect(judged(dying().fail(7001, 3))).toMatch(/^invalid/);
    const foreign = crashed()
      .seek(1300, 2)
      .fault(4000, "kill-client", { processes: [2] });
    expect(judged(foreign.fail(7001, 1))).toBe("not-applicable");
    expect(judged(foreign.fail(10_003, 1))).toMatch(/^invalid/);
  });
});

describe("a fault in force", () => {
  it("excuses, and so does the time after it", () => {
    const partition = { targets: ["client-1"] };
    const healed = crashed()
      .fault(100, "partition", partition)
      .fail(4000, 1)
      .fault(4100, "partition", { ...partition, phase: "heal" });
    expect(judged(healed)).toBe("not-applicable");
    expect(judged(healed.fail(7000, 1))).toBe("not-applicable");
    expect(judged(healed.fail(7101, 1))).toBe("invalid; never-freed 1,2,9,10");
  });

  it("of a node that was killed, until it is started again", () => {
    const node = { targets: ["node-0"] };
    const down = crashed().fault(100, "kill-node", node).fail(9000, 1);
    expect(judged(down)).toBe("not-applicable");
    expect(judged(down.fault(9100, "kill-node", { ...node, phase: "heal" }).fail(12_101, 1))).toMatch(/^invalid/);
  });

  const DISTURBING = ["pause-client", "partition", "latency", "stall", "pause-node", "kill-node", "clock-rate"];
  const STRIKING = ["reset", "restart-node", "power-loss", "failover", "clock-jump", "eviction", "forget-fences"];

  it.each([...DISTURBING, ...STRIKING])("%s excuses only as long as it disturbs", (kind) => {
    const verdict = judged(
      crashed()
        .fault(20, kind, { targets: ["node-0"] })
        .fail(9000, 1),
    );
    expect(verdict.split(";")[0]).toBe(DISTURBING.includes(kind) ? "not-applicable" : "invalid");
  });

  it("that nobody here knows excuses until it is healed", () => {
    const foreign = crashed().fault(20, "smoke");
    expect(judged(foreign.fail(9000, 1))).toBe("not-applicable");
    expect(judged(foreign.fault(9100, "smoke", { phase: "heal" }).fail(12_101, 1))).toMatch(/^invalid/);
  });

  it("does not excuse when it was skipped", () => {
    expect(judged(crashed().fault(100, "partition", { outcome: "skipped" }).fail(3011, 1))).toMatch(/^invalid/);
  });

  it("leaves it open when it lasted to the end", () => {
    const recording = new Recording().acquire(0, 0, "a").release(2, 0, "a").fault(5, "partition");
    expect(judged(recording)).toBe("not-applicable");
  });
});

describe("without a violation", () => {
  it("it is valid when somebody acquired after the last fault", () => {
    expect(judged(crashed().fail(20, 1).acquire(1100, 1, "b"))).toBe("valid");
    expect(judged(new Recording().acquire(0, 0, "a"))).toBe("valid");
  });

  it("it does not apply when nobody tried after the last fault", () => {
    expect(judged(crashed())).toBe("not-applicable");
    expect(judged(new Recording())).toBe("not-applicable");
  });
});
