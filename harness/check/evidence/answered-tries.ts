import type { PropertyVerdict } from "../../core/verdict.ts";
import { ONE_OF_SEVERAL } from "../../history/history.ts";
import { ANSWERED_LATE } from "../../history/unordered.ts";
import { notApplicable } from "../findings.ts";
import type { HistoryStep } from "./history-step.ts";
import { inFigures } from "../../core/words/in-figures.ts";

/**
 * How the acquires of a run ended. If most of them got neither the lock nor the answer that somebody holds it, as when
 * a server does not answer, the others show nothing about deadlock freedom.
 */
export class AnsweredTries {
  #tries = 0;
  #answered = 0;

  push({ event, invocation }: HistoryStep): void {
    // One that is granted very late is told once more before its grant.
    if (event.type === "invoke" && event.f === "acquire" && !(ANSWERED_LATE in event)) this.#tries += 1;
    if (invocation?.f !== "acquire") return;
    const reason = event.type === "fail" ? event.value?.reason : undefined;
    if (event.type === "ok" || reason === "contended" || reason === ONE_OF_SEVERAL) this.#answered += 1;
  }

  /** The judgement, or `not-applicable` in place of `valid` if too few tries were answered. */
  orTooFew(judged: PropertyVerdict): PropertyVerdict {
    if (judged.verdict !== "valid" || this.#answered * 2 >= this.#tries) return judged;
    return notApplicable(
      `only ${inFigures(this.#answered)} of ${inFigures(this.#tries)} attempts to acquire got the lock, or failed with the reason "contended"`,
    );
  }
}
