/** What a history proves whose times are no more exact than its clock. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomStream } from "../../core/random.ts";
import { PROPERTIES } from "../../core/verdict.ts";
import type { History } from "../../history/history.ts";
import { recordedCoarsely } from "../testing/coarse-recording.ts";
import { checkHistory } from "../check.ts";
import { playServer, randomServers, serverFlaws, serverMoves } from "../testing/random-server.ts";
import { Recording } from "../testing/recording.ts";

const MS = 1_000_000;
const CLIENTS = 3;
/** More runs, with `LOCKSTORM_CLOCK_RUNS=5000`, take longer. */
const RUNS = Number(process.env["LOCKSTORM_CLOCK_RUNS"] ?? 100);
const ROUNDINGS = { floor: Math.floor, round: Math.round, ceil: Math.ceil };

const histories = fc
  .tuple(randomServers(CLIENTS), serverFlaws, serverMoves(CLIENTS, 20))
  .map(([kind, flaws, moves]) => playServer(moves, { ...kind, ...flaws }));

function accused(history: History, foreign: boolean): readonly string[] {
  const { properties } = checkHistory(history, { foreign });
  return PROPERTIES.filter((property) => properties[property]?.verdict === "invalid");
}

describe("a coarse clock", () => {
  const cases = [1, 2, 5, 10, 1000].flatMap((ms) => Object.keys(ROUNDINGS).map((rounding) => [rounding, ms] as const));

  it.each(cases)("accuses nobody of whom exact times show nothing: %s to %d ms", { tags: "long" }, (rounding, ms) => {
    const { [rounding as keyof typeof ROUNDINGS]: round } = ROUNDINGS;
    fc.assert(
      fc.property(histories, fc.nat(), fc.boolean(), ({ header, events }, seed, namesClients) => {
        const { clients: _, ...anonymous } = header;
        const history = { header: namesClients ? header : anonymous, events };
        if (accused(history, false).length > 0) return;
        const recorded = recordedCoarsely(history, ms * MS, round, randomStream(seed, "clock"));
        expect(accused(recorded, true)).toEqual([]);
      }),
      { numRuns: RUNS, seed: 1 },
    );
  });

  it("leaves what is longer than a tick certain", () => {
    const twice = new Recording({ clients: 2 }).seek(0, 0).granted(10, 0, "a").seek(20, 1).granted(30, 1, "b");
    const { history } = twice.release(60, 0, "a").release(70, 1, "b");
    expect(accused(history, true)).toEqual(["mutual-exclusion", "lease-exclusion", "owner-release", "linearizability"]);
  });

  it("leaves open what two processes did at one time by the clock, in whatever order it is written", () => {
    const { history } = new Recording({ clients: 2 })
      .acquire(0, 0, "a")
      .seek(10, 1)
      .granted(20, 1, "b")
      .leave(20, 0, "a")
      .left(21, 0);
    expect(accused(history, false)).toContain("mutual-exclusion");
    expect(accused(history, true)).toEqual([]);
    expect(checkHistory(history, { foreign: true }).remarks).toContainEqual(
      expect.stringContaining("the times of this history are exact to 1 ms"),
    );
  });

  it("leaves certain what others did with another lock, or with the resource, at the same time", () => {
    const beside = (other: (recording: Recording) => Recording): readonly string[] => {
      const writing = new Recording({ clients: 4 }).seek(0, 0).granted(10, 0, "a").seek(20, 1);
      return accused(other(writing.write(30, 0, "a", "x").granted(40, 1, "b")).wrote(50, 0, 1).history, true);
    };
    expect(beside((both) => both.on("l").seek(50, 2).on("k"))).toContain("mutual-exclusion");
    expect(beside((both) => both.read(49, 2, 0))).toContain("mutual-exclusion");
    expect(beside((both) => both.observe(49, 2, 100))).toContain("mutual-exclusion");
    expect(beside((both) => both.seek(50, 2))).not.toContain("mutual-exclusion");
    expect(beside((both) => both.fault(50, "kill-node"))).not.toContain("mutual-exclusion");
  });

  it("judges nothing that several clients did at one and the same time", () => {
    const still = ({ header, events }: History): History => ({
      header,
      events: events.map((event) => ({ ...event, time: 0 })),
    });
    const { history } = new Recording({ clients: 2 }).acquire(0, 0, "a").acquire(10, 1, "b").leave(20, 0, "a");
    const { verdict, properties, reasons } = checkHistory(still(history), { foreign: true });
    expect(verdict).toBe("unknown");
    expect(reasons).toEqual([expect.stringContaining("all events have the same time")]);
    expect(properties["mutual-exclusion"]).toMatchObject({
      verdict: "unknown",
      reason: expect.stringContaining("all events have the same time"),
    });
    const alone = new Recording({ clients: 2 }).acquire(0, 0, "a").leave(20, 0, "a").left(21, 0);
    expect(checkHistory(still(alone.history), { foreign: true }).properties["mutual-exclusion"]?.verdict).toBe("valid");
  });

  it("leaves open whether a lease was over that ended within a tick of the next grant", () => {
    const leases = (ttlMs: number) =>
      accused(
        new Recording({ clients: 2 }).seek(0, 0, { ttlMs }).granted(10, 0, "a").acquire(20, 1, "b").history,
        true,
      );
    expect(leases(22)).toEqual([]);
    expect(leases(23)).toContain("lease-exclusion");
  });

  it("leaves open whether a lease that the lock reported began up to a tick earlier", () => {
    const reported = (validForMs: number) =>
      accused(
        new Recording({ clients: 2 })
          .acquire(1, 1, "z", { ttlMs: 1 })
          .seek(430, 0, { ttlMs: 20 })
          .granted(440, 0, "a", { validForMs })
          .seek(450, 1, { ttlMs: 20 })
          .granted(450, 1, "b", { validForMs: 20 }).history,
        true,
      );
    expect(reported(11)).toEqual([]);
    expect(reported(12)).toContain("lease-exclusion");
  });

  it("leaves open whether who did something in the tick of another grant did it after that grant", () => {
    const extending = (first: "failure" | "grant") => {
      const both = new Recording({ clients: 2 })
        .acquire(0, 0, "a", { ttlMs: 20 })
        .seek(30, 1)
        .seekExtension(40, 0, "a", 20);
      return first === "failure"
        ? both.failExtension(50, 0).granted(50, 1, "b")
        : both.granted(50, 1, "b").failExtension(50, 0);
    };
    for (const first of ["failure", "grant"] as const) {
      expect(accused(extending(first).release(90, 1, "b").history, true)).toEqual([]);
    }
    const waiting = new Recording({ clients: 2 })
      .seek(0, 1, { ttlMs: 1 })
      .seek(0, 0)
      .granted(10, 0, "a")
      .granted(10, 1, "b")
      .leave(100, 0, "a");
    expect(accused(waiting.history, true)).toEqual([]);
  });

  it.each([
    ["lost", (recording: Recording) => recording.lost(300, 0, "a")],
    ["shortened", (recording: Recording) => recording.renewed(300, 0, "a", 20)],
  ])("leaves open whether a lease was %s before another grant in the tick of its own grant", (_, notice) => {
    const tick = new Recording({ clients: 3 }).seek(0, 2).refused(100, 2).seek(300, 1).seek(300, 0, { ttlMs: 5000 });
    const both = tick.granted(300, 1, "b", { fence: 2 }).granted(300, 0, "a", { fence: 1 });
    expect(accused(notice(both).history, true)).toEqual([]);
  });

  it("knows the new owner value of an extension in the tick of another grant", () => {
    const both = new Recording({ clients: 2 })
      .acquire(0, 0, "a", { ttlMs: 5000 })
      .seekExtension(300, 0, "a", 5000)
      .seek(300, 1)
      .granted(300, 1, "c")
      .leave(300, 1, "c")
      .extended(300, 0, "b");
    expect(accused(both.leave(300, 0, "b").left(300, 0).left(300, 1).history, true)).toEqual([]);
  });

  it("leaves open whether a lease was shortened, and over, before another grant in the tick of the notice", () => {
    const shortened = (validForMs: number) =>
      new Recording({ clients: 2 })
        .seek(0, 0, { ttlMs: 5000 })
        .granted(100, 0, "a")
        .seek(300, 1)
        .granted(300, 1, "b")
        .renewed(300, 0, "a", validForMs);
    expect(accused(shortened(40).history, true)).toEqual([]);
    expect(accused(shortened(100).history, true)).toEqual([]);
    expect(accused(shortened(110).history, true)).toEqual(["lease-exclusion", "linearizability"]);
  });

  it("does not say that nothing was granted where it leaves open when it was", () => {
    const { history } = new Recording({ clients: 2 })
      .acquire(0, 0, "a")
      .fault(1, "kill-client", { processes: [0] })
      .fail(5, 1);
    const { properties, remarks } = checkHistory(history, { foreign: true });
    for (const property of ["mutual-exclusion", "lease-exclusion", "linearizability"] as const) {
      expect(properties[property]?.reason).toMatch(/^by this coarse clock no (grant|success) has a certain place/);
    }
    expect(remarks).toContainEqual(expect.stringContaining("the times of this history are exact to 1 ms"));
    const stuck = new Recording({ clients: 2 }).acquire(0, 0, "a").fault(1, "kill-client", { processes: [0] });
    const { reason } =
      checkHistory(stuck.fail(9000, 1).history, { foreign: true }).properties["deadlock-freedom"] ?? {};
    expect(reason).toMatch(/^k was refused as contended at 9,001 ms although .*, but somebody may have held it since/);
  });

  it("leaves open whether a client that was killed in the tick of its grant ever had it", () => {
    const killed = (atMs: number) => {
      const lost = new Recording({ clients: 2 }).acquire(0, 0, "a").fault(atMs, "kill-client", { processes: [0] });
      return accused(lost.acquire(10, 1, "b").history, true);
    };
    expect(killed(1)).toEqual([]);
    expect(killed(2)).toEqual([]);
  });

  it("leaves open whether a lease lasted up to a tick longer when a client was refused", () => {
    const refused = (atMs: number) =>
      accused(
        new Recording({ clients: 2 })
          .seek(0, 0, { ttlMs: 100 })
          .granted(10, 0, "a")
          .leave(20, 0, "a")
          .left(30, 0)
          .seek(atMs, 1, { ttlMs: 100 })
          .refused(atMs, 1).history,
        true,
      );
    expect(refused(2140)).toEqual([]);
    expect(refused(2150)).toEqual(["deadlock-freedom"]);
  });

  it("leaves open when an owner was granted the key that enters it again at the same time, and not that it was", () => {
    const entered = (inner: boolean): readonly string[] => {
      const history = new Recording({ clients: 4, reentrant: true })
        .seek(100, 1)
        .granted(100, 1, "old", { fence: 2 })
        .seek(2900, 5)
        .granted(2900, 5, "a", { fence: 45 });
      if (inner) history.seek(2900, 5).granted(2900, 5, "a", { fence: 45 });
      history.seekExtension(2900, 11, "x", 300).extended(2900, 11, "x").leave(2900, 11, "x").left(2900, 11);
      history.leave(3000, 5, "a").left(3000, 5).seek(3100, 5).granted(3100, 5, "a", { fence: 45 });
      return accused(history.leave(3100, 5, "a").left(3100, 5).history, true);
    };
    expect(entered(true)).toEqual([]);
    expect(entered(false)).toContain("fencing-tokens");
  });

  it("names the events that prove a violation by their places in the recording", () => {
    const { history } = new Recording({ clients: 3 })
      .seek(0, 0)
      .granted(10, 0, "a")
      .seek(10, 2)
      .acquire(20, 1, "b")
      .leave(40, 0, "a")
      .left(41, 0);
    const [violation] = checkHistory(history, { foreign: true }).properties["lease-exclusion"]?.violations ?? [];
    expect(violation?.events).toEqual([1, 4]);
  });

  it("is looked for only where another program recorded, and not where the format promises the order", () => {
    const recording = (header: object) =>
      new Recording({ clients: 2, ...header }).acquire(0, 0, "a").seek(10, 1).granted(20, 1, "b").leave(20, 0, "a")
        .history;
    expect(accused(recording({ backend: "live" }), true)).toContain("mutual-exclusion");
    expect(accused(recording({ source: "jepsen" }), true)).toContain("mutual-exclusion");
    expect(accused(recording({}), true)).toEqual([]);
  });
});
