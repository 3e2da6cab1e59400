import type { Supports } from "../../core/sharing.ts";
import type { Trial } from "./trial.ts";

/** What the checklist asks of a driver, and how it is tried out. Each check has a simulation of its own. */
export interface ConformityCheck {
  readonly name: string;
  /** What a right driver does, as one sentence without a full stop. */
  readonly asks: string;
  /** What a driver must declare in `supports` to be tried. */
  readonly needs?: keyof Supports;
  /** What is tried instead of a driver that says `leases: false`, or that nothing is. Default: the same. */
  readonly withoutLeases?: Pick<ConformityCheck, "asks" | "run"> | "nothing";
  /** Tries it out. It says what it finds by `mistake`, `remark` and `skip` of the trial. */
  readonly run: (trial: Trial) => Promise<void>;
}

/** The outcome of one check. */
export interface Conformity {
  readonly name: string;
  readonly asks: string;
  /**
   * `mistake`: the driver, or its lock, does not do what is asked. `remark`: it does, but something about it limits what
   * can be learned of the lock. `skipped`: the check does not apply, or could not be reached.
   */
  readonly outcome: "passed" | "mistake" | "remark" | "skipped";
  /** What was seen, a sentence each. */
  readonly details: readonly string[];
}
