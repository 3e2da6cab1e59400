import { beganFree } from "../evidence/held-before.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import { type HistoryHeader, NANOSECONDS_PER_MS } from "../../history/history.ts";
import type { CompletionEvent, InvocationEvent } from "../../history/operations.ts";
import { clientInWords, timeWords } from "../words.ts";
import { LONG_WAIT_MS } from "./long-wait.ts";

/** An operation that was answered late. */
export interface LateAnswer {
  readonly invocation: Extract<InvocationEvent, { f: "acquire" | "extend" | "release" }>;
  readonly answer: CompletionEvent;
  /** By how long it was late, in nanoseconds: an acquire counts from the end of its wait. */
  readonly late: number;
}

/** A driver whose library waits for ever is to give up an acquire so long after its wait (docs/drivers.md), as unknown. */
const GIVING_UP_MS = 1000;

/**
 * Releases and extensions that take more than half a second, and acquires that take as much longer than they were to wait,
 * although no fault has happened: the client may stand behind another request of its own. Judged until the first fault, in
 * histories that lockstorm recorded.
 */
export class LateAnswers {
  readonly #tell: (answer: LateAnswer) => void;
  #disturbed: boolean;

  /** @param tell called with each such answer */
  constructor(header: HistoryHeader, tell: (answer: LateAnswer) => void) {
    this.#disturbed = !beganFree(header);
    this.#tell = tell;
  }

  push({ event, invocation }: Pick<HistoryStep, "event" | "invocation">): void {
    if (this.#disturbed) return;
    if (event.type === "notice" || (event.type === "fault" && event.value.outcome !== "skipped"))
      this.#disturbed = true;
    if (event.type !== "ok" && event.type !== "fail" && event.type !== "info") return;
    if (invocation?.f !== "acquire" && invocation?.f !== "extend" && invocation?.f !== "release") return;
    const waitMs = invocation.f === "acquire" ? (invocation.value.waitMs ?? 0) : 0;
    const late = event.time - invocation.time - waitMs * NANOSECONDS_PER_MS;
    const graceMs = invocation.f === "acquire" && event.type === "info" ? GIVING_UP_MS : 0;
    if (late > (LONG_WAIT_MS + graceMs) * NANOSECONDS_PER_MS) this.#tell({ invocation, answer: event, late });
  }
}

/** Tells a late answer: what was asked, when, and how late the answer came. */
export function lateAnswerInWords(header: HistoryHeader, { invocation, answer, late }: LateAnswer): string {
  const { f, process, time } = invocation;
  const what = `the ${f === "extend" ? "extension" : f} of ${clientInWords(header, process)} at ${timeWords(time)}`;
  const after = f === "acquire" && (invocation.value.waitMs ?? 0) > 0 ? "after its wait was over" : "later";
  return `${what} was answered at ${timeWords(answer.time)}, ${timeWords(late)} ${after}, although no fault had happened`;
}
