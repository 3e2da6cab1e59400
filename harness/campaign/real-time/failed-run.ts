import { ClientEndedError, HarnessError } from "../../core/errors.ts";
import { firstError } from "../../core/first-error.ts";
import type { KeptRun } from "../kept-run.ts";

/**
 * The system of a run failed after the run had begun, or one of its clients was ended. What was recorded until then is kept,
 * and judged.
 */
export class FailedRunError extends HarnessError {
  override readonly name = "FailedRunError";
  readonly run: KeptRun;

  constructor(message: string, run: KeptRun, options?: ErrorOptions) {
    super(message, options);
    this.run = run;
  }

  /** Whether a client was ended, and nothing else is wrong with the system. */
  get isOfClient(): boolean {
    return firstError(this.cause) instanceof ClientEndedError;
  }
}

/** The system of a run could not be started, although others may: for example, on a machine that was too busy. */
export class NotBegunError extends HarnessError {
  override readonly name = "NotBegunError";
}
