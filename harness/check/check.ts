import { messageOf } from "../core/errors.ts";
import type { History, HistoryEnd, HistoryEvent, HistoryHeader } from "../history/history.ts";
import { PROPERTIES, type Property, type PropertyVerdict, type Verdict } from "../core/verdict.ts";
import type { Checker, CheckerFactory } from "./checker.ts";
import { allCheckers } from "./checkers.ts";
import type { LinearizabilityOptions } from "./properties/linearizability-options.ts";
import { AbandonedOperations } from "./recorders/abandoned-operations.ts";
import { AnsweredTries } from "./evidence/answered-tries.ts";
import { Crashes } from "./evidence/crashes.ts";
import { DriverMistakes } from "./evidence/driver-mistakes.ts";
import { EVIDENCE_LIMITS, excessOf, type EvidenceLimits } from "./evidence/evidence-limits.ts";
import { endingNotes, unlessCutShort, isTorn } from "./evidence/ending.ts";
import { ImplausibleTimes } from "./recorders/implausible-times.ts";
import { UnrecordedReleases } from "./recorders/unrecorded-releases.ts";
import { FirstRefusal } from "./evidence/first-refusal.ts";
import { SharedEvidence } from "./evidence/evidence.ts";
import { RECORDING_DELAY_NS } from "../history/fault-timeline.ts";
import { unknown } from "./findings.ts";
import { RemarkList } from "./remark-list.ts";
import { EndlessHolds } from "./properties/endless-holds.ts";
import { UnansweredOperations } from "./evidence/unanswered.ts";
import { FollowedKeys } from "./evidence/followed-keys.ts";
import { Freezes } from "./evidence/freezes.ts";
import { MarginWatch } from "./causes/margins.ts";
import { withShortValues } from "./evidence/long-values.ts";
import { inOnePiece } from "./evidence/pieces.ts";
import type { HistoryStep } from "./evidence/history-step.ts";
import { doubtInWords } from "./words.ts";
import { RecordedTimes } from "./clock/recorded-times.ts";
import { Lookahead } from "./lookahead.ts";

export interface CheckOptions extends LinearizabilityOptions {
  /** The properties that decide the verdict. Default: all that were checked. */
  readonly required?: readonly Property[];
  /** The checkers to run. Default: all. */
  readonly checkers?: readonly CheckerFactory[] | undefined;
  /**
   * Whether the history was recorded elsewhere. Then a fault without an observed effect, or missing contention, is only a
   * remark and does not make the verdict `unknown`.
   */
  readonly foreign?: boolean;
  /** How much the checkers follow at a time. Default: far more than a run needs. */
  readonly limits?: EvidenceLimits;
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
  readonly #refusal = new FirstRefusal();
  readonly #times: ImplausibleTimes;
  readonly #releases: UnrecordedReleases;
  readonly #unanswered: UnansweredOperations;
  readonly #endless: EndlessHolds;
  readonly #limits: EvidenceLimits;
  readonly #keys: FollowedKeys;
  readonly #clock: RecordedTimes;
  /** For a history that does not say how many clients ran, or that another program recorded. */
  readonly #ahead: Lookahead | undefined;
  /** For a history that says how many clients ran, and that another program recorded. */
  readonly #abandoned: AbandonedOperations | undefined;
  #evidenceFailure: string | undefined;
  /** Why the events from some event on are not judged. */
  #stopped: string | undefined;
  /** Why some events of a key are not judged. */
  #leftOut: string | undefined;
  #lastTime = 0;

  constructor(header: HistoryHeader, options: CheckOptions = {}) {
    this.#limits = options.limits ?? EVIDENCE_LIMITS;
    this.#keys = new FollowedKeys(this.#limits);
    this.#evidence = new SharedEvidence(header, options.foreign === true);
    this.#margins = new MarginWatch(this.#evidence);
    this.#mistakes = new DriverMistakes(header);
    this.#unanswered = new UnansweredOperations(header);
    this.#endless = new EndlessHolds(header);
    this.#times = new ImplausibleTimes(header);
    this.#releases = new UnrecordedReleases(header);
    this.#options = options;
    this.#clock = new RecordedTimes(header, options.foreign === true);
    const isForeign = header.clients === undefined || options.foreign === true;
    this.#abandoned = isForeign && header.clients !== undefined ? new AbandonedOperations(header) : undefined;
    this.#ahead = isForeign ? new Lookahead((event) => this.#foresee(event)) : undefined;
    this.#running = (options.checkers ?? allCheckers(options)).map((factory) => {
      const { property } = factory;
      try {
        return { property, checker: factory.create(this.#evidence), failure: undefined };
      } catch (error) {
        return { property, checker: undefined, failure: messageOf(error) };
      }
    });
  }

