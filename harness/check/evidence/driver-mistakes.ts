import { INVALID_ANSWER, type HistoryHeader } from "../../history/history.ts";
import type { CompletionEvent } from "../../history/operations.ts";
import type { HistoryStep } from "./history-step.ts";
import { clientInWords, timeWords } from "../words.ts";

/**
 * Invalid answers of the lock's driver: an empty owner value, a validity that is not a number. What such an operation
 * did is unknown, and the driver's author should hear of it before anything else.
 */
export class DriverMistakes {
  readonly #header: HistoryHeader;
  #first: CompletionEvent | undefined;
  #further = 0;

  constructor(header: HistoryHeader) {
    this.#header = header;
  }

  push({ event }: HistoryStep): void {
    if (event.type !== "info" || event.value?.reason !== INVALID_ANSWER) return;
    if (this.#first === undefined) this.#first = event;
    else this.#further += 1;
  }

  /** As reasons for `unknown`: one, if there was such an answer. */
  get reasons(): readonly string[] {
    const first = this.#first;
    if (first === undefined) return [];
    const { process, time, index, f } = first;
    const detail = (first.value as { readonly detail?: unknown }).detail;
    const what = typeof detail === "string" ? detail : "it gives no details";
    const more = this.#further === 0 ? "" : `, and ${this.#further} more`;
    return [
      `the lock's driver made a mistake in ${f} of ${clientInWords(this.#header, process)} at ${timeWords(time)} (event ${index}): ${what}${more}`,
    ];
  }
}
