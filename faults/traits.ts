import {
  CLIENT_CRASH,
  CLIENT_CRASH_TRAITS,
  PROMOTION,
  PROMOTION_TRAITS,
  UNKNOWN_TRAITS,
  type FaultTraits,
} from "../harness/core/fault-traits.ts";
import { faults } from "./registry.ts";

const BY_KIND: ReadonlyMap<string, FaultTraits> = new Map<string, FaultTraits>([
  ...faults.map(({ kind, traits }) => [kind, traits] as const),
  [PROMOTION, PROMOTION_TRAITS],
  [CLIENT_CRASH, CLIENT_CRASH_TRAITS],
]);

/** How a fault of lockstorm begins or ends. */
type FaultPhase = readonly [kind: string, phase: "start" | "heal"];

const BY_JEPSEN_NAME: ReadonlyMap<string, FaultPhase> = new Map(
  faults.flatMap(({ kind, traits: { jepsen } }): (readonly [string, FaultPhase])[] => [
    ...(jepsen?.start ?? []).map((name) => [name, [kind, "start"]] as const),
    ...(jepsen?.heal ?? []).map((name) => [name, [kind, "heal"]] as const),
  ]),
);

/** The traits of the faults that a history calls `kind`. */
export function traitsOf(kind: string): FaultTraits {
  return BY_KIND.get(kind) ?? UNKNOWN_TRAITS;
}

/** The fault that an operation of a Jepsen nemesis begins or ends; undefined if lockstorm has no such fault. */
export function jepsenFault(name: string): FaultPhase | undefined {
  return BY_JEPSEN_NAME.get(name);
}
