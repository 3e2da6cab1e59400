import type { NoticeEvent } from "../../history/history.ts";
import type { PropertyVerdict, Violation } from "../../core/verdict.ts";
import type { HistoryStep } from "./history-step.ts";
import { listed } from "../../core/listed.ts";
import { timeWords } from "../words.ts";

const MOST_NAMED = 5;
/** More freezes than these are only counted. */
const MOST_KEPT = 1000;

/**
 * Freezes without a fault of the plan: somebody paused a container, stopped a client, or kept the harness from running.
 * Such a run shows nothing in favour of the lock, and the freeze may have caused what it shows against it.
 */
export class Freezes {
  /** The first of them. */
  readonly #seen: NoticeEvent[] = [];
  #count = 0;

  push({ event }: HistoryStep): void {
    if (event.type !== "notice") return;
    this.#count += 1;
    if (this.#seen.length < MOST_KEPT) this.#seen.push(event);
  }

  /** As reasons for `unknown`. */
  get reasons(): readonly string[] {
    const named = this.#seen
      .slice(0, MOST_NAMED)
      .map((event) => `${inWords(event)}, and no fault of the plan explains it: ${event.value.evidence}`);
    const rest = this.#count - named.length;
    return rest === 0 ? named : [...named, `${rest} more freezes that no fault of the plan explains`];
  }

  /** The same judgement; its violations mention the freezes that may have caused them. */
  mentioned(judged: PropertyVerdict): PropertyVerdict {
    if (this.#seen.length === 0 || judged.violations.length === 0) return judged;
    return { ...judged, violations: judged.violations.map((violation) => this.#mention(violation)) };
  }

  #mention(violation: Violation): Violation {
    const { overlap, explanation } = violation;
    const before = this.#seen.filter(({ value }) => overlap === undefined || value.from <= overlap.to);
    if (before.length === 0) return violation;
    const what = listed(before.slice(0, MOST_NAMED).map(inWords));
    const words = `${what}, which no fault of the plan explains and which is probably part of the cause.`;
    return { ...violation, explanation: `${explanation} ${words}` };
  }
}

function inWords({ value: { targets, from, to, lasts } }: NoticeEvent): string {
  const until = lasts === true ? "to the end of the run" : `to ${timeWords(to)}`;
  return `${listed(targets)} did not run from ${timeWords(from)} ${until}`;
}
