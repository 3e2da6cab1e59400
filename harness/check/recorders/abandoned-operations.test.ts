/** Operations that were not answered when their client went on under another process number. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PROPERTIES, type Property } from "../../core/verdict.ts";
import type { History, HistoryEvent } from "../../history/history.ts";
import { checkHistory } from "../check.ts";
import { playServer, randomServers, serverFlaws, serverMoves } from "../testing/random-server.ts";
import { Recording } from "../testing/recording.ts";

/** More histories, with `LOCKSTORM_ABANDONED_RUNS=5000`, take longer. */
const RUNS = Number(process.env["LOCKSTORM_ABANDONED_RUNS"] ?? 150);
const CLIENTS = 3;
/** More events than are known ahead. */
const BEYOND = 4500;

function broken({ header, events }: History, foreign = true): readonly Property[] {
  const { properties } = checkHistory({ header, events }, { foreign });
  return PROPERTIES.filter((property) => properties[property]?.verdict === "invalid");
}

/** Client 0 begins something with a lease of 1 ms at 20 ms, and goes on as process 2; later both clients hold. */
function goesOn(begin: (recording: Recording) => Recording, facts: { tasks?: number[] } = {}): Recording {
  const recording = new Recording({ clients: 2, reentrant: true, ...facts }).acquire(0, 0, "a").release(5, 0, "a");
  return begin(recording)
    .acquire(1000, 2, "b")
    .release(1010, 2, "b")
    .acquire(1020, 2, "c")
    .acquire(1030, 1, "d")
    .release(1040, 2, "c")
    .release(1050, 1, "d");
}

describe("an operation without an answer, whose client goes on under another number", () => {
  it("that is an acquire for a shorter lease does not cut all later leases of its client", () => {
    const asInfo = goesOn((recording) => recording.seek(20, 0, { ttlMs: 1 }).info(30, 0, "acquire"));
    const unanswered = goesOn((recording) => recording.seek(20, 0, { ttlMs: 1 }));
    expect(broken(asInfo.history)).toContain("lease-exclusion");
    expect(broken(unanswered.history)).toEqual(broken(asInfo.history));
  });

  it("that is a release of its only owner value does not make each later hold under it doubtful", () => {
    const twoHolders = (recording: Recording): Recording =>
      recording
        .acquire(1000, 2, "a")
        .release(1010, 2, "a")
        .acquire(1020, 2, "a")
        .acquire(1030, 1, "d")
        .release(1040, 2, "a")
        .release(1050, 1, "d");
    const start = (): Recording => new Recording({ clients: 2 }).acquire(0, 0, "a").leave(10, 0, "a");
    const asInfo = broken(twoHolders(start().info(20, 0, "release")).history);
    expect(asInfo).toContain("lease-exclusion");
    expect(broken(twoHolders(start()).history)).toEqual(asInfo);
  });

  it("says nothing of its client's meaning to hold when that goes on", () => {
    const recording = new Recording({ clients: 2 })
      .acquire(0, 0, "a", { ttlMs: 20 })
      .seekExtension(10, 0, "a", 20)
      .acquire(50, 1, "b")
      .seek(60, 2);
    expect(broken(recording.history)).toEqual([]);
    expect(broken(recording.info(70, 0, "extend").history)).toEqual([]);
  });

  it("is named as never answered where it may be the cause, with the event that the recording has", () => {
    const recording = new Recording({ clients: 3 })
      .acquire(0, 1, "b", { ttlMs: 10 })
      .acquire(50, 0, "a")
      .leave(60, 1, "b")
      .seek(70, 4)
      .acquire(100, 2, "c");
    const { violations = [] } = checkHistory(recording.history, { foreign: true }).properties["lease-exclusion"] ?? {};
    const [cause] = violations.flatMap(({ hypotheses = [] }) => hypotheses);
    expect(cause).toMatchObject({ cause: "foreign-release", events: [4] });
    expect(cause?.why).toContain("(event 4), which was never answered and may have taken effect");
  });

  it("is not called a release of the same owner value where its client is granted the lock under another one then", () => {
    const recording = new Recording({ clients: 2 })
      .acquire(0, 0, "a")
      .leave(50, 0, "a")
      .acquire(60, 2, "b", { ttlMs: 50 })
      .acquire(80, 1, "c");
    const { violations = [] } = checkHistory(recording.history, { foreign: true }).properties["lease-exclusion"] ?? {};
    expect(violations.map(({ cause }) => cause)).toEqual(["double-grant"]);
  });

  it("belongs to the task that goes on, where the history says how many each client has", () => {
    const ofOtherTask = goesOn((recording) => recording.seek(20, 0, { ttlMs: 1 }), { tasks: [2, 1] });
    expect(broken(ofOtherTask.history)).not.toContain("lease-exclusion");
    const ofSameTask = goesOn((recording) => recording.seek(20, 0, { ttlMs: 1 }).fail(30, 4), { tasks: [2, 1] });
    expect(broken(ofSameTask.history)).toContain("lease-exclusion");
  });
});

