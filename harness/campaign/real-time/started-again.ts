import { UserError } from "../../core/errors.ts";
import { NotBegunError } from "./failed-run.ts";

/**
 * Runs of one hunt, or checks of one checklist. In real time a client that could connect in an earlier run, and cannot in this
 * one, mostly owes that to a busy machine, as does a system that could be started: the run is tried once more. The first run
 * shows whether it can begin at all. In simulation the same would happen again.
 */
export class StartedAgain {
  #hasStarted: boolean;
  readonly #inRealTime: boolean;
  readonly #onAgain: (reason: string) => void;

  /**
   * @param onAgain is told why a run is tried again
   * @param hasStarted whether it is known that a run can begin, before one has. Default: false
   */
  constructor(inRealTime: boolean, onAgain: (reason: string) => void, hasStarted = false) {
    this.#hasStarted = hasStarted;
    this.#inRealTime = inRealTime;
    this.#onAgain = onAgain;
  }

  /** @throws what the run throws, the second time if it is tried again */
  async run<Result>(start: () => Promise<Result>): Promise<Result> {
    try {
      const result = await start();
      this.#hasStarted = true;
      return result;
    } catch (error) {
      if (!this.#inRealTime || !this.#hasStarted || !(error instanceof UserError || error instanceof NotBegunError))
        throw error;
      this.#onAgain(error.message);
      return start();
    }
  }
}
