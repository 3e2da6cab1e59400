import { dataNodes } from "../../core/topology.ts";
import { topologyOf } from "../../core/topologies/registry.ts";
import type { Plan } from "../../core/plan.ts";
import type { PlacedFamily } from "./placed-families.ts";
import type { InputHistories } from "./input-histories.ts";

/**
 * The families that another one stands for, because it hits an equal server in an equal state: independent masters that
 * had the same inputs in the same order.
 *
 * Why one is enough: such servers differ in nothing but their names, and exchanging their names in a schedule gives
 * a schedule. The assumptions: the lock treats its servers alike; and jitter, which is fixed by the seed and differs
 * from server to server, is exchanged with the names, so that the bound is one deviation with the jitter of the seed or
 * with a permutation of it.
 * @returns indexes of those that are left out: the first of each orbit stays
 */
export function equalFamilies(
  families: readonly PlacedFamily[],
  { plan, inputs }: { readonly plan: Plan; readonly inputs: InputHistories },
): ReadonlySet<number> {
  const { kind } = plan.topology;
  if (topologyOf(kind).arrangement !== "independent") return new Set();
  const nodes = dataNodes(kind);
  const seen = new Set<string>();
  const left = new Set<number>();
  for (const [index, family] of families.entries()) {
    const states = new Map(nodes.map((node) => [node, stateOf(node, family, { plan, inputs })]));
    const key = keyOf(family, states);
    if (seen.has(key)) left.add(index);
    seen.add(key);
  }
  return left;
}

/** What distinguishes a server at the moment of a deviation: what reached it, and the faults that have hit it. */
function stateOf(
  node: string,
  { moment }: PlacedFamily,
  { plan, inputs }: { readonly plan: Plan; readonly inputs: InputHistories },
): string {
  const hits = plan.faults.filter(({ params }) => JSON.stringify(params).includes(`"${node}"`)).map(({ kind }) => kind);
  return `${inputs.before(node, moment.atNs)} ${hits.join()}`;
}

/** A deviation with the states of servers instead of their names. */
function keyOf({ does, kind, params, moment }: PlacedFamily, states: ReadonlyMap<string, string>): string {
  const { trigger, server, client } = moment;
  const isHere = (name: unknown): string => (name === server ? "here " : "");
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      const items: unknown[] = value.map(renamed);
      return value.every((each) => typeof each === "string") ? items.map(String).toSorted() : items;
    }
    if (typeof value === "string") return isHere(value) + (states.get(value) ?? value);
    return value;
  };
  const named = Object.entries(params).map(([name, value]) => [name, renamed(value)]);
  return JSON.stringify([does, kind, client, renamed(server), { ...trigger, server: undefined }, named]);
}