describe("an answer", () => {
  it("that comes soon shows that its client does several things at a time", () => {
    const beside = goesOn((recording) => recording.seek(20, 0, { ttlMs: 1 }));
    expect(broken(beside.granted(2000, 0, "c").history)).not.toContain("lease-exclusion");
  });

  /** Process 0 asks, process 2 begins, and others do so much that the answer to process 0 is not known ahead. */
  function answeredLate(answer: (recording: Recording) => Recording): History {
    const recording = new Recording({ clients: 2 }).seek(0, 0, { ttlMs: 1e6 }).seek(10, 2).refused(20, 2);
    for (let turn = 0; turn < BEYOND / 2; turn += 1) recording.on("other").fail(30 + turn * 2, 3);
    return answer(recording.on("k")).history;
  }

  it("that comes after more events than are known ahead is a grant all the same", () => {
    const history = answeredLate((recording) =>
      recording.granted(10_000, 0, "a").acquire(10_010, 1, "b").release(10_020, 0, "a", false),
    );
    expect(broken(history)).toEqual(["mutual-exclusion", "lease-exclusion"]);
    expect(checkHistory(history, { foreign: true }).properties.linearizability).toMatchObject({
      verdict: "unknown",
      reason: "not decided for k: an operation was open for too long",
    });
  });

  it.each([
    ["a refusal", (recording: Recording) => recording.refused(10_000, 0).acquire(10_010, 1, "b")],
    ["an unknown outcome", (recording: Recording) => recording.info(10_000, 0, "acquire").acquire(10_010, 1, "b")],
  ])("that is %s then changes nothing", (_, answer) => {
    const { properties } = checkHistory(answeredLate(answer), { foreign: true });
    expect(properties).toMatchObject({
      "lease-exclusion": { verdict: "valid" },
      linearizability: { verdict: "valid" },
    });
  });

  it("is awaited while a process goes on that had begun before", () => {
    const recording = new Recording({ clients: 2 }).fail(0, 2).seek(10, 0, { ttlMs: 1e6 });
    for (let turn = 0; turn < BEYOND / 2; turn += 1) recording.on("other").fail(30 + turn * 2, 2);
    const { history } = recording.on("k").granted(10_000, 0, "a");
    expect(checkHistory(history, { foreign: true }).properties.linearizability?.verdict).toBe("valid");
  });

  it("to an acquisition of several keys is awaited for all of them", () => {
    const recording = new Recording({ clients: 2 })
      .seek(0, 0, { ttlMs: 1e6, alsoKeys: ["other"] })
      .on("other")
      .seek(1, 2, { ttlMs: 1e6, alsoKeys: ["k"] });
    for (let turn = 0; turn < BEYOND / 2; turn += 1) recording.on("third").fail(30 + turn * 2, 3);
    const { history } = recording.on("k").granted(10_000, 0, "a").on("other").granted(10_000, 2, "a");
    expect(checkHistory(history, { foreign: true }).properties.linearizability?.verdict).toBe("valid");
  });
});

it("what is not recorded counts as an unknown outcome of when the client goes on", { tags: "long" }, () => {
  const histories = fc
    .tuple(randomServers(CLIENTS), serverFlaws, serverMoves(CLIENTS, 20))
    .map(([kind, flaws, moves]) => playServer(moves, { ...kind, ...flaws }));
  const seen = { changed: 0, accused: 0 };
  fc.assert(
    fc.property(histories, (history) => {
      const stated = withEnds(history, true);
      const omitted = withEnds(history, false);
      if (stated.events.length === omitted.events.length) return;
      seen.changed += 1;
      // A client that is told of an unknown outcome may still mean to hold then.
      const judged = (each: History): readonly Property[] =>
        broken(each).filter((property) => property !== "mutual-exclusion");
      expect(judged(omitted)).toEqual(judged(stated));
      seen.accused += judged(stated).length > 0 ? 1 : 0;
    }),
    { numRuns: RUNS, seed: 1 },
  );
  expect(seen.changed).toBeGreaterThan(RUNS / 10);
  expect(seen.accused).toBeGreaterThan(0);
});

/** The history with each unknown outcome just before its client goes on under a new number, or without those. */
function withEnds({ header, events }: History, stated: boolean): History {
  const begun = new Set<number>();
  const ended: HistoryEvent[] = [];
  const lines = events.flatMap((event) => {
    if (event.type === "info" && comesLater(event, events)) {
      ended.push(event);
      return [];
    }
    if (typeof event.process !== "number" || begun.has(event.process)) return [event];
    begun.add(event.process);
    const next = event;
    const before = ended.filter((end) => isOfClient(end, next) && timeOf(end, events) < next.time);
    for (const end of before) ended.splice(ended.indexOf(end), 1);
    return [...(stated ? before.map((end) => ({ ...end, time: next.time })) : []), event];
  });
  return { header, events: lines.map((event, index) => ({ ...event, index })) };
}

function isOfClient(one: HistoryEvent, other: HistoryEvent): boolean {
  return Number(one.process) % CLIENTS === Number(other.process) % CLIENTS;
}

/** When the operation was invoked that this event ends. */
function timeOf(end: HistoryEvent, events: readonly HistoryEvent[]): number {
  return events.findLast(
    ({ type, process, index }) => type === "invoke" && process === end.process && index < end.index,
  )!.time;
}

/** Whether its client goes on under a number that begins after this event, later than its operation by the clock. */
function comesLater(end: HistoryEvent, events: readonly HistoryEvent[]): boolean {
  const asked = timeOf(end, events);
  return events.some(
    (event) =>
      event.index > end.index &&
      event.type === "invoke" &&
      event.time > asked &&
      isOfClient(event, end) &&
      !events.some(({ process, index }) => process === event.process && index < event.index),
  );
}
