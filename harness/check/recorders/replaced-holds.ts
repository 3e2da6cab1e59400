import type { HistoryEvent, LostEvent } from "../../history/history.ts";
import type { Hold, HoldTracker } from "../../history/holds.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import type { PossibleReplacements } from "./possible-replacements.ts";

/** The end of a hold that a client learned of, with the time from which on it is possible. */
export interface Loss extends Pick<LostEvent, "process" | "index" | "time" | "value"> {
  /** The event by which the hold was certainly over; undefined if a later hold of its owner value may be meant. */
  readonly until?: number | undefined;
}

/**
 * When the hold was over at the earliest of which a release found nothing, if another acquire of its client may have given it up, or
 * gone on with it under another owner value.
 */
export class ReplacedHolds {
  readonly #holds: HoldTracker;
  readonly #replacements: PossibleReplacements;
  /** By process, the hold that it is releasing. */
  readonly #releasing = new Map<number, Hold>();

  constructor(holds: HoldTracker, replacements: PossibleReplacements) {
    this.#holds = holds;
    this.#replacements = replacements;
  }

  /** The end of the hold that this answer to a release shows, with the time from which on it is possible. */
  push({ event, changes }: Pick<HistoryStep, "event" | "changes">): Loss | undefined {
    if (event.type === "invoke" && event.f === "release") this.#begin(event, changes);
    if (!("process" in event) || typeof event.process !== "number" || !isAnswer(event)) return undefined;
    const hold = this.#releasing.get(event.process);
    this.#releasing.delete(event.process);
    if (hold === undefined || !isMiss(event)) return undefined;
    const replaced = this.#replacements.since(hold);
    if (replaced === undefined) return undefined;
    const { index, time } = replaced.index < hold.invokedIndex ? begunOf(hold) : replaced;
    return { process: event.process, index, time, value: { owner: hold.owner }, until: event.index };
  }

  #begin(
    { key, process, value: { owner } }: Extract<HistoryEvent, { f: "release"; type: "invoke" }>,
    changes: HistoryStep["changes"],
  ): void {
    const hold = changes.find((change) => change.hold.owner === owner)?.hold ?? this.#holds.find(key, owner, process);
    if (hold !== undefined) this.#releasing.set(process, hold);
  }
}

/** Before this instant nothing can have ended it. */
function begunOf({ invokedIndex: index, invokedTime: time }: Hold): { readonly index: number; readonly time: number } {
  return { index, time };
}

function isAnswer({ type }: HistoryEvent): boolean {
  return type === "ok" || type === "fail" || type === "info";
}

function isMiss(event: HistoryEvent): boolean {
  return event.type === "ok" && event.f === "release" && !event.value.released;
}
