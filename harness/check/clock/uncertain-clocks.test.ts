/** What a history proves whose times several clocks told. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { History, HistoryEvent } from "../../history/history.ts";
import { PROPERTIES, type Property } from "../../core/verdict.ts";
import { clientOf } from "../../history/clients.ts";
import { checkHistory } from "../check.ts";
import { playServer, randomServers, serverFlaws, serverMoves } from "../testing/random-server.ts";
import { Recording } from "../testing/recording.ts";

const MS = 1_000_000;
const CLIENTS = 3;
/** More runs, with `LOCKSTORM_CLOCK_RUNS=5000`, take longer. */
const RUNS = Number(process.env["LOCKSTORM_CLOCK_RUNS"] ?? 100);

const histories = fc
  .tuple(randomServers(CLIENTS), serverFlaws, serverMoves(CLIENTS, 20))
  .map(([kind, flaws, moves]) => playServer(moves, { ...kind, ...flaws }));

function accused(history: History): readonly Property[] {
  const { properties } = checkHistory(history, { foreign: true });
  return PROPERTIES.filter((property) => properties[property]?.verdict === "invalid");
}

/** The recordings of clients whose clocks are ahead by so many milliseconds, merged by their times. */
function merged({ header, events }: History, aheadMs: readonly number[], uncertaintyMs?: number): History {
  const ahead = ({ process }: HistoryEvent): number =>
    MS * ((typeof process === "number" ? aheadMs[clientOf(process, CLIENTS)] : aheadMs.at(-1)) ?? 0);
  const told = events.map((event) => ({
    ...event,
    time: event.time + ahead(event),
    ...leaseTold(event, ahead(event)),
  }));
  const sorted = told.toSorted((one, other) => one.time - other.time);
  const stated = uncertaintyMs === undefined ? undefined : { clockUncertaintyMs: uncertaintyMs };
  return {
    header: { ...header, clients: CLIENTS, timeUnit: "ns", ...stated },
    events: sorted.map((event, index) => ({ ...event, index })),
  };
}

function leaseTold(event: HistoryEvent, aheadNs: number): object {
  const { grantedAt } = (event.value ?? {}) as { readonly grantedAt?: number };
  return grantedAt === undefined ? {} : { value: { ...event.value, grantedAt: grantedAt + aheadNs } };
}

