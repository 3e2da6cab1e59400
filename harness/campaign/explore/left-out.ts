import { faults } from "../../../faults/registry.ts";
import { topologySchema } from "../../core/topology.ts";
import { whyNotDrawn } from "../possible-faults.ts";
import type { ExploreParameters } from "./explore-journal.ts";
import { inFigures } from "../../core/words/in-figures.ts";

/** What an exploration does not try, one line each: the bound of what it can say. */
export function leftOut({ faults: chosen, topology: spec, ...parameters }: ExploreParameters): readonly string[] {
  const { seed, resolutionMs, longestMs, deviations, reduction } = parameters;
  const topology = topologySchema.parse(spec);
  const others = faults.filter(({ kind }) => !chosen.includes(kind));
  const possible = others.filter((fault) => fault.choices !== undefined && whyNotDrawn(fault, topology) === undefined);
  const impossible = others.filter((fault) => !possible.includes(fault));
  const names = (kinds: typeof others): string => kinds.map(({ kind }) => kind).join(", ");
  return [
    `more than ${deviations} deviation${deviations === 1 ? "" : "s"}`,
    ...(possible.length === 0 ? [] : [`faults that were not chosen: ${names(possible)}`]),
    ...(impossible.length === 0 ? [] : [`faults that cannot happen on ${topology.kind}: ${names(impossible)}`]),
    `deviations that begin at a message between servers, or at none`,
    `deviations that last longer than ${inFigures(longestMs)} ms`,
    reduction
      ? `deadlines that are less than ${inFigures(resolutionMs)} ms apart`
      : `lengths that are no multiple of ${inFigures(resolutionMs)} ms`,
    `other jitter than that of seed ${seed}`,
  ];
}
