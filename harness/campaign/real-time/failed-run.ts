import { HarnessError } from "../../core/errors.ts";
import type { KeptRun } from "../kept-run.ts";

/** The system of a run failed after the run had begun. What was recorded until then is kept, and judged. */
export class FailedRunError extends HarnessError {
  override readonly name = "FailedRunError";
  readonly run: KeptRun;

  constructor(message: string, run: KeptRun, options?: ErrorOptions) {
    super(message, options);
    this.run = run;
  }
}

/** The system of a run could not be started, although others may: for example, on a machine that was too busy. */
export class NotBegunError extends HarnessError {
  override readonly name = "NotBegunError";
}
