import type { FaultEvent } from "../history/history.ts";
import type { Hypothesis, Property, Violation } from "../core/verdict.ts";
import { timeLimitInWords } from "../check/evidence/ending.ts";
import { doubtElsewhere, doubtInWords, faultInWords } from "../check/words.ts";
import type { JudgedRun } from "./changed-run.ts";
import { acquiresUpTo, clientNumber, countOf, eventAt, holdsOf, sameOperation, taskOf } from "./same-in-another-run.ts";
import { endOfVictim, isLostAnyway, ungrantedVictim } from "./victims.ts";

/** The outcome of a violation in a run with one change. */
export type Comparison =
  /** It is gone. `clean`: no property is violated any more. */
  | {
      readonly outcome: "gone";
      readonly clean: boolean;
      /** The client that outlived its lease gives up the lock within its lease. */
      readonly within?: number;
      /** The client that was refused for ever is granted the lock. */
      readonly granted?: number;
    }
  | { readonly outcome: "still" }
  /** The run proves nothing. `missing`: only because these faults of the plan never came in it. */
  | { readonly outcome: "undecided"; readonly why: string; readonly missing?: readonly number[] };

/** Which tasks of clients conflict in a violation, and over what, so that it can be found again in another run. */
interface Conflict {
  readonly key: string | undefined;
  /** The tasks in conflict (see `taskOf`): the clients, where each has only one. */
  readonly tasks: readonly number[];
  /** Which of each task's acquires it is, by number. */
  readonly acquires: string;
  /** When the last of the grants in conflict was completed; undefined where none is. */
  readonly since: number | undefined;
}

/**
 * Whether a violation is in the other run too: of the same property and key, and of the same clients, or of clients
 * that were not in conflict in the first run. If it is not, the other run must still have had contention for the lock.
 */
export function compare(
  original: JudgedRun,
  property: Property,
  violation: Violation,
  other: JudgedRun,
  accused?: Hypothesis,
): Comparison {
  const found = other.verdict.properties[property];
  const mine = conflictOf(violation, original);
  const before = conflictsOf(original, property).filter(({ key }) => key === mine.key);
  const operation = accused?.ground.on === "operation" ? accused.ground.invoked : undefined;
  const leftOut = operation === undefined ? undefined : sameOperation(original, operation, other);
  // What an operation took from a holder shows while that holder has the lock: later conflicts have causes of their own.
  const until = operation === undefined ? undefined : endOfVictim(original, other, violation, operation);
  const isLater = ({ since, acquires }: Conflict): boolean =>
    until !== undefined && since !== undefined && since > until && acquires !== mine.acquires;
  const after = conflictsOf(other, property, leftOut).filter((each) => each.key === mine.key && !isLater(each));
  const clean = Object.values(other.verdict.properties).every(({ verdict }) => verdict !== "invalid");
  const gone = { outcome: "gone", clean } as const;
  // A client that gives up the lock within its lease outlives no lease, whether or not another client asked for the
  // lock, and whatever else the two are at odds about.
  const within = clientWithinLease(original, other, accused);
  if (within !== undefined) return { ...gone, within };
  if (isStill(mine, before, after)) {
    const moved = operation === undefined ? undefined : movedFault(original, other, operation);
    return moved === undefined
      ? { outcome: "still" }
      : { outcome: "undecided", why: `${faultInWords(moved)} comes at another moment there` };
  }
  const robbed = operation === undefined ? undefined : ungrantedVictim(original, other, violation);
  if (robbed !== undefined) return { outcome: "undecided", why: robbed };
  if (accused?.cause === "foreign-release" && isLostAnyway(original, other, violation)) return { outcome: "still" };
  // A lock that is granted again is not stuck, however the run ends.
  const granted = clientGrantedInstead(original, other, property, violation);
  if (granted !== undefined) return { ...gone, granted };
  const missing = missingFaults(original, other);
  const limit = property === "deadlock-freedom" ? undefined : limitAfterConflict(mine, other);
  const reasons = newReasons(original, other).filter((reason) => limit === undefined || !reason.startsWith(limit));
  const incomparable = whyIncomparable(other, mine, found);
  const why = toldElsewhere(reasons[0], other) ?? incomparable;
  if (why === undefined) return gone;
  const onlyMissing = incomparable === undefined && missing.length > 0 && reasons.length === missing.length;
  return { outcome: "undecided", why, ...(onlyMissing ? { missing } : {}) };
}

