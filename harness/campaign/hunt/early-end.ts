import { HarnessError, UserError } from "../../core/errors.ts";
import { type History, INVALID_ANSWER } from "../../history/history.ts";
import type { Verdict } from "../../core/verdict.ts";
import { outcomeWords } from "./outcome-words.ts";

/** What a lock answers once may be chance. So many plans in a row of which it got none right are its driver's. */
const MOST_IN_A_ROW = 5;

/** Why a hunt ended before its runs were done, although nobody ended it and its budget was not used up. */
export interface EndedBy {
  readonly reason: string;
  /** The error that kept a run from beginning or from ending, if one did. */
  readonly error?: UserError | HarnessError | undefined;
}

/**
 * Ends a hunt in which another run makes no sense: a run cannot be done, or the driver answers nothing but mistakes. What was
 * found until then counts.
 */
export class EarlyEnd {
  readonly #end = new AbortController();
  #by: EndedBy | undefined;
  #mistaken = 0;
  #runs: number;

  /** @param runs how many runs were done before */
  constructor(runs: number) {
    this.#runs = runs;
  }

  /** Aborts when no other run is to begin. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  get by(): EndedBy | undefined {
    return this.#by;
  }

  /**
   * Does a run of the hunt. Its error ends the hunt, and what the runs before it found counts, if there are some.
   * @throws what the run throws
   */
  async run<Result>(start: () => Promise<Result>): Promise<Result> {
    try {
      const result = await start();
      this.#runs += 1;
      return result;
    } catch (error) {
      const isKnown = error instanceof UserError || error instanceof HarnessError;
      if (isKnown && this.#runs > 0) this.#because({ reason: "a run could not be done", error });
      throw error;
    }
  }

  /** Takes note of a run that was judged. */
  note(history: History, verdict: Verdict): void {
    this.#mistaken = isMistaken(history, verdict) ? this.#mistaken + 1 : 0;
    if (this.#mistaken < MOST_IN_A_ROW) return;
    const reason = `in ${MOST_IN_A_ROW} runs in a row nothing was granted because of mistakes of the driver`;
    this.#because({ reason: `${reason}: ${outcomeWords(verdict).replace(/^unknown: /, "")}` });
  }

  #because(by: EndedBy): void {
    this.#by ??= by;
    this.#end.abort(new UserError("the hunt ended early", "see its summary"));
  }
}

/** Whether nothing was granted, and an answer was none or the lock ended its client. */
function isMistaken({ events, end }: History, { verdict }: Verdict): boolean {
  if (verdict !== "unknown") return false;
  const isGranted = events.some(({ type, f }) => type === "ok" && f === "acquire");
  const isWrong = events.some((event) => event.type === "info" && event.value?.reason === INVALID_ANSWER);
  return !isGranted && (isWrong || end?.value.run === "failed");
}
