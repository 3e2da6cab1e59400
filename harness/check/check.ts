import { messageOf } from "../core/errors.ts";
import type { History, HistoryEvent, HistoryHeader } from "../core/history.ts";
import { PROPERTIES, type Property, type PropertyVerdict, type Verdict } from "../core/verdict.ts";
import type { Checker, CheckerFactory } from "./checker.ts";
import { deadlockFreedom } from "./deadlock-freedom.ts";
import { Evidence } from "./evidence.ts";
import { fencingTokens } from "./fencing-tokens.ts";
import { unknown } from "./findings.ts";
import { leaseExclusion } from "./lease-exclusion.ts";
import { linearizability, type LinearizabilityOptions } from "./linearizability.ts";
import { lostUpdates } from "./lost-updates.ts";
import { MarginWatch } from "./margins.ts";
import { mutualExclusion } from "./mutual-exclusion.ts";
import { ownerRelease } from "./owner-release.ts";
import { staleWrites } from "./stale-writes.ts";
import type { Step } from "./step.ts";
import { faultInWords } from "./words.ts";

/** Every checker, in the order of the properties. */
export function allCheckers(options: LinearizabilityOptions = {}): readonly CheckerFactory[] {
  return [
    mutualExclusion,
    leaseExclusion,
    fencingTokens,
    staleWrites,
    lostUpdates,
    ownerRelease,
    deadlockFreedom,
    linearizability(options),
  ];
}

export interface CheckOptions extends LinearizabilityOptions {
  /** The properties that decide the whole verdict; all that were checked when absent. */
  readonly required?: readonly Property[];
  /** The checkers to run; all when absent. */
  readonly checkers?: readonly CheckerFactory[];
  /**
   * The history comes from elsewhere: that a fault was not seen to take effect, or that nobody met anybody, is then a
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
  readonly #evidence: Evidence;
  readonly #options: CheckOptions;
  readonly #running: readonly RunningChecker[];
  readonly #margins: MarginWatch;
  #evidenceFailure: string | undefined;

  constructor(header: HistoryHeader, options: CheckOptions = {}) {
    this.#evidence = new Evidence(header);
    this.#margins = new MarginWatch(this.#evidence);
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
    let step: Step;
    try {
      step = this.#evidence.push(event);
      this.#margins.push(step);
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

  /** To be called once, after the last event. */
  finish(): Verdict {
    const properties: Partial<Record<Property, PropertyVerdict>> = {};
    for (const running of this.#running) properties[running.property] = this.#conclude(running);
    const required = this.#options.required ?? PROPERTIES.filter((property) => properties[property] !== undefined);
    const doubts = this.#doubts();
    const foreign = this.#options.foreign ?? false;
    const silent = required.every((property) => properties[property]?.verdict === "not-applicable");
    const reasons = [
      ...(silent ? ["nothing in the history speaks of a required property"] : []),
      ...(this.#evidence.events === 0 ? ["the history holds no events"] : []),
      ...(foreign ? [] : doubts),
    ];
    return {
      verdict: worst(required, properties, reasons),
      required,
      properties,
      reasons,
      margins: this.#margins.finish(),
      remarks: [...(foreign ? doubts : []), ...this.#running.flatMap(({ checker }) => checker?.remarks ?? [])],
    };
  }

  #conclude(running: RunningChecker): PropertyVerdict {
    const failed = this.#evidenceFailure ?? running.failure;
    if (failed !== undefined || running.checker === undefined) return unknown(`the checker failed: ${failed ?? ""}`);
    try {
      return running.checker.finish();
    } catch (error) {
      return unknown(`the checker failed: ${messageOf(error)}`);
    }
  }

  /** Why the run, taken as a whole, may have proved nothing. */
  #doubts(): readonly string[] {
    const { faults, contention, events } = this.#evidence;
    if (events === 0) return [];
    const unproven = faults.faults
      .filter(({ event }) => event.value.outcome !== "installed")
      .map(({ event }) => {
        const { outcome, evidence } = event.value;
        const what = outcome === "skipped" ? "was skipped" : "was not seen to take effect";
        return `${faultInWords(event)} ${what}${evidence === undefined || evidence === "" ? "" : `: ${evidence}`}`;
      });
    return [...unproven, ...(contention.contended ? [] : ["no lock was ever contended"])];
  }
}

/** Judges a whole history. */
export function checkHistory(history: History, options: CheckOptions = {}): Verdict {
  const checker = new HistoryChecker(history.header, options);
  for (const event of history.events) checker.push(event);
  return checker.finish();
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
