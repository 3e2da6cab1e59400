import { effectsOf, type FaultEffect, UNKNOWN_TRAITS } from "../harness/core/fault-traits.ts";
import type { FaultParams } from "../harness/core/fault.ts";
import { faults } from "./registry.ts";

/** A fault with certain parameters, as far as claims and limits of locks distinguish them. */
export interface ClassifiedFault {
  /** The fault's variant, if the parameters select one, or else its kind. Limits name it. */
  readonly name: string;
  /** What it does. Claims list such effects. */
  readonly effects: readonly FaultEffect[];
}

/** The class of a fault with these parameters. */
export function classOf(kind: string, params: FaultParams = {}): ClassifiedFault {
  const fault = faults.find((each) => each.kind === kind);
  if (fault?.milder?.applies(params) === true)
    return { name: kind, effects: effectsOf({ ...fault.traits, ...fault.milder.traits }) };
  const variant = fault?.variant;
  const name = variant?.applies(params) === true ? variant.name : kind;
  return classesOf(kind).find((each) => each.name === name) ?? { name, effects: effectsOf(UNKNOWN_TRAITS) };
}

/** Every class of the faults of this kind, with any parameters. */
export function classesOf(kind: string): readonly ClassifiedFault[] {
  const fault = faults.find((each) => each.kind === kind);
  if (fault === undefined) return [];
  const { traits, variant } = fault;
  if (variant === undefined) return [{ name: kind, effects: effectsOf(traits) }];
  return [
    { name: kind, effects: effectsOf({ ...traits, ...variant.otherwise }) },
    { name: variant.name, effects: effectsOf(traits) },
  ];
}

/** The names of the faults that do nothing but this, in the order of these effects: those that a claim covers. */
export function faultsCoveredBy(effects: readonly FaultEffect[]): readonly string[] {
  const place = (fault: ClassifiedFault): number => Math.max(...fault.effects.map((effect) => effects.indexOf(effect)));
  return faults
    .flatMap(({ kind }) => classesOf(kind))
    .filter((fault) => fault.effects.every((effect) => effects.includes(effect)))
    .toSorted((one, other) => place(one) - place(other))
    .map(({ name }) => name);
}

/** The kind of the faults with this name in limits. */
export function kindOf(name: string): string {
  return faults.find(({ variant }) => variant?.name === name)?.kind ?? name;
}
