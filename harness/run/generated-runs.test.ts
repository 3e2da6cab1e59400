import fc from "fast-check";
import { expect, test } from "vitest";
import { faults } from "../../faults/registry.ts";
import { contentionPlans } from "../../workloads/contention.ts";
import { checkHistory } from "../check/check.ts";
import { parseHistory } from "../history/history-reader.ts";
import type { FaultEvent, HistoryEvent } from "../history/history.ts";
import type { Plan } from "../core/plan.ts";
import { topologySchema } from "../core/topology.ts";
import type { TopologyKind } from "../core/topologies/registry.ts";
import { runPlan } from "./run-plan.ts";
import { FakeSystem } from "./testing/fake-system.ts";

/** Runs a plan on a system as strict as a container engine; returns the history that the sink received. */
async function run(plan: Plan, injectionMs: number): Promise<readonly HistoryEvent[]> {
  const system = new FakeSystem({ topology: plan.topology.kind, clients: plan.clients.length });
  system.injectionMs = injectionMs;
  const lines: string[] = [];
  const sink = (line: string): void => void lines.push(line);
  const { history } = await system.clock.settle(runPlan({ plan, system, faults, sink }));
  const written = parseHistory(lines.join(""), "the sink");
  expect(written).toEqual(history);
  expect(checkHistory(written, { required: ["lease-exclusion", "fencing-tokens"] }).verdict).not.toBe("invalid");
  return written.events;
}

const isFault = (event: HistoryEvent): event is FaultEvent => event.type === "fault";

test.each(["single", "sentinel", "redlock"] as const)(
  "every plan generated for %s runs to its end and leaves a history that can be read",
  { tags: "long" },
  async (kind: TopologyKind) => {
    const plans = contentionPlans({ lock: "fake", topology: topologySchema.parse({ kind }), faults });
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(plans, fc.constantFrom(0, 3, 60), async (plan, injectionMs) => {
        const events = await run(plan, injectionMs);
        const injected = events.filter(isFault);
        const starts = injected.filter(({ value }) => value.phase === "start");
        expect(starts.map(({ f }) => f).toSorted()).toEqual(plan.faults.map(({ kind }) => kind).toSorted());
        for (const { f, value } of injected) seen.add(`${f} ${value.phase} ${value.outcome}`);
        const killed = starts.find(({ f, value }) => f === "kill-client" && value.outcome === "installed");
        if (killed === undefined) return;
        const dead = (killed.value.processes ?? []).map((process) => process % plan.clients.length);
        const after = events.slice(killed.index).filter(({ type }) => type === "invoke");
        expect(after.filter(({ process }) => dead.includes(Number(process) % plan.clients.length))).toEqual([]);
      }),
      { numRuns: 250, seed: 1 },
    );
    // Otherwise the test could pass because nothing happened.
    const kinds = faults.filter((fault) => fault.arbitrary(topologySchema.parse({ kind }), 2) !== undefined);
    for (const { kind } of kinds) expect(seen).toContain(`${kind} start installed`);
    expect(seen).toContain("partition heal installed");
  },
);
