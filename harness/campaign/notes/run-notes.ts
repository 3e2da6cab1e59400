import { traitsOf } from "../../../faults/traits.ts";
import { CLIENT_CRASH, type FaultTraits, isUnknown, movesClocks, pausesClients } from "../../core/fault-traits.ts";
import type { History } from "../../history/history.ts";
import type { Plan } from "../../core/plan.ts";
import type { RunNote } from "../../core/run-note.ts";
import { type Cause, PROMISABLE, PROPERTIES, type Property, type Verdict, type Violation } from "../../core/verdict.ts";
import { programmerErrors } from "./programmer-errors.ts";
import { reasonKind } from "./reason-kind.ts";
import { slow } from "./slow.ts";

/** What decides a verdict: the lock's claims; what any lock of its topology can promise; or the caller. */
export type Basis = "claims" | "promisable" | "asked";

const BEYOND = { claims: "not-claimed", promisable: "not-promisable", asked: "not-asked" } as const;

/** The notes of a judged run. An invalid run has none, because it is the counterexample itself. */
export function notesOf(run: { plan: Plan; history: History; verdict: Verdict }, basis: Basis): readonly RunNote[] {
  const { verdict } = run.verdict;
  if (verdict === "invalid") return [];
  const broken = [
    ...crashes(run.history),
    ...floods(run.history),
    ...programmerErrors(run.history),
    ...brokenBeyond(run, BEYOND[basis]),
    ...outlived(run),
    ...slow(run.history),
  ];
  if (verdict === "valid") return broken;
  if (basis !== "asked" && promisesNothing(run))
    return [{ kind: "nothing-promised", what: "under the faults of the plan no property is guaranteed" }, ...broken];
  const kinds = new Set(undecidedReasons(run.verdict).map(reasonKind));
  const undecided = [...kinds].filter((what) => !TOLD_OTHERWISE.test(what));
  return [...undecided.map((what): RunNote => ({ kind: "undecided", what })), ...broken];
}

/** Reasons that have a kind of note of their own. */
const TOLD_OTHERWISE = /^(?:the lock crashed its client|the run was stopped) /;

/** How many messages a client sent, if the run was stopped for it. */
function floods({ end }: History): readonly RunNote[] {
  const { run, reason } = end?.value ?? {};
  return run === "limit" && reason !== undefined ? [{ kind: "flooded", what: reasonKind(reason) }] : [];
}

/** The error by which the lock crashed its clients. */
function crashes({ events }: History): readonly RunNote[] {
  const errors = events.flatMap((event) =>
    event.type === "fault" && event.f === CLIENT_CRASH
      ? [reasonKind(event.value.evidence ?? "no reason is known")]
      : [],
  );
  return [...new Set(errors)].map((what): RunNote => ({ kind: "crashed", what }));
}

/** Why a run is unknown: one reason or more, each in the words of the verdict. */
export function undecidedReasons({ required, reasons, properties }: Verdict): readonly string[] {
  const ofProperties = required.flatMap((property) => {
    const judged = properties[property];
    return judged?.verdict === "unknown" ? [`${property}: ${judged.reason ?? "the evidence does not decide"}`] : [];
  });
  const all = [...reasons, ...ofProperties];
  return all.length === 0 ? ["the evidence does not decide"] : all;
}

/**
 * Whether the faults left no promise of a lock that was granted: none of the required properties, if any, applies. Then
 * nothing else about the run matters. A lock that was never granted has another reason.
 */
function promisesNothing({ plan, verdict }: { plan: Plan; verdict: Verdict }): boolean {
  const { required, properties } = verdict;
  const granted = properties["lease-exclusion"]?.verdict !== "not-applicable";
  return plan.faults.length > 0 && granted && required.every((each) => properties[each]?.verdict === "not-applicable");
}

/** The violated properties that were not required. */
function brokenBeyond(
  { plan, history, verdict }: { plan: Plan; history: History; verdict: Verdict },
  kind: RunNote["kind"],
): readonly RunNote[] {
  const { properties, required } = verdict;
  // Two leases in force at once are never linearizable: the first violation is enough.
  const implied = isBroken(verdict, "lease-exclusion") ? ["linearizability"] : [];
  const beyond = PROPERTIES.filter((property) => !required.includes(property) && !implied.includes(property));
  return beyond.flatMap((property) => {
    const violations = properties[property]?.violations ?? [];
    const places = violations
      .filter((violation) => isPromisable(property) || isOfItsOwn(verdict, violation))
      .map((violation) => {
        // Nobody has tried these causes: the runs that prove them are made for a counterexample.
        const [fault, guess] = isProven(violation) ? [violation.fault, ""] : [undefined, "probably "];
        return `${property} ${under(plan, enabling(history, fault))} (${guess}${violation.cause})`;
      });
    return [...new Set(places)].map((what): RunNote => ({ kind, what }));
  });
}

