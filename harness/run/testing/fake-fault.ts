import { UserError } from "../../core/errors.ts";
import type { Fault, FaultOutcome } from "../../core/fault.ts";
import type { SystemUnderTest } from "../../core/system.ts";

export interface FakeFaultOptions {
  readonly targets?: readonly string[];
  readonly outcome?: FaultOutcome;
  /** How long injecting takes, on the system's clock. */
  readonly injectionMs?: number;
  /** Called when it is injected, before that time passes. It may throw. */
  readonly onInject?: (system: SystemUnderTest) => void;
  readonly onHeal?: () => void;
  /** False for a fault that is over as soon as it happened. */
  readonly heals?: boolean;
}

/** A fault that does what a test says. It takes no parameters. */
export function fakeFault(kind: string, options: FakeFaultOptions = {}): Fault {
  const { targets = ["node-0"], outcome = "installed", injectionMs = 0, heals = true } = options;
  return {
    kind,
    summary: "a fault of a test",
    traits: { duration: heals ? "lasting" : "instant" },
    arbitrary: () => undefined,
    read: (params) => {
      if (Object.keys(params).length > 0) throw new UserError(`${kind} takes no parameters`, "leave them out");
      return async (system) => {
        options.onInject?.(system);
        if (injectionMs > 0) await system.clock.sleep(injectionMs);
        const heal = async () => {
          options.onHeal?.();
          return { outcome: "installed" as const, evidence: `${kind} healed` };
        };
        return { targets, outcome, evidence: `${kind} seen`, ...(heals ? { heal } : {}) };
      };
    },
  };
}
