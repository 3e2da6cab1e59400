import type { Arbitrary } from "fast-check";
import type { FaultTraits } from "./fault-traits.ts";
import type { SystemUnderTest } from "./system.ts";
import type { TopologySpec } from "./topology.ts";

/** Parameters of a fault as a plan holds them: plain JSON. */
export type FaultParams = Record<string, unknown>;

/**
 * A fault: how its parameters are generated, how it is injected, how its effect is observed, how it is healed. Each fault is
 * one file in `faults`. It is the same on every backend, because it acts only through `SystemUnderTest`.
 */
export interface Fault<Kind extends string = string, Variant extends string = string> {
  readonly kind: Kind;
  /** One line for help texts: what happens in the world. */
  readonly summary: string;
  /** What it does to clients, servers and links. Checkers, claims and reports know nothing else of it. */
  readonly traits: FaultTraits;
  /** Present if claims treat the fault with certain parameters as a different fault. */
  readonly variant?: FaultVariant<Variant> | undefined;
  /** Present if the fault with certain parameters does less, so that locks promise more. Limits do not tell them apart. */
  readonly milder?: MilderFault | undefined;
  /** Present if containers cannot inject it. A run on containers skips it, and a search there leaves it out. */
  readonly onlyInSimulation?: true | undefined;
  /**
   * Why it cannot happen on this topology, with these parameters or (if there are none) at all, in a few words; undefined if
   * it can. A plan with a fault that cannot happen is refused.
   */
  unsupportedReason?(topology: TopologySpec, params?: FaultParams): string | undefined;
  /** Parameters worth trying on this topology with this many clients; undefined if the fault cannot happen there. */
  arbitrary(topology: TopologySpec, clients: number): Arbitrary<FaultParams> | undefined;
  /**
   * The parameters that hit only this client or server, the most telling first. A systematic search tries each of them. If
   * absent, it tries a few that `arbitrary` draws.
   */
  readonly choices?: ((focus: FaultFocus) => readonly FaultParams[]) | undefined;
  /**
   * Present for a fault that still holds back a message after it is healed. Returns parameters with which it delays by
   * `forMs` what this client sends to these servers (`there`), or what they answer (`back`), while it is in force. If it is
   * healed at once, it delays one message.
   */
  readonly holdsOne?: ((focus: FaultFocus, way: Way, forMs: number) => FaultParams) | undefined;
  /**
   * Reads the parameters and returns a function that injects the fault and observes its effect. That function rejects only
   * if the harness itself failed. @throws UserError when the fault does not take these parameters
   */
  read(params: FaultParams): (system: SystemUnderTest) => Promise<InjectedFault>;
}

/** What a systematic search wants to hit: a client, and the server that the client is talking to. */
export interface FaultFocus {
  readonly topology: TopologySpec;
  /** How many clients the plan has. */
  readonly clients: number;
  readonly client: string;
  /** The server of the message, or all data nodes if the moment is not a message. */
  readonly servers: readonly string[];
  /** The lease around which lengths matter, in milliseconds. */
  readonly leaseMs: number;
}

/** From a client to its servers, or from them to it. */
export type Way = "there" | "back";

/** A name for a fault with certain parameters, for which locks make other claims. */
export interface FaultVariant<Name extends string = string> {
  readonly name: Name;
  /** The traits of the fault with other parameters, where they differ from the fault's, which are those of the variant. */
  readonly otherwise: Partial<FaultTraits>;
  /** Whether a fault with these parameters, as a plan holds them, is of this variant. */
  applies(params: FaultParams): boolean;
}

/** What a fault does with certain parameters, where that is less than with others. */
export interface MilderFault {
  /** The traits where they differ from the fault's. */
  readonly traits: Partial<FaultTraits>;
  /** Whether a fault with these parameters, as a plan holds them, does no more than that. */
  applies(params: FaultParams): boolean;
}

/** A fault in force. `heal` undoes it and returns what was seen of the healing. */
export interface InjectedFault {
  /** The names of the processes or links that it hit, with roles such as `master` resolved. */
  readonly targets: readonly string[];
  readonly outcome: FaultOutcome;
  readonly evidence: string;
  /** Absent for a fault that happens at one instant: a failover, a reset, a clock jump. */
  readonly heal?: (() => Promise<{ readonly outcome: FaultOutcome; readonly evidence: string }>) | undefined;
}

/** `installed`: the effect was observed. `skipped`: nothing was done. `indeterminate`: done, but no effect was observed. */
export type FaultOutcome = "installed" | "skipped" | "indeterminate";
