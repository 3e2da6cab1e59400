import type { Arbitrary } from "fast-check";
import type { z } from "zod";
import { UserError } from "../harness/core/errors.ts";
import type {
  Fault,
  FaultFocus,
  FaultParams,
  FaultVariant,
  InjectedFault,
  MilderFault,
  Way,
} from "../harness/core/fault.ts";
import type { FaultTraits } from "../harness/core/fault-traits.ts";
import type { Evidence, SystemUnderTest } from "../harness/core/system.ts";
import type { TopologySpec } from "../harness/core/topology.ts";

/** A fault as its file writes it, with its parameters typed. */
export interface FaultDefinition<Kind extends string, Params extends FaultParams, Variant extends string> {
  readonly kind: Kind;
  readonly summary: string;
  readonly traits: FaultTraits;
  readonly variant?: FaultVariant<Variant>;
  /** See `Fault`. */
  readonly milder?: MilderFault;
  readonly params: z.ZodType<Params>;
  readonly onlyInSimulation?: true;
  /** See `Fault`. Without `params`: whether it can happen at all. Absent where it can happen everywhere. */
  unsupportedReason?(topology: TopologySpec, params: Params | undefined): string | undefined;
  arbitrary(topology: TopologySpec, clients: number): Arbitrary<Params> | undefined;
  /** See `Fault`. */
  choices?(focus: FaultFocus): readonly Params[];
  /** See `Fault`. */
  readonly holdsOne?: ((focus: FaultFocus, way: Way, forMs: number) => Params) | undefined;
  inject(system: SystemUnderTest, params: Params): Promise<InjectedFault>;
}

/** Closes a definition over the type of its parameters. */
export function defineFault<
  const Kind extends string,
  Params extends FaultParams,
  const Variant extends string = never,
>(definition: FaultDefinition<Kind, Params, Variant>): Fault<Kind, Variant> {
  const { kind, summary, traits, variant, milder, params: schema, onlyInSimulation } = definition;
  return {
    kind,
    summary,
    traits,
    variant,
    milder,
    onlyInSimulation,
    unsupportedReason: (topology, params) => definition.unsupportedReason?.(topology, schema.safeParse(params).data),
    arbitrary: (topology, clients) =>
      definition.unsupportedReason?.(topology, undefined) === undefined
        ? definition.arbitrary(topology, clients)
        : undefined,
    choices:
      definition.choices &&
      ((focus) =>
        definition.unsupportedReason?.(focus.topology, undefined) === undefined
          ? (definition.choices?.(focus) ?? [])
          : []),
    holdsOne: definition.holdsOne,
    read: (params) => {
      const parsed = schema.safeParse(params);
      if (parsed.success) return (system) => definition.inject(system, parsed.data);
      const issue = parsed.error.issues[0];
      const problem = issue === undefined ? "bad parameters" : `${issue.path.map(String).join(".")}: ${issue.message}`;
      throw new UserError(`the fault ${kind} cannot be read: ${problem}`, "correct its params in the plan");
    },
  };
}

/** Several pieces of evidence as one: `installed` only when each was observed, `skipped` when certainly nothing was done. */
export function combine(pieces: readonly Evidence[]): Pick<InjectedFault, "outcome" | "evidence"> {
  if (pieces.length === 0) return { outcome: "skipped", evidence: "there was no target to hit" };
  const seen = pieces.every(({ observed }) => observed) ? "installed" : "indeterminate";
  return {
    outcome: pieces.every(({ refused }) => refused === true) ? "skipped" : seen,
    evidence: pieces.map(({ detail }) => detail).join("; "),
  };
}
