import { ONE_OF_SEVERAL } from "../../history/history.ts";
import type { CompletionEvent } from "../../history/operations.ts";
import type { HistoryStep } from "./history-step.ts";

const CONTENDED: ReadonlySet<unknown> = new Set(["contended", ONE_OF_SEVERAL]);

/** Of what a driver says, no more characters than this. */
const MOST_WORDS = 200;

/**
 * How the first acquire ended that was neither granted nor refused as contended. If none was ever granted, it shows what
 * is wrong: often the driver calls its library in another way than the library wants to be called.
 */
export class FirstRefusal {
  #first: CompletionEvent | undefined;
  #granted = false;
  #contended = false;

  push({ event, invocation }: HistoryStep): void {
    if (this.#granted || invocation?.f !== "acquire") return;
    if (event.type === "ok") this.#granted = true;
    else if (event.type === "fail" && CONTENDED.has(event.value?.reason)) this.#contended = true;
    else if (event.type === "info" || event.type === "fail") this.#first ??= event as CompletionEvent;
  }

  /** Whether each acquire was refused as contended: nobody can have held the lock then. */
  get allContended(): boolean {
    return !this.#granted && this.#first === undefined && this.#contended;
  }

  /** As a reason for `unknown`; undefined if an acquire was granted, or each was refused as contended. */
  get reason(): string | undefined {
    if (this.#granted || this.#first === undefined) return undefined;
    const { type, value } = this.#first;
    const { reason, detail } = (value ?? {}) as { readonly reason?: unknown; readonly detail?: unknown };
    const words = typeof detail === "string" ? detail : reason;
    const why = typeof words === "string" ? `: ${words.slice(0, MOST_WORDS)}` : "";
    return `no acquire was granted, and the first that was not contended ended as ${type}${why}`;
  }
}
