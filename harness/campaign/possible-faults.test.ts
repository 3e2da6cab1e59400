import { describe, expect, test } from "vitest";
import { faults } from "../../faults/registry.ts";
import { TOPOLOGIES, topologySchema } from "../core/topology.ts";
import { plan } from "../run/testing/plans.ts";
import { refuseImpossibleFault, refuseSimulatedFaults, whyNotDrawn } from "./possible-faults.ts";

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

test("a plan with a fault that containers skip is not run there", () => {
  const of = (kind: string): ReturnType<typeof plan> =>
    plan({ lock: "single", clients: [{ sections: [] }], faults: [{ kind, params: {}, at: { atMs: 0 } }] });
  expect(() => refuseSimulatedFaults(of("clock-rate"))).toThrow(
    "the fault clock-rate cannot be injected on containers",
  );
  refuseSimulatedFaults(of("clock-jump"));
});
