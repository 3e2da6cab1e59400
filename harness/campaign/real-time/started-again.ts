import { UserError } from "../../core/errors.ts";
import { NotBegunError } from "./failed-run.ts";

/**
 * Runs of one hunt, or checks of one checklist. In real time a client that could connect in an earlier run, and cannot in this
 * one, mostly owes that to a busy machine, as does a system that could be started: the run is tried once more. The first run
 * shows whether it can begin at all; one that fails beside it waits for what it shows. In simulation the same would happen
 * again.
 */
export class StartedAgain {
  #hasStarted: boolean;
  readonly #inRealTime: boolean;
  readonly #onAgain: (reason: string) => void;
  readonly #underWay = new Set<Promise<unknown>>();

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
    const first = start();
    this.#underWay.add(first);
    try {
      const result = await first;
      this.#hasStarted = true;
      return result;
    } catch (error) {
      this.#underWay.delete(first);
      if (!this.#inRealTime || !(error instanceof UserError || error instanceof NotBegunError)) throw error;
      if (!(await this.#canStart())) throw error;
      this.#onAgain(error.message);
      return start();
    } finally {
      this.#underWay.delete(first);
    }
  }

  /** Whether a run has shown that one can begin, or one that is under way shows it. */
  async #canStart(): Promise<boolean> {
    if (this.#hasStarted) return true;
    const ends = await Promise.allSettled(this.#underWay);
    return ends.some(({ status }) => status === "fulfilled");
  }
}
