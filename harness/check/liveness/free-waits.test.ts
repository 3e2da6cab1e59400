import { describe, expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

const recorded = (): Recording => new Recording({ backend: "simulated", clients: 3, topology: "single" });
const released = (): Recording => recorded().acquire(0, 0, "a").release(99, 0, "a");

/** What is said of waits for keys that nobody held. */
function remarksOn({ history }: Recording): readonly string[] {
  return checkHistory(history).remarks.filter((remark) => /although (?:nobody|client-0, which,?) had/.test(remark));
}

describe("a try for a key that nobody holds", () => {
  it("is told of if it is refused", () => {
    expect(remarksOn(released().fail(200, 1))).toEqual([
      "client-1 was refused k at 201 ms as contended, although nobody had held it since the release of client-0 at 100 ms",
    ]);
    expect(remarksOn(recorded().fail(200, 1))).toEqual([
      "client-1 was refused k at 201 ms as contended, although nobody had held it",
    ]);
  });

  it("is told of if it is granted after more than half a second", () => {
    const waiting = recorded().acquire(0, 0, "a").seek(50, 1, { waitMs: 3000 }).release(99, 0, "a");
    expect(remarksOn(waiting.granted(700, 1, "b"))).toEqual([
      "client-1 was granted k at 700 ms, although nobody had held it since the release of client-0 at 100 ms; it waited for 600 ms meanwhile",
    ]);
  });

  it("is told of if it is refused after as long a wait", () => {
    const waiting = recorded().acquire(0, 0, "a").seek(50, 1, { waitMs: 700 }).release(99, 0, "a");
    expect(remarksOn(waiting.refused(1500, 1))).toEqual([
      "client-1 was refused k at 1,500 ms as contended, although nobody had held it since the release of client-0 at 100 ms; it waited for 650 ms meanwhile",
    ]);
  });

  it("is told of when a holder has left all its entries, or its release found nothing", () => {
    expect(remarksOn(recorded().acquire(0, 0, "a").reenter(10, 0, "a").release(20, 0, "a").fail(200, 1))).toEqual([]);
    const left = recorded().acquire(0, 0, "a").reenter(10, 0, "a").release(20, 0, "a").release(30, 0, "a");
    expect(remarksOn(left.fail(200, 1))).toHaveLength(1);
    expect(remarksOn(recorded().acquire(0, 0, "a").release(1500, 0, "a", false).fail(1700, 1))).toHaveLength(1);
    const gone = recorded().acquire(0, 0, "a").reenter(10, 0, "a").release(1500, 0, "a", false);
    expect(remarksOn(gone.fail(1700, 1))).toHaveLength(1);
  });

  it("is told of once another client that asked beside it was refused, too", () => {
    const both = released().seek(150, 1, { waitMs: 3000 }).seek(160, 2).refused(161, 2);
    expect(remarksOn(both.granted(700, 1, "b"))).toHaveLength(1);
  });
});

describe("nothing is told", () => {
  const quiet: Readonly<Record<string, Recording>> = {
    "of a grant that comes soon": recorded()
      .acquire(0, 0, "a")
      .seek(50, 1, { waitMs: 3000 })
      .release(99, 0, "a")
      .granted(500, 1, "b"),
    "of a try that came at once after the release": released().fail(150, 1),
    "of a try that began before the release, and was refused soon after it": recorded()
      .acquire(0, 0, "a")
      .seek(50, 1, { waitMs: 100 })
      .release(99, 0, "a")
      .refused(2000, 1),
    "where somebody holds the key": recorded().acquire(0, 0, "a").fail(700, 1),
    "where two ask, since one may have it for a while": released()
      .seek(200, 1)
      .seek(200, 2)
      .refused(201, 1)
      .refused(202, 2),
    "where two wait": released().seek(200, 1, { waitMs: 3000 }).seek(201, 2, { waitMs: 3000 }).granted(900, 1, "b"),
    "after an extension of unknown outcome": recorded()
      .acquire(0, 0, "a")
      .seekExtension(10, 0, "a", 1000)
      .info(20, 0, "extend")
      .release(30, 0, "a")
      .fail(300, 1),
    "where an extension is under way": released().seekExtension(200, 0, "a", 1000).fail(300, 1),
    "after an acquire of unknown outcome": recorded().seek(0, 0).info(1, 0, "acquire").fail(300, 1),
    "after an acquire that failed otherwise": recorded().seek(0, 0).refused(1, 0, "error").fail(300, 1),
    "after a release of unknown outcome": recorded()
      .acquire(0, 0, "a")
      .leave(50, 0, "a")
      .info(51, 0, "release")
      .fail(300, 1),
    "after a release of what nobody was granted": recorded().release(50, 0, "a").fail(300, 1),
    "of a lease too short to be granted": released().seek(300, 1, { ttlMs: 50 }).refused(301, 1),
    "of a key that several may hold": recorded().acquire(0, 0, "a", { limit: 2 }).release(99, 0, "a").fail(300, 1),
    "of a key of several": recorded()
      .acquire(0, 0, "a", { alsoKeys: ["other"] })
      .release(99, 0, "a")
      .on("other")
      .fail(300, 1),
    "after a fault": released()
      .fault(150, "kill-client", { processes: [2] })
      .fail(300, 1),
    "where others recorded": new Recording({ clients: 2 }).acquire(0, 0, "a").release(99, 0, "a").fail(300, 1),
  };
  it.each(Object.entries(quiet))("%s", (_, recording) => {
    expect(remarksOn(recording)).toEqual([]);
  });
});

describe("a client that waits for a lock whose holder died", () => {
  const killed = { processes: [0] };
  /** Client 0 dies at 100 ms, within its lease of 1 s, and client 1 is granted the key so much later. */
  const grantedAt = (atMs: number, ttlMs = 1000): Recording =>
    recorded()
      .acquire(0, 0, "a", { ttlMs: 1000 })
      .seek(50, 1, { ttlMs, waitMs: 9000 })
      .fault(100, "kill-client", killed)
      .granted(atMs, 1, "b");

  it("is told of if it is granted it more than 2 s after the longest lease since then", () => {
    expect(remarksOn(grantedAt(3101))).toEqual([
      "client-1 was granted k at 3,101 ms, although client-0, which had held it, had died, and its lease was over at 1,100 ms; it waited for 2,001 ms meanwhile",
    ]);
    expect(remarksOn(grantedAt(3100))).toEqual([]);
    expect(remarksOn(grantedAt(4100, 2000))).toEqual([]);
    expect(remarksOn(grantedAt(4101, 2000))).toHaveLength(1);
  });

  it("is told of what it waits for, if it was given back since", () => {
    const since = grantedAt(1200).seek(1300, 2, { waitMs: 9000 }).release(1400, 1, "b").granted(3402, 2, "c");
    expect(remarksOn(since)).toEqual([
      "client-2 was granted k at 3,402 ms, although nobody had held it since the release of client-1 at 1,401 ms; it waited for 2,001 ms meanwhile",
    ]);
  });

  const late = (recording: Recording): Recording => recording.granted(9000, 1, "b");
  const held = (): Recording => recorded().acquire(0, 0, "a", { ttlMs: 1000 });
  const quiet: Readonly<Record<string, Recording>> = {
    "where it asked in time for another lease that was renewed": late(
      held().renewed(10, 0, "a", 8000).seek(50, 1, { waitMs: 9000 }).fault(100, "kill-client", killed),
    ),
    "where a client died that did not hold it": late(
      held()
        .seek(50, 1, { waitMs: 9000 })
        .fault(100, "kill-client", { processes: [2] }),
    ),
    "where somebody else holds it": late(
      held().acquire(20, 2, "c", { limit: 2 }).seek(50, 1, { waitMs: 9000 }).fault(100, "kill-client", killed),
    ),
    "where what the dead client asked for may have any effect": late(
      held().seekExtension(60, 0, "a", 1000).seek(70, 1, { waitMs: 9000 }).fault(100, "kill-client", killed),
    ),
    "where the client may not have died": late(
      held()
        .seek(50, 1, { waitMs: 9000 })
        .fault(100, "kill-client", { ...killed, outcome: "indeterminate" }),
    ),
    "where another fault followed": late(
      held().seek(50, 1, { waitMs: 9000 }).fault(100, "kill-client", killed).fault(200, "latency"),
    ),
    "where it is refused, which deadlock-freedom judges": held()
      .seek(50, 1, { waitMs: 8000 })
      .fault(100, "kill-client", killed)
      .refused(8050, 1),
  };
  it.each(Object.entries(quiet))("is told of nothing %s", (_, recording) => {
    expect(remarksOn(recording)).toEqual([]);
  });
});