function isPromisable(property: Property): boolean {
  return PROMISABLE.some((promisable) => promisable === property);
}

/**
 * Whether two holders, or a lost update, are more than the consequence of a broken lease or of a client that outlives
 * its lease.
 */
function isOfItsOwn(verdict: Verdict, violation: Violation): boolean {
  return !isBroken(verdict, "lease-exclusion") && !mayFollowFromOverrun(violation);
}

function mayFollowFromOverrun(violation: Violation): boolean {
  const { cause, hypotheses = [] } = violation;
  const possible = isProven(violation) ? [cause] : [cause, ...hypotheses.map((hypothesis) => hypothesis.cause)];
  return IN_OVERRUN.some((each) => possible.includes(each));
}

function isProven({ proof }: Violation): boolean {
  return proof?.standing === "proven";
}

/** Causes of lost updates, and of two holders, that follow from a client that outlives its lease. */
const IN_OVERRUN: readonly Cause[] = ["overrun", "stale-accepted", "stale-read"];

function outlived({ history, verdict }: { history: History; verdict: Verdict }): readonly RunNote[] {
  const { properties, required } = verdict;
  const overruns =
    properties["mutual-exclusion"]?.violations.some((violation) => {
      return (
        violation.cause === "overrun" || (!isBroken(verdict, "lease-exclusion") && mayFollowFromOverrun(violation))
      );
    }) ?? false;
  return overruns && !required.includes("mutual-exclusion")
    ? [{ kind: "outlived", what: `${lateWrites(history, verdict)}${isUntold(history, verdict) ? UNTOLD : ""}` }]
    : [];
}

const UNTOLD = "; the lock renews its leases, and told nobody in time that one was over";

/**
 * Whether the holder's process could have told it that the lease was over, and did not: the lock renews its leases, so it
 * knows when one ends, and no fault held a client up or moved its clock.
 */
function isUntold({ events }: History, { properties }: Verdict): boolean {
  return (
    properties["mutual-exclusion"]?.violations.some(isOverForCertain) === true &&
    events.some(({ type }) => type === "renewed") &&
    events.every((event) => event.type !== "fault" || !mayHoldUpClients(traitsOf(event.f)))
  );
}

/** Whether the lease was over, whatever kept the holder from noticing: that is all that is uncertain of such a violation. */
function isOverForCertain(violation: Violation): boolean {
  const { cause, hypotheses = [] } = violation;
  if (cause === "overrun" && isProven(violation)) return true;
  return (
    hypotheses.every((each) => each.cause === "overrun") && hypotheses.some(({ ground }) => ground.on === "history")
  );
}

function mayHoldUpClients(traits: FaultTraits): boolean {
  return pausesClients(traits) || movesClocks(traits) || isUnknown(traits);
}

/** What the guarded resource did with late writes. */
function lateWrites({ events }: History, verdict: Verdict): string {
  const judged = events.flatMap((event) => (event.type === "audit" ? [event.value] : []));
  if (isBroken(verdict, "stale-writes")) return "the resource accepted a late write";
  if (judged.some(({ accepted, fence }) => !accepted && fence !== undefined))
    return "the resource rejected the late write by its fencing token";
  if (judged.length === 0) return "no client wrote";
  return judged.every(({ fence }) => fence === undefined)
    ? "writes carried no fencing token, so the resource cannot reject a late one"
    : "no late write reached the resource";
}

function isBroken({ properties }: Verdict, property: Property): boolean {
  return properties[property]?.verdict === "invalid";
}

/**
 * The kind of the fault that made it possible; undefined where the verdict names none, or one that was not injected.
 */
function enabling({ events }: History, index: number | undefined): string | undefined {
  const event = index === undefined ? undefined : events.find((each) => each.index === index);
  return event?.type === "fault" ? event.f : undefined;
}

/** The faults of a plan, when one of them may be known as the cause. */
function under({ faults }: Plan, enabling?: string): string {
  const kinds = [...new Set(faults.map(({ kind }) => kind))].toSorted();
  if (enabling !== undefined && kinds.includes(enabling)) return `under ${enabling}`;
  return kinds.length === 0 ? "without faults" : `under ${kinds.join(" + ")}`;
}
