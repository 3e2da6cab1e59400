import { describe, expect, test } from "vitest";
import { faults } from "../../faults/registry.ts";
import { TOPOLOGIES, topologySchema } from "../core/topology.ts";
import { refuseImpossibleFault, whyNotDrawn } from "./possible-faults.ts";

describe("a fault that the topology cannot have", () => {
  test.each(TOPOLOGIES)("is refused on %s exactly when nothing can be drawn with it", (kind) => {
    const topology = topologySchema.parse({ kind });
    for (const fault of faults) {
      const refuse = (): void => refuseImpossibleFault(fault.kind, topology);
      if (fault.arbitrary(topology, 2) !== undefined && whyNotDrawn(fault, topology) === undefined) refuse();
      else expect(refuse).toThrow(`the fault ${fault.kind} cannot happen on ${kind}: `);
    }
  });
});
