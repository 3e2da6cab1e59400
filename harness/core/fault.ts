import type { Arbitrary } from "fast-check";
import type { SystemUnderTest } from "./system.ts";
import type { TopologySpec } from "./topology.ts";

/** Parameters of a fault as a plan holds them: plain JSON. */
export type FaultParams = Record<string, unknown>;

/**
 * A fault: how plans for it are generated, how it is injected, how its effect is seen, how it heals. One file each, in
 * `faults`. It is the same on every backend, because it acts only through `SystemUnderTest`.
 */
export interface Fault {
  readonly kind: string;
  /** One line for help texts: what happens in the world. */
  readonly summary: string;
  /** Present where containers cannot do it: there it is skipped, and a search leaves it out. */
  readonly onlyInSimulation?: true;
  /**
   * Why it cannot happen to the servers of this topology, with these parameters or with any: a few words. A plan with such
   * a fault is refused. Undefined where it can happen.
   */
  lack?(topology: TopologySpec, params?: FaultParams): string | undefined;
  /** Parameters worth trying on this topology with this many clients; undefined where the fault cannot occur. */
  arbitrary(topology: TopologySpec, clients: number): Arbitrary<FaultParams> | undefined;
  /**
   * Reads the parameters and gives what injects it and looks for its effect. Injecting rejects only when the harness
   * itself failed. @throws UserError when the fault does not take these parameters
   */
  read(params: FaultParams): (system: SystemUnderTest) => Promise<InjectedFault>;
}

/** A fault in force. `heal` undoes it and says what was seen of that. */
export interface InjectedFault {
  /** The names of what it hit, after resolving roles such as `master`. */
  readonly targets: readonly string[];
  readonly outcome: FaultOutcome;
  readonly evidence: string;
  /** Absent for a fault that is over as soon as it happened: a failover, a reset, a clock jump. */
  readonly heal?: () => Promise<{ readonly outcome: FaultOutcome; readonly evidence: string }>;
}

/** `installed`: the effect was seen. `skipped`: nothing was done. `indeterminate`: done, but no effect was seen. */
export type FaultOutcome = "installed" | "skipped" | "indeterminate";
