import { shellWord } from "../core/words/shell-word.ts";
import { count } from "../../reports/wording.ts";
import type { VerificationOptions } from "../campaign/verification.ts";
import type { Verification } from "./verify-options.ts";
import { inFigures } from "../core/words/in-figures.ts";
import { unprinted } from "./unprinted.ts";

/**
 * No run decided anything, more runs are unknown than valid, or the lock crashed its client or flooded a server. Examples: the
 * lock was never granted to two clients in turn, or no fault took effect.
 */
export class UndecidedError extends Error {
  override readonly name = "UndecidedError";
  readonly verification: Verification;

  constructor({ lock, topology }: VerificationOptions, verification: Verification) {
    const { runs, valid, unknown, notes } = verification;
    const reason = notes.find(({ kind }) => ["crashed", "flooded", "undecided"].includes(kind));
    const why = reason === undefined ? "" : `, ${inFigures(reason.runs)} of them because ${reason.what}`;
    super(
      `the runs decided nothing about ${lock}: ${count(runs, "run")}, ${inFigures(valid)} valid, ${inFigures(unknown)} unknown${why}; ` +
        `see why with npx lockstorm hunt --lock ${shellWord(lock)} --topology ${topology.kind}, or give it more time`,
    );
    this.verification = verification;
    unprinted(this, "verification");
  }
}
