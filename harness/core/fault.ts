import type { Arbitrary } from "fast-check";
import type { FaultTraits } from "./fault-traits.ts";
import type { SystemUnderTest } from "./system.ts";
import type { TopologySpec } from "./topology.ts";

/** Parameters of a fault as a plan holds them: plain JSON. */
export type FaultParams = Record<string, unknown>;

/**
 * A fault: how its parameters are generated, how it is injected, how its effect is seen, how it heals. Each fault is
 * one file in `faults`. It is the same on every backend, because it acts only through `SystemUnderTest`.
 */
export interface Fault<Kind extends string = string, Variant extends string = string> {
  readonly kind: Kind;
  /** One line for help texts: what happens in the world. */
  readonly summary: string;
  /** What it does to clients, servers and links: all that checkers, claims and reports know of it. */
  readonly traits: FaultTraits;
  /** Present if claims treat it as another fault under some of its parameters. */
  readonly variant?: FaultVariant<Variant> | undefined;
  /** Present if containers cannot inject it: there it is skipped, and a search leaves it out. */
  readonly onlyInSimulation?: true | undefined;
  /**
   * Why it cannot happen to the servers of this topology, with these parameters or with any, in a few words; undefined
   * if it can. A plan with a fault that cannot happen is refused.
   */
  unsupportedReason?(topology: TopologySpec, params?: FaultParams): string | undefined;
  /** Parameters worth trying on this topology with this many clients; undefined where the fault cannot occur. */
  arbitrary(topology: TopologySpec, clients: number): Arbitrary<FaultParams> | undefined;
  /**
   * The parameters that hit just this client or server, the most telling first: a systematic search tries each. Absent:
   * it tries a few that `arbitrary` draws.
   */
  readonly choices?: ((focus: FaultFocus) => readonly FaultParams[]) | undefined;
  /**
   * Present for a fault that goes on holding back a message when it is healed. Parameters with which it holds for
   * `forMs` what this client sends to these servers (`there`), or what they answer (`back`), while it is in force: if it
   * is healed at once, one message.
   */
  readonly holdsOne?: ((focus: FaultFocus, way: Way, forMs: number) => FaultParams) | undefined;
  /**
   * Reads the parameters and returns a function that injects the fault and looks for its effect. Injecting rejects only
   * when the harness itself failed. @throws UserError when the fault does not take these parameters
   */
  read(params: FaultParams): (system: SystemUnderTest) => Promise<InjectedFault>;
}

/** What a systematic search wants to hit: a client, and the server that it is speaking to. */
export interface FaultFocus {
  readonly topology: TopologySpec;
  /** How many clients the plan has. */
  readonly clients: number;
  readonly client: string;
  /** The server of a message, or all data nodes where the moment is no message. */
  readonly servers: readonly string[];
  /** The lease around which lengths matter, in milliseconds. */
  readonly leaseMs: number;
}

/** From a client to its servers, or from them to it. */
export type Way = "there" | "back";

/** A name for a fault with certain parameters, under which other promises of a lock end. */
export interface FaultVariant<Name extends string = string> {
  readonly name: Name;
  /** Whether a fault with these parameters, as a plan holds them, is of this variant. */
  applies(params: FaultParams): boolean;
}

/** A fault in force. `heal` undoes it and returns what was seen of the healing. */
export interface InjectedFault {
  /** The names of what it hit, after resolving roles such as `master`. */
  readonly targets: readonly string[];
  readonly outcome: FaultOutcome;
  readonly evidence: string;
  /** Absent for a fault that is over as soon as it happened: a failover, a reset, a clock jump. */
  readonly heal?: (() => Promise<{ readonly outcome: FaultOutcome; readonly evidence: string }>) | undefined;
}

/** `installed`: the effect was seen. `skipped`: nothing was done. `indeterminate`: done, but no effect was seen. */
export type FaultOutcome = "installed" | "skipped" | "indeterminate";