/**
 * Why the other run proves nothing although the first did. A fault that never came in either, or was not seen to take
 * effect in either, is no difference between them, even if something else differed at that moment.
 */
function newReasons(original: JudgedRun, other: JudgedRun): readonly string[] {
  const before = new Set(doubtfulFaults(original).map(sameInAnyRun));
  const shared = doubtfulFaults(other).filter((event) => before.has(sameInAnyRun(event)));
  const known = new Set([...original.verdict.reasons, ...shared.map(doubtInWords)]);
  return other.verdict.reasons.filter((reason) => !known.has(reason));
}

/**
 * That the other run reached its time limit, in words, where it went on for longer than it took to the grants in conflict, and
 * the same tasks asked for the lock as often. That its clients then waited for the lock in vain says nothing about them.
 */
function limitAfterConflict({ key, acquires, since }: Conflict, other: JudgedRun): string | undefined {
  const { end, events } = other.history;
  if (end?.value.run !== "limit" || since === undefined || end.value.at <= since) return undefined;
  const asked = new Set(
    events
      .filter((event) => event.type === "invoke" && event.f === "acquire" && event.key === key)
      .map((event) => `${taskOf(event, other)}:${countOf(other, event)}`),
  );
  return acquires.split(" ").every((acquire) => asked.has(acquire)) ? timeLimitInWords(end) : undefined;
}

/** A reason of the other run as this run's report may give it. */
function toldElsewhere(reason: string | undefined, other: JudgedRun): string | undefined {
  const fault = doubtfulFaults(other).find((event) => doubtInWords(event) === reason);
  return fault === undefined ? reason : doubtElsewhere(fault);
}

/** Positions in the plan of faults that never came in the other run, though they did in the first. */
function missingFaults(original: JudgedRun, other: JudgedRun): readonly number[] {
  const skippedIn = (run: JudgedRun): readonly number[] =>
    doubtfulFaults(run).flatMap(({ value }) =>
      value.outcome === "skipped" && value.step !== undefined ? [value.step] : [],
    );
  const before = new Set(skippedIn(original));
  return skippedIn(other).filter((step) => !before.has(step));
}

/** The faults of the plan that never came, or of which nothing was seen. */
function doubtfulFaults({ history }: JudgedRun): readonly FaultEvent[] {
  return history.events.filter(
    (event) => event.type === "fault" && event.value.step !== undefined && event.value.outcome !== "installed",
  ) as readonly FaultEvent[];
}

/** What an event of a fault has in common with that of the same fault in another run. */
function sameInAnyRun({ value: { step, phase, outcome } }: FaultEvent): string {
  return `${step} ${phase} ${outcome}`;
}

/** Whether two violations of two runs are about the same key and the same clients. */
export function isAlike(one: Violation, ofOne: JudgedRun, other: Violation, ofOther: JudgedRun): boolean {
  const [mine, theirs] = [conflictOf(one, ofOne), conflictOf(other, ofOther)];
  return mine.key === theirs.key && isOfSame(mine)(theirs);
}

function isStill(mine: Conflict, before: readonly Conflict[], after: readonly Conflict[]): boolean {
  const same = after.filter(isOfSame(mine));
  if (same.some(({ acquires }) => acquires === mine.acquires)) return true;
  if (same.length >= before.filter(isOfSame(mine)).length && same.length > 0) return true;
  return after.some((other) => !before.some(isOfSame(other)) && isBetweenGrants(other) === isBetweenGrants(mine));
}

function isOfSame({ tasks }: Conflict): (other: Conflict) => boolean {
  return (other) => tasks.join(" ") === other.tasks.join(" ");
}

/** Whether grants are in conflict with each other; a single one can be wrong by itself. */
function isBetweenGrants({ acquires }: Conflict): boolean {
  return acquires.includes(" ");
}

function whyIncomparable(
  other: JudgedRun,
  { key, tasks }: Conflict,
  found: { readonly verdict: string; readonly reason?: string } | undefined,
): string | undefined {
  if (found === undefined || found.verdict === "unknown" || found.verdict === "not-applicable") {
    return found?.reason ?? "the checker could not decide";
  }
  const asking = new Set(
    other.history.events
      .filter((event) => event.type === "invoke" && event.f === "acquire" && event.key === key)
      .map((event) => taskOf(event, other)),
  );
  const missing = key === undefined ? undefined : tasks.find((task) => !asking.has(task));
  if (missing === undefined) return undefined;
  return `client-${clientNumber({ process: missing }, other.history)} never tries to acquire ${key} there`;
}