  push(recorded: HistoryEvent): void {
    this.#lastTime = recorded.time;
    for (const event of this.#clock.push(recorded)) this.#take(event);
  }

  #take(event: HistoryEvent): void {
    for (const known of this.#ahead?.push(event) ?? [event]) this.#judge(known);
  }

  #foresee(event: HistoryEvent): void {
    this.#evidence.holds.lineage.push(event);
    this.#abandoned?.foresee(event);
  }

  #judge(recorded: HistoryEvent): void {
    for (const event of this.#abandoned?.read(recorded) ?? [recorded]) this.#judgeOne(event);
  }

  #judgeOne(recorded: HistoryEvent): void {
    if (this.#evidenceFailure !== undefined) return;
    try {
      const event = this.#evidence.read(withShortValues(recorded));
      if (this.#stopped !== undefined || !this.#makesRoom(event)) {
        this.#overhear(event);
        return;
      }
      const step = this.#gather(event);
      this.#show(step);
      this.#evidence.judged(step);
      const excess = excessOf(this.#evidence, this.#limits);
      if (excess !== undefined) this.#stop(excess, step.event);
    } catch (error) {
      this.#evidenceFailure = messageOf(error);
    }
  }

  #gather(event: HistoryEvent): HistoryStep {
    const step = this.#evidence.push(event);
    this.#margins.push(step);
    this.#mistakes.push(step);
    this.#freezes.push(step);
    this.#crashes.push(step);
    this.#tries.push(step);
    this.#refusal.push(step);
    this.#unanswered.push(step);
    this.#endless.push(step);
    this.#times.push(step);
    this.#releases.push(step);
    return step;
  }

