import { UserError } from "../../core/errors.ts";

/**
 * Runs of one hunt in real time. A client that could connect in an earlier run, and cannot in this one, mostly owes that to a
 * busy machine: its run is tried once more. The first run shows whether it can connect at all.
 */
export class StartedAgain {
  #hasStarted = false;
  readonly #onAgain: (reason: string) => void;

  /** @param onAgain is told why a run is tried again */
  constructor(onAgain: (reason: string) => void) {
    this.#onAgain = onAgain;
  }

  /** @throws what the run throws, the second time if it is tried again */
  async run<Result>(start: () => Promise<Result>): Promise<Result> {
    try {
      const result = await start();
      this.#hasStarted = true;
      return result;
    } catch (error) {
      if (!this.#hasStarted || !(error instanceof UserError)) throw error;
      this.#onAgain(error.message);
      return start();
    }
  }
}