/**
 * A fault that came while the accused operation was under way, and comes at another time without it: what it does there to
 * the next operation of that kind is no evidence about this one.
 */
function movedFault(original: JudgedRun, other: JudgedRun, invoked: number): FaultEvent | undefined {
  const { events } = original.history;
  const process = events[invoked]?.process;
  const end = events.find((event) => event.index > invoked && event.process === process && event.type !== "invoke");
  const during = startsOf(original).filter(({ index }) => index > invoked && index < (end?.index ?? Infinity));
  return during.find(({ time, value }) => {
    const again = startsOf(other).find((start) => start.value.step === value.step);
    return again !== undefined && again.time !== time;
  });
}

/** The beginnings of the faults of the plan. */
export function startsOf({ history }: JudgedRun): readonly FaultEvent[] {
  return history.events.filter(
    (event) => event.type === "fault" && event.value.phase === "start" && event.value.step !== undefined,
  ) as readonly FaultEvent[];
}

/** The client that outlived its lease, if it gives the same lock up within its lease in the other run. */
function clientWithinLease(original: JudgedRun, other: JudgedRun, accused: Hypothesis | undefined): number | undefined {
  if (accused?.cause !== "overrun" || accused.grant === undefined) return undefined;
  const which = holdsOf(original.history).find(({ grantedIndex }) => grantedIndex === accused.grant);
  if (which === undefined) return undefined;
  const task = taskOf(which, original);
  const ordinal = acquiresUpTo(original, which);
  const again = holdsOf(other.history).find(
    (hold) => taskOf(hold, other) === task && hold.key === which.key && acquiresUpTo(other, hold) === ordinal,
  );
  const inTime = again?.end !== undefined && again.end.by === "release" && again.end.time <= again.leaseEnd;
  return inTime ? Number(clientNumber(which, original.history)) : undefined;
}

/**
 * The client that was refused although nobody held the lock, if it is granted that lock in the other run more often than
 * it had been before.
 */
function clientGrantedInstead(
  original: JudgedRun,
  other: JudgedRun,
  property: Property,
  { events, finding }: Violation,
): number | undefined {
  if (property !== "deadlock-freedom") return undefined;
  const shown = (finding?.events ?? events).map((index) => eventAt(original.history, index));
  const refusal = shown.find((event) => event?.type === "fail" && event.f === "acquire");
  if (refusal === undefined || !("key" in refusal)) return undefined;
  const task = taskOf(refusal, original);
  const grantsIn = (run: JudgedRun, until: number): number =>
    run.history.events.filter(
      (event) =>
        event.index < until &&
        event.type === "ok" &&
        event.f === "acquire" &&
        event.key === refusal.key &&
        taskOf(event, run) === task,
    ).length;
  const instead = grantsIn(other, Infinity) > grantsIn(original, refusal.index);
  return instead ? Number(clientNumber(refusal, original.history)) : undefined;
}

/** @param leftOut index of an operation that was not carried out: its answer is made up, and violates nothing */
function conflictsOf(run: JudgedRun, property: Property, leftOut?: number): readonly Conflict[] {
  return (run.verdict.properties[property]?.violations ?? [])
    .filter(({ events, finding }) => leftOut === undefined || !(finding?.events ?? events).includes(leftOut))
    .map((violation) => conflictOf(violation, run));
}

function conflictOf({ events, finding, holders }: Violation, run: JudgedRun): Conflict {
  const shown = (finding?.events ?? events)
    .map((index) => eventAt(run.history, index))
    .filter((event) => event !== undefined);
  const key = shown.map((event) => ("key" in event ? event.key : undefined)).find((name) => name !== undefined);
  const tasks = (holders ?? shown).map((each) => taskOf(each, run));
  const grants = shown.filter((event) => event.f === "acquire" && event.type === "ok");
  const acquires = grants.map((event) => `${taskOf(event, run)}:${countOf(run, event)}`);
  const since = grants.length === 0 ? undefined : Math.max(...grants.map(({ time }) => time));
  return {
    key,
    tasks: [...new Set(tasks.filter((task) => task !== undefined))].toSorted((one, other) => one - other),
    acquires: acquires.toSorted().join(" "),
    since,
  };
}
