import { HarnessError, UserError } from "../../core/errors.ts";
import type { History } from "../../history/history.ts";
import type { Verdict } from "../../core/verdict.ts";
import { HOPELESS, hopelessIn } from "../notes/hopeless.ts";
import { reasonsInWords } from "./outcome-words.ts";

/** What a lock answers once may be chance. So many plans of which it got none right, and none right between, are its driver's. */
const MOST_WITHOUT_GRANT = 5;

/** Why a hunt ended before its runs were done, although nobody ended it and its budget was not used up. */
export interface EndedBy {
  readonly reason: string;
  /** The error that kept a run from beginning or from ending, if one did. */
  readonly error?: UserError | HarnessError | undefined;
}

/**
 * Ends a hunt in which another run makes no sense: a run cannot be done, or the driver gets nothing right. What was found until
 * then counts.
 */
export class EarlyEnd {
  readonly #end = new AbortController();
  #by: EndedBy | undefined;
  #hopeless = 0;
  #runs: number;
  readonly #interruption: AbortSignal;

  /**
   * @param runs how many runs were done before
   * @param interruption aborts when the hunt is to end anyway, which ends the run that is under way, too
   */
  constructor(runs: number, interruption: AbortSignal) {
    this.#runs = runs;
    this.#interruption = interruption;
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
      if (isKnown && this.#runs > 0 && !this.#interruption.aborted)
        this.#because({ reason: "a run could not be done", error });
      throw error;
    }
  }

  /** Takes note of a run that was judged. */
  note(history: History, verdict: Verdict): void {
    const why = hopelessIn(history, verdict);
    if (why === undefined) this.#hopeless = 0;
    if (why === undefined || why === "perhaps") return;
    this.#hopeless += 1;
    if (this.#hopeless < MOST_WITHOUT_GRANT) return;
    const reason = `in ${MOST_WITHOUT_GRANT} runs nothing was granted ${HOPELESS[why]}`;
    this.#because({ reason: `${reason}: ${reasonsInWords(verdict)}` });
  }

  #because(by: EndedBy): void {
    this.#by ??= by;
    this.#end.abort(new UserError("the hunt ended early", "see its summary"));
  }
}
