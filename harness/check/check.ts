import { messageOf } from "../core/errors.ts";
import type { History, HistoryEnd, HistoryEvent, HistoryHeader } from "../history/history.ts";
import { PROPERTIES, type Property, type PropertyVerdict, type Verdict } from "../core/verdict.ts";
import type { Checker, CheckerFactory } from "./checker.ts";
import { allCheckers } from "./checkers.ts";
import type { LinearizabilityOptions } from "./properties/linearizability.ts";
import { AnsweredTries } from "./evidence/answered-tries.ts";
import { Crashes } from "./evidence/crashes.ts";
import { DriverMistakes } from "./evidence/driver-mistakes.ts";
import { endingNotes, unlessCutShort } from "./evidence/ending.ts";
import { SharedEvidence } from "./evidence/evidence.ts";
import { unknown } from "./findings.ts";
import { Freezes } from "./evidence/freezes.ts";
import { MarginWatch } from "./causes/margins.ts";
import { inOnePiece } from "./evidence/pieces.ts";
import type { HistoryStep } from "./evidence/history-step.ts";
import { doubtInWords } from "./words.ts";

export interface CheckOptions extends LinearizabilityOptions {
  /** The properties that decide the whole verdict; if absent, all that were checked. */
  readonly required?: readonly Property[];
  /** The checkers to run; if absent, all. */
  readonly checkers?: readonly CheckerFactory[] | undefined;
  /**
   * The history comes from elsewhere. A fault that was not seen to take effect, or missing contention, is then a
   * remark and does not make the verdict `unknown`.
   */
  readonly foreign?: boolean;
}

interface RunningChecker {
  readonly property: Property;
  readonly checker: Checker | undefined;
  failure: string | undefined;
}

/**
 * Judges a history event by event, so that histories of any length can be streamed through it. A checker that throws
 * makes its property `unknown`, with the reason, and leaves the others alone.
 */
export class HistoryChecker {
  readonly #evidence: SharedEvidence;
  readonly #options: CheckOptions;
  readonly #running: readonly RunningChecker[];
  readonly #margins: MarginWatch;
  readonly #mistakes: DriverMistakes;
  readonly #freezes = new Freezes();
  readonly #crashes = new Crashes();
  readonly #tries = new AnsweredTries();
  #evidenceFailure: string | undefined;

  constructor(header: HistoryHeader, options: CheckOptions = {}) {
    this.#evidence = new SharedEvidence(header);
    this.#margins = new MarginWatch(this.#evidence);
    this.#mistakes = new DriverMistakes(header);
    this.#options = options;
    this.#running = (options.checkers ?? allCheckers(options)).map((factory) => {
      const { property } = factory;
      try {
        return { property, checker: factory.create(this.#evidence), failure: undefined };
      } catch (error) {
        return { property, checker: undefined, failure: messageOf(error) };
      }
    });
  }

  push(event: HistoryEvent): void {
    if (this.#evidenceFailure !== undefined) return;
    let step: HistoryStep;
    try {
      step = this.#evidence.push(event);
      this.#margins.push(step);
      this.#mistakes.push(step);
      this.#freezes.push(step);
      this.#crashes.push(step);
      this.#tries.push(step);
    } catch (error) {
      this.#evidenceFailure = messageOf(error);
      return;
    }
    for (const running of this.#running) {
      if (running.failure !== undefined) continue;
      try {
        running.checker?.push(step);
      } catch (error) {
        running.failure = messageOf(error);
      }
    }
  }

  /** To be called once, after the last event, with what is known of the history's end. */
  finish(ending: HistoryEnd = {}): Verdict {
    return inOnePiece(this.finishing(ending));
  }

  /** The same, in pieces. */
  *finishing(ending: HistoryEnd = {}): Generator<undefined, Verdict> {
    const properties: Partial<Record<Property, PropertyVerdict>> = {};
    for (const running of this.#running) properties[running.property] = yield* this.#conclude(running);
    const { "deadlock-freedom": freedom } = properties;
    if (freedom !== undefined) properties["deadlock-freedom"] = unlessCutShort(this.#tries.orTooFew(freedom), ending);
    const { faults, endTime } = this.#evidence;
    const end = endingNotes(this.#evidence.header, ending, faults, endTime);
    const required = this.#options.required ?? PROPERTIES.filter((property) => properties[property] !== undefined);
    const doubts = this.#doubts();
    const foreign = this.#options.foreign ?? false;
    const silent = required.every((property) => properties[property]?.verdict === "not-applicable");
    const reasons = [
      ...end.reasons,
      ...this.#crashes.reasons,
      ...this.#freezes.reasons,
      ...this.#mistakes.reasons,
      ...(silent ? ["no event of the history concerns a required property"] : []),
      ...(this.#evidence.events === 0 ? ["the history holds no events"] : []),
      ...(foreign ? [] : doubts),
    ];
    return {
      verdict: worst(required, properties, reasons),
      required,
      properties,
      reasons,
      margins: this.#margins.finish(),
      remarks: [
        ...(foreign ? end.caveats : []),
        ...end.remarks,
        ...(foreign ? doubts : []),
        ...this.#running.flatMap(({ checker }) => checker?.remarks ?? []),
      ],
    };
  }

  *#conclude(running: RunningChecker): Generator<undefined, PropertyVerdict> {
    const failed = this.#evidenceFailure ?? running.failure;
    if (failed !== undefined || running.checker === undefined) return unknown(`the checker failed: ${failed ?? ""}`);
    try {
      const { checker } = running;
      const verdict = checker.finishing === undefined ? checker.finish() : yield* checker.finishing();
      return this.#freezes.mentioned(verdict);
    } catch (error) {
      return unknown(`the checker failed: ${messageOf(error)}`);
    }
  }

  /** Why the run as a whole may have proved nothing. */
  #doubts(): readonly string[] {
    const { faults, contention, events } = this.#evidence;
    if (events === 0) return [];
    const unproven = faults.faults.flatMap(({ event }) => doubtInWords(event) ?? []);
    return [...unproven, ...(contention.contended ? [] : ["no lock was ever contended"])];
  }
}

/** Judges a whole history. */
export function checkHistory(history: History, options: CheckOptions = {}): Verdict {
  const checker = new HistoryChecker(history.header, options);
  for (const event of history.events) checker.push(event);
  return checker.finish(history);
}

/** `invalid` over `unknown` over `valid`; properties that do not apply do not count. */
function worst(
  required: readonly Property[],
  properties: Readonly<Partial<Record<Property, PropertyVerdict>>>,
  reasons: readonly string[],
): Verdict["verdict"] {
  const outcomes = required.map((property) => properties[property]?.verdict ?? "unknown");
  if (outcomes.includes("invalid")) return "invalid";
  if (outcomes.includes("unknown") || reasons.length > 0) return "unknown";
  return "valid";
}