  #show(step: HistoryStep): void {
    for (const running of this.#running) {
      if (running.failure !== undefined) continue;
      try {
        running.checker?.push(step);
      } catch (error) {
        running.failure = messageOf(error);
      }
    }
  }

  #stop(excess: string, { index }: HistoryEvent): void {
    this.#stopped = `${excess}: nothing is judged from event ${index} on`;
  }

  /** Concludes idle keys if there is no room for the key of this event. False if the event cannot be judged. */
  #makesRoom(event: HistoryEvent): boolean {
    if (this.#keys.lacksRoomFor(event)) {
      const known = this.#keys.idle.filter((key) => this.#isKnown(key));
      // Half of them at once, because the search for idle keys takes time.
      for (const key of known.slice(0, Math.ceil(this.#limits.keys / 2))) this.#concludeKey(key);
    }
    const excess = this.#keys.use(event);
    if (excess === undefined) return true;
    this.#leftOut ??= `${excess}; it is not judged from event ${event.index} on, and other keys may be left out too`;
    return false;
  }

  #isKnown(key: string): boolean {
    return this.#running.every(({ checker, failure }) => failure !== undefined || checker?.knows?.(key) !== false);
  }

  #concludeKey(key: string): void {
    for (const running of this.#running) {
      if (running.failure !== undefined) continue;
      try {
        running.checker?.conclude?.(key);
      } catch (error) {
        running.failure = messageOf(error);
      }
    }
    this.#evidence.conclude(key);
    this.#margins.conclude(key);
    this.#keys.conclude(key);
  }

  /** Takes from an event that is not judged what may excuse the lock for judged events, or concerns the whole run. */
  #overhear(event: HistoryEvent): void {
    const { faults, endTime } = this.#evidence;
    const isRecordedLate = event.time <= endTime + RECORDING_DELAY_NS && faults.faults.length < this.#limits.faults;
    if (event.type === "fault" && isRecordedLate) faults.push(event);
    const step: HistoryStep = { event, invocation: undefined, changes: [], leaseOverlaps: [] };
    this.#mistakes.push(step);
    this.#freezes.push(step);
    this.#crashes.push(step);
  }

  /** To be called once, after the last event, with what is known of the history's end. */
  finish(ending: HistoryEnd = {}): Verdict {
    return inOnePiece(this.finishing(ending));
  }

  /** The same, in pieces. */
  *finishing(ending: HistoryEnd = {}): Generator<undefined, Verdict> {
    for (const event of this.#clock.finish(isTorn(this.#evidence.header, ending))) this.#take(event);
    for (const event of this.#ahead?.finish() ?? []) this.#judge(event);
    const verdict = yield* this.#decide(ending);
    return this.#clock.inRecording(verdict);
  }

  *#decide(ending: HistoryEnd): Generator<undefined, Verdict> {
    const properties: Partial<Record<Property, PropertyVerdict>> = {};
    this.#evidence.stop(ending.end?.value.at ?? 0);
    for (const running of this.#running) properties[running.property] = yield* this.#conclude(running);
    const { "deadlock-freedom": freedom } = properties;
    if (freedom !== undefined) properties["deadlock-freedom"] = unlessCutShort(this.#tries.orTooFew(freedom), ending);
    const { header, faults } = this.#evidence;
    const waits = { unanswered: this.#unanswered, endless: this.#endless };
    const end = endingNotes(header, ending, faults, waits, this.#lastTime);
    const required = this.#options.required ?? PROPERTIES.filter((property) => properties[property] !== undefined);
    const doubts = this.#doubts();
    const foreign = this.#options.foreign ?? false;
    const silent = required.every((property) => properties[property]?.verdict === "not-applicable");
    const reasons = [
      // The others may come of these.
      ...this.#mistakes.reasons,
      ...end.reasons,
      ...this.#crashes.reasons,
      ...this.#freezes.reasons,
      ...(silent && (foreign || this.#nothingGranted === undefined) ? [silenceOf(required, this.#refusal)] : []),
      ...(this.#evidence.events === 0 ? [this.#clock.excess ?? "the history holds no events"] : []),
      ...(foreign ? [] : doubts),
    ];
    return {
      verdict: worst(required, properties, reasons),
      required,
      properties,
      reasons,
      margins: this.#margins.finish(),
      remarks: [
        ...this.#times.remarks,
        ...this.#clock.remarks,
        ...this.#evidence.repeated.remarks,
        ...(foreign ? end.caveats : []),
        ...end.remarks,
        ...(foreign ? doubts : []),
        ...this.#running.flatMap(({ checker }) => checker?.remarks ?? []),
      ],
    };
  }

  /** Why something in the history was not judged. */
  get #excess(): string | undefined {
    return this.#stopped ?? this.#clock.excess ?? this.#leftOut;
  }

  *#conclude(running: RunningChecker): Generator<undefined, PropertyVerdict> {
    const failed = this.#evidenceFailure ?? running.failure;
    if (failed !== undefined || running.checker === undefined) return unknown(`the checker failed: ${failed ?? ""}`);
    try {
      const { checker } = running;
      const verdict = checker.finishing === undefined ? checker.finish() : yield* checker.finishing();
      if (this.#excess !== undefined && verdict.verdict !== "invalid") return unknown(this.#excess);
      const { property } = running;
      const certain = this.#releases.withoutDoubtful(property, this.#times.withoutDoubtful(property, verdict));
      return this.#freezes.mentioned(this.#evidence.repeated.withoutDoubtful(property, certain));
    } catch (error) {
      return unknown(`the checker failed: ${messageOf(error)}`);
    }
  }

  /** Why the run as a whole may prove nothing. */
  #doubts(): readonly string[] {
    const { faults, contention, events } = this.#evidence;
    if (events === 0) return [];
    const unproven = new RemarkList("more faults were skipped, or not seen to take effect");
    for (const { event } of faults.faults) {
      const doubt = doubtInWords(event);
      if (doubt !== undefined) unproven.add(doubt);
    }
    if (contention.contended || this.#excess !== undefined) return unproven.all;
    const nothingGranted = this.#nothingGranted;
    if (nothingGranted !== undefined) return [nothingGranted, ...unproven.all];
    // A client that crashed competes no more.
    return this.#crashes.reasons.length > 0 ? unproven.all : [...unproven.all, "no lock was ever contended"];
  }

  /** Why no acquire was granted, where that is why the history says nothing. */
  get #nothingGranted(): string | undefined {
    return this.#evidence.contention.contended || this.#excess !== undefined ? undefined : this.#refusal.reason;
  }
}

/** Judges a whole history. */
export function checkHistory(history: History, options: CheckOptions = {}): Verdict {
  const checker = new HistoryChecker(history.header, options);
  for (const event of history.events) checker.push(event);
  return checker.finish(history);
}

/** Why the history decides nothing. */
function silenceOf(required: readonly Property[], { allContended, reason }: FirstRefusal): string {
  if (required.length === 0) return "no property is required: the lock promises none in this run";
  if (allContended) return "every acquire was refused as contended, though no acquire was granted";
  return reason ?? "no event of the history concerns a required property";
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
