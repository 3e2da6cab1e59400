import type { Hold } from "../../history/holds.ts";
import { rivalOf, victimOf } from "../causes/victims.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import type { LockOperation } from "./lock-models.ts";

/** The holds with which operations had to do, for explanations. */
export class HoldsOfOperations {
  readonly #begun = new WeakMap<LockOperation, Hold>();
  readonly #entered = new WeakMap<LockOperation, Hold>();
  readonly #beside = new WeakMap<LockOperation, Hold>();

  /** Takes note of an operation that this step completes. */
  note(operation: LockOperation, step: HistoryStep, evidence: SharedEvidence): void {
    const [hold, entered] = ["granted", "reentered"].map((how) => step.changes.find(({ kind }) => kind === how)?.hold);
    if (hold !== undefined) this.#begun.set(operation, hold);
    if (entered !== undefined) this.#entered.set(operation, entered);
    const rival = hold === undefined ? victimOf(step, evidence) : rivalOf(hold, evidence);
    if (rival !== undefined) this.#beside.set(operation, rival);
  }

  /** The hold that an acquire began. */
  begunBy(acquire: LockOperation): Hold | undefined {
    return this.#begun.get(acquire);
  }

  /** The hold that an acquire began, or entered once more. */
  heldBy(acquire: LockOperation): Hold | undefined {
    return this.#begun.get(acquire) ?? this.#entered.get(acquire);
  }

  /** The latest hold beside which an acquire began another one, or that a release or an extension took. */
  beside(operation: LockOperation): Hold | undefined {
    return this.#beside.get(operation);
  }
}
