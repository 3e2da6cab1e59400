import { disturbsUntilHealed, killsClients } from "../../core/fault-traits.ts";
import { isMarked, type EndMarker, type HistoryEnd, type HistoryHeader } from "../../history/history.ts";
import type { PropertyVerdict } from "../../core/verdict.ts";
import type { FaultTimeline, RecordedFault } from "../../history/fault-timeline.ts";
import { notApplicable } from "../findings.ts";
import { listed } from "../../core/listed.ts";
import { faultInWords, timeWords } from "../words.ts";
import type { EndlessHolds } from "../properties/endless-holds.ts";
import type { UnansweredOperations } from "./unanswered.ts";
import { inFigures } from "../../core/words/in-figures.ts";

/** Faults that were in force for at least this share of a run explain why its time was too short. */
const MUCH_OF_THE_RUN = 0.5;
const MOST_NAMED = 3;

/** What the end of a history says about its verdict. */
export interface EndingNotes {
  /** Why nothing can be said in favour of the lock, even if all properties hold; a violation is proved all the same. */
  readonly reasons: readonly string[];
  readonly remarks: readonly string[];
  /** Remarks for a reader who did not record the history. */
  readonly caveats: readonly string[];
}

/** What clients may have waited for in vain, beside faults. */
interface WaitsOfClients {
  readonly unanswered: UnansweredOperations;
  readonly endless: EndlessHolds;
}

const NOTHING: EndingNotes = { reasons: [], remarks: [], caveats: [] };

/** Whether the end of the history is lost. */
export function isTorn(header: HistoryHeader, { end, cutLine }: HistoryEnd): boolean {
  return end === undefined && (isMarked(header) || cutLine !== undefined);
}

/**
 * Whether the history is whole, and whether the run came to an end that shows something. `lastTime` is that of the last
 * event, in nanoseconds.
 */
export function endingNotes(
  header: HistoryHeader,
  ending: HistoryEnd,
  faults: FaultTimeline,
  waits: WaitsOfClients,
  lastTime: number,
): EndingNotes {
  const { end, cutLine } = ending;
  if (end !== undefined) return markedNotes(end, faults, waits);
  if (!isTorn(header, ending)) {
    const caveat = `histories of version ${header.version} have no end marker, so it is unknown whether this one is complete`;
    return header["source"] === "jepsen" ? notesOnReading(header) : { ...NOTHING, caveats: [caveat] };
  }
  const tear = cutLine === undefined ? "its end marker is missing" : `line ${cutLine}, the last one, is truncated`;
  return reason(`the history is truncated: ${tear}; everything after ${timeWords(lastTime)} is lost`);
}

/**
 * How Jepsen's history was read. The order of a file's lines is the order of its events: times that do not fit it are
 * moved. Operations that are not a lock's are left out.
 */
function notesOnReading({ movedTimes, leftOut, leftOutNames }: HistoryHeader): EndingNotes {
  const remarks: string[] = [];
  if (typeof movedTimes === "number" && movedTimes > 0) {
    const events = movedTimes === 1 ? "1 event has" : `${inFigures(movedTimes)} events have`;
    remarks.push(
      `${events} a time below zero or before that of an earlier line, which was set to the latest time before`,
    );
  }
  if (typeof leftOut === "number" && leftOut > 0 && Array.isArray(leftOutNames)) {
    const events = leftOut === 1 ? "1 event was" : `${inFigures(leftOut)} events were`;
    const they = leftOut === 1 ? "it is of an operation" : "they are of operations";
    remarks.push(`${events} left out, because ${they} other than those of a lock: ${leftOutNames.join(", ")}`);
  }
  return { ...NOTHING, remarks };
}

/** A run that was stopped before most of its work was done cannot show deadlock freedom. */
export function unlessCutShort(judged: PropertyVerdict, { end }: HistoryEnd): PropertyVerdict {
  const sections = end?.value.sections;
  if (judged.verdict !== "valid" || sections === undefined || end?.value.run === "completed") return judged;
  if (sections.done * 2 >= sections.planned) return judged;
  return notApplicable(`only ${doneOf(sections)} when the run was stopped`);
}

/** That a run reached its time limit: how the reason begins why it shows nothing in favour of the lock. */
export function timeLimitInWords(end: EndMarker): string {
  return `the run reached its time limit ${stateAt(end)}`;
}

function stateAt({ value: { at, sections } }: EndMarker): string {
  return `at ${timeWords(at)}${sections === undefined ? "" : `, with ${doneOf(sections)}`}`;
}

function markedNotes(end: EndMarker, faults: FaultTimeline, waits: WaitsOfClients): EndingNotes {
  const { value } = end;
  const { at, sections } = value;
  const state = stateAt(end);
  switch (value.run) {
    case "completed":
      return NOTHING;
    case "interrupted":
      return reason(`the run was interrupted ${state}`);
    case "failed":
      return reason(`the run could not go on ${state}: ${value.reason ?? "no reason given"}`);
    case "limit": {
      if (value.reason !== undefined) return reason(`the run was stopped ${state}: ${value.reason}`);
      if (sections !== undefined && sections.done >= sections.planned) return NOTHING;
      const what = timeLimitInWords(end);
      const why = explanation(faults.faults, at) ?? waits.endless.explanation();
      if (why !== undefined) return { ...NOTHING, remarks: [`${what}: ${why}`] };
      const silence = waits.unanswered.explanation(at);
      return reason(`${what}, and no fault explains it${silence === undefined ? "" : `: ${silence}`}`);
    }
  }
}

function reason(text: string): EndingNotes {
  return { ...NOTHING, reasons: [text] };
}

function doneOf({ planned, done }: { readonly planned: number; readonly done: number }): string {
  return `${inFigures(done)} of ${inFigures(planned)} critical ${planned === 1 ? "section" : "sections"} done`;
}

/** What kept a run from finishing by `at`, in words; undefined if no fault did. */
function explanation(all: readonly RecordedFault[], at: number): string | undefined {
  const faults = all.filter(({ event }) => event.value.outcome !== "skipped" && event.time <= at);
  const lasting = faults.filter(({ traits }) => disturbsUntilHealed(traits));
  const inForce = lasting.filter(({ healed }) => (healed?.time ?? Infinity) >= at);
  if (inForce.length > 0) return `${named(inForce)} ${inForce.length === 1 ? "was" : "were"} still in force`;
  const deaths = faults.filter(({ traits }) => killsClients(traits));
  if (deaths.length > 0) return `${named(deaths)} ended clients early`;
  if (disturbedUntil(lasting, at) < at * MUCH_OF_THE_RUN) return undefined;
  return `${named(lasting)} took much of the run's time`;
}

function named(faults: readonly RecordedFault[]): string {
  const words = faults.slice(0, MOST_NAMED).map(({ event }) => faultInWords(event));
  const rest = faults.length - words.length;
  return listed(rest === 0 ? words : [...words, `${rest} more`]);
}

/** For how long, until `at`, at least one of these faults was in force. They are in the order of their starts. */
function disturbedUntil(faults: readonly RecordedFault[], at: number): number {
  let disturbed = 0;
  let upTo = 0;
  for (const { event, healed } of faults) {
    const to = Math.min(healed?.time ?? at, at);
    disturbed += Math.max(0, to - Math.max(event.time, upTo));
    upTo = Math.max(upTo, to);
  }
  return disturbed;
}
