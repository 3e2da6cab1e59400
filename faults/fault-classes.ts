import type { FaultParams } from "../harness/core/fault.ts";
import { faults } from "./registry.ts";

/** The name of a fault with these parameters in claims: its variant, if they select one, or else its kind. */
export function classOf(kind: string, params: FaultParams = {}): string {
  const variant = faults.find((fault) => fault.kind === kind)?.variant;
  return variant?.applies(params) === true ? variant.name : kind;
}

/** Every name in claims for faults of this kind, with any parameters. */
export function classesOf(kind: string): readonly string[] {
  const variant = faults.find((fault) => fault.kind === kind)?.variant;
  return variant === undefined ? [kind] : [kind, variant.name];
}

/** The kind of the faults with this name in claims. */
export function kindOf(name: string): string {
  return faults.find(({ variant }) => variant?.name === name)?.kind ?? name;
}