describe("clocks that differ", () => {
  it.each([1, 10, 100])(
    "accuse nobody of whom one clock shows nothing, if the header says by how much: %d ms",
    (ms) => {
      const ahead = fc.array(fc.integer({ min: 0, max: ms }), { minLength: CLIENTS + 1, maxLength: CLIENTS + 1 });
      fc.assert(
        fc.property(histories, ahead, (history, aheadMs) => {
          if (accused({ ...history, header: { ...history.header, clients: CLIENTS, timeUnit: "ns" } }).length > 0)
            return;
          expect(accused(merged(history, aheadMs, ms))).toEqual([]);
        }),
        { numRuns: RUNS, seed: 1 },
      );
    },
  );

  /** Two holds that overlap from 30 to 60 ms. */
  const overlapping = (uncertaintyMs?: number): History => {
    const header = uncertaintyMs === undefined ? {} : { clockUncertaintyMs: uncertaintyMs };
    const both = new Recording({ clients: 2, timeUnit: "ns", ...header })
      .seek(1, 0)
      .granted(10, 0, "a")
      .seek(20, 1)
      .granted(30, 1, "b");
    return both.leave(60, 0, "a").left(61, 0).leave(70, 1, "b").left(71, 1).history;
  };

  it("leave certain what lasts longer than they differ", () => {
    const all = ["mutual-exclusion", "lease-exclusion", "owner-release", "linearizability"];
    expect(accused(overlapping())).toEqual(all);
    expect(accused(overlapping(5))).toEqual(all);
    expect(accused(overlapping(29))).toContain("mutual-exclusion");
    expect(accused(overlapping(30))).toEqual([]);
  });

  it("are named in a remark, and leave the events where they were recorded", () => {
    const { remarks, properties } = checkHistory(overlapping(25), { foreign: true });
    expect(remarks).toContain(
      "the clocks of this history may differ by 25 ms: each answer counts as 25 ms later than it is recorded",
    );
    expect(properties["mutual-exclusion"]?.violations[0]?.events).toEqual([1, 3]);
  });

  it("count by whole ticks where they are coarse", () => {
    // By clocks of 10 ms that differ by 21 ms, 30 and 60 ms may have been one time.
    expect(accused(overlapping(21))).toContain("mutual-exclusion");
    const coarse = new Recording({ clients: 2, clockUncertaintyMs: 21 }).seek(0, 0).granted(10, 0, "a");
    const both = coarse.seek(20, 1).granted(30, 1, "b").leave(60, 0, "a").left(70, 0).leave(70, 1, "b").left(90, 1);
    expect(accused(both.history)).toEqual([]);
  });

  it("leave open whether a client means by what it does at once the hold that it was just granted", () => {
    const again = new Recording({ clients: 2, clockUncertaintyMs: 10 })
      .acquire(0, 0, "a", { ttlMs: 20 })
      .seek(2, 1, { ttlMs: 20 })
      .granted(21.5, 1, "b")
      .acquire(50.1, 0, "a", { ttlMs: 20 })
      .extend(52, 0, "a", { ttlMs: 20 });
    expect(accused(again.history)).toEqual([]);
  });

  it("leave open whether a client that was granted the key just after another answer renews that lease", () => {
    const asked = (): Recording => new Recording({ clients: 2, clockUncertaintyMs: 5 }).fail(8.3, 0).seek(9.5, 0);
    const others = (recording: Recording): History => recording.acquire(160.2, 1, "b").release(190.4, 1, "b").history;
    const renewed = asked().granted(10.7, 0, "a").seek(100.1, 0).granted(102.3, 0, "a2").release(150.2, 0, "a2");
    expect(accused(others(renewed))).toEqual([]);
    const goneOn = asked().granted(10.7, 0, "a").seek(12.2, 0).info(13.4, 0, "acquire").acquire(100.1, 2, "a2");
    expect(accused(others(goneOn.release(150.2, 2, "a2")))).toEqual([]);
  });

  it("leave open which of two clients was granted the key first, where the other does nothing any more", () => {
    const granted = (laterMs: number): Recording =>
      new Recording({ clients: 2, clockUncertaintyMs: 10 })
        .seek(1.3, 0, { ttlMs: 20 })
        .seek(2.4, 1, { ttlMs: 20 })
        .granted(21.1, 0, "a")
        .granted(21.1 + laterMs, 1, "b")
        .seekExtension(60.2, 0, "a", 20);
    expect(accused(granted(9.7).failExtension(61.5, 0).history)).toEqual([]);
    expect(accused(granted(10.3).failExtension(61.5, 0).history)).toContain("mutual-exclusion");
    expect(accused(granted(9.7).failExtension(61.5, 0).release(70.2, 1, "b", false).history)).toContain(
      "mutual-exclusion",
    );
  });

  const apart = (): Recording => new Recording({ clients: 2, timeUnit: "ns", clockUncertaintyMs: 10 });

  it("leave open whether a client still held when it was answered last", () => {
    const answered = apart().acquire(0, 0, "a", { ttlMs: 20 }).seekExtension(13, 0, "a", 20).failExtension(28.5, 0);
    expect(accused(answered.seek(28.6, 1).granted(29, 1, "b").history)).toEqual([]);
    const late = apart().acquire(0, 0, "a", { ttlMs: 20 }).seek(21, 1).seekExtension(25, 0, "a", 20);
    expect(accused(late.granted(30, 1, "b").failExtension(38.5, 0).history)).toEqual([]);
  });

  it("count a validity from where its own clock says", () => {
    const valid = apart().seek(0, 0, { ttlMs: 20 }).granted(10.000007, 0, "a", { validForMs: 20 });
    expect(accused(valid.seek(20.000013, 1).granted(28.500001, 1, "b").history)).toEqual([]);
  });

  it("let a lost notice end what was granted just before", () => {
    const lost = apart().seek(0, 0).granted(10.000007, 0, "a").lost(15.000011, 0, "a");
    expect(accused(lost.seek(20.000013, 1).granted(25.500001, 1, "b").history)).toEqual([]);
  });

  it("leave open whether a lease was renewed for shorter before another grant", () => {
    const other = apart().acquire(0, 0, "a").seek(30, 1).granted(45.5, 1, "b");
    expect(accused(other.renewed(50, 0, "a", 1).history)).toEqual([]);
  });

  /** A client whose extension draws a new owner value, under which it goes on at once. */
  const drawing = (first = "a", value = "a2"): Recording =>
    apart().acquire(0, 0, first).seekExtension(20, 0, first, 1000).extended(25.5, 0, value);

  it("know a hold by the owner value that its extension drew as soon as its client does", () => {
    expect(accused(drawing().release(26, 0, "a2").seek(28, 1).granted(45.5, 1, "b").history)).toEqual([]);
    expect(accused(drawing().lost(26, 0, "a2").seek(28, 1).granted(45.5, 1, "b").history)).toEqual([]);
    const [one, other] = ["x".repeat(300), "y".repeat(300)];
    expect(accused(drawing(one, other).extend(26, 0, other).release(28.5, 0, other).history)).toEqual([]);
    const thrice = drawing().seekExtension(26, 0, "a2", 1000).extended(27.5, 0, "a3").seekExtension(28, 0, "a3", 1000);
    expect(accused(thrice.extended(29.5, 0, "a").release(30, 0, "a").history)).toEqual([]);
    const between = drawing().seekExtension(33, 0, "a2", 1000).extended(35.1, 0, "a3");
    expect(accused(between.release(35.7, 0, "a3").history)).toEqual([]);
  });

  it("know that such a hold may have yet another value", () => {
    const drawingAgain = drawing().seekExtension(26, 0, "a2", 1000).leave(50, 2, "a2").left(60.3, 2, false);
    expect(accused(drawingAgain.extended(70, 0, "a3").history)).toEqual([]);
  });

  it("know a hold by the value under which its client goes on that does not know the outcome of its extension", () => {
    const unheard = (): Recording => apart().acquire(0, 0, "a").seekExtension(20, 0, "a", 1000).info(25.5, 0, "extend");
    const others = (recording: Recording): History => recording.acquire(60, 1, "b").release(90, 1, "b").history;
    expect(accused(others(unheard().release(26, 2, "drawn")))).toEqual([]);
    expect(accused(others(unheard().leave(26, 2, "drawn").info(27, 2, "release")))).toEqual([]);
    const twice = unheard().seekExtension(26, 2, "drawn", 1000).info(27, 2, "extend").release(28, 4, "drawn again");
    expect(accused(others(twice))).toEqual([]);
    expect(accused(unheard().release(26, 1, "b").history)).toContain("owner-release");
    const two = apart().acquire(0, 0, "a").seekExtension(10, 0, "a", 1000).release(15, 2, "a").acquire(17, 4, "b");
    const unheardOfOne = two.seekExtension(20, 4, "b", 1000).info(25.5, 4, "extend").leave(26, 6, "drawn");
    expect(accused(others(unheardOfOne.info(27, 6, "release").info(30, 0, "extend")))).toEqual([]);
    const both = new Recording({ clients: 2, clockUncertaintyMs: 20 }).acquire(0, 0, "a", { limit: 2 });
    both.acquire(2, 2, "b", { limit: 2 }).seekExtension(50, 0, "a", 1000).info(51, 0, "extend");
    both.seekExtension(52, 2, "b", 1000).info(53, 2, "extend").release(54, 6, "b").release(57, 4, "drawn");
    const full = both.acquire(100, 1, "c", { limit: 2 }).acquire(150, 3, "d", { limit: 2 }).release(200, 1, "c");
    expect(accused(full.release(210, 3, "d").history)).toEqual([]);
    const again = (): Recording => drawing().seekExtension(26, 0, "a2", 1000);
    expect(accused(others(again().release(26.5, 2, "a3")))).toEqual([]);
    expect(accused(others(again().info(26.5, 0, "extend").release(27, 2, "a3")))).toEqual([]);
    const atOnce = apart().acquire(0, 0, "a").seekExtension(2, 0, "a", 1000).info(3, 0, "extend");
    expect(accused(others(atOnce.release(4, 2, "drawn")))).toEqual([]);
    const kept = apart().acquire(0, 0, "a").extend(10, 0, "a").seekExtension(20, 0, "a", 1000).info(25.5, 0, "extend");
    expect(accused(kept.release(60, 2, "drawn").history)).toContain("owner-release");
  });

  it("know no hold of another by such a value", () => {
    const another = apart().acquire(0, 0, "a").release(7, 0, "a").acquire(20.5, 1, "b").seekExtension(40, 1, "b", 1000);
    expect(accused(another.extended(45.3, 1, "a").leave(46, 0, "a").left(60.3, 0).history)).toContain("owner-release");
  });
});

it("names a process by its recorded number, though it goes on before its answer counts", () => {
  const { history } = new Recording({ clients: 2, clockUncertaintyMs: 5 })
    .acquire(0, 0, "a", { ttlMs: 1000 })
    .release(2, 0, "a")
    .acquire(3, 0, "b", { ttlMs: 1000 })
    .acquire(50, 1, "c", { ttlMs: 1000 })
    .release(90, 0, "b")
    .release(100, 1, "c");
  const { violations = [] } = checkHistory(history, { foreign: true }).properties["lease-exclusion"] ?? {};
  expect(violations.map(({ holders }) => holders?.map(({ process }) => process))).toEqual([[0, 1]]);
  expect(violations[0]?.explanation).toContain("client-0 (process 0, owner b)");
});
