import type { VerifySettings } from "./settings.ts";
import type { Verification } from "./verify-options.ts";

/** Not one run decided anything: the lock was never granted to two clients in turn, say, or no fault had an effect. */
export class UndecidedError extends Error {
  override readonly name = "UndecidedError";
  readonly verification: Verification;

  constructor({ lock, topology }: VerifySettings, verification: Verification) {
    const { runs, unknown } = verification;
    super(
      `nothing was decided about ${lock}: ${runs} run(s), ${unknown} unknown; ` +
        `see why with npx lockstorm hunt --lock ${lock} --topology ${topology.kind}, or give it more time`,
    );
    this.verification = verification;
  }
}
