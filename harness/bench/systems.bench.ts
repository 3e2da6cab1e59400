/**
 * Plans per minute on containers with several systems side by side: from the start of a system to its verdict, servers
 * kept where they can be. In each round every number of systems has its turn, so that other load on the machine weighs
 * on all of them; ratios are of one round. Servers are up before the clock starts: a campaign starts them once.
 */
// First: libraries store functions of the platform when they are loaded.
import { runOnContainers } from "../campaign/run-on-containers.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RunsInOrder } from "../campaign/parallel/runs-in-order.ts";
import { ContainerPool } from "../containers/container-pool.ts";
import type { TopologyKind } from "../core/topologies/registry.ts";
import type { Benchmark, BenchmarkInput } from "./benchmark.ts";
import { assertWhole } from "./plans.bench.ts";
import { PLAN_SIZES, sizedPlan } from "./sized-plans.ts";
import type { Table } from "./table.ts";

const TOPOLOGIES: readonly TopologyKind[] = ["sentinel", "redlock"];
/** How many systems side by side; the first is what the others are compared with. */
const SYSTEMS = [1, 2, 4, 6, 8];
const ROUNDS = 2;
/** Plans of one measurement, for each system. */
const PLANS_EACH = 3;
const [SIZE] = PLAN_SIZES;

export const benchmark: Benchmark = {
  async *run(input): AsyncGenerator<Table> {
    const rows: Table["rows"][number][] = [];
    for (const kind of TOPOLOGIES) {
      const rates = new Map<number, number[]>(SYSTEMS.map((systems) => [systems, []]));
      for (let round = 1; round <= ROUNDS * input.effort; round += 1)
        for (const systems of SYSTEMS) rates.get(systems)?.push(await plansPerMinute(kind, systems, input));
      const alone = rates.get(SYSTEMS[0] ?? 1) ?? [];
      for (const [systems, perMinute] of rates) {
        const ratio = perMinute.map((rate, round) => rate / (alone[round] ?? rate));
        rows.push({ topology: kind, systems, perMinute, ratio });
      }
    }
    yield {
      title: `Plans per minute on containers, ${SIZE?.name} plans, median [least..most] of the rounds`,
      columns: [
        { key: "topology", title: "topology" },
        { key: "systems", title: "systems side by side" },
        { key: "perMinute", title: "plans per minute", digits: 1 },
        { key: "ratio", title: "times one system", digits: 2 },
      ],
      rows,
    };
  },
};

async function plansPerMinute(kind: TopologyKind, systems: number, { step, signal }: BenchmarkInput): Promise<number> {
  if (SIZE === undefined) throw new Error("there is no size of plans");
  step(`${kind}, ${systems} side by side`);
  const store = mkdtempSync(join(tmpdir(), "lockstorm-bench-"));
  try {
    await using pool = new ContainerPool(systems);
    const all = async (plans: number): Promise<void> => {
      const inOrder = new RunsInOrder<number, void>({
        parallel: systems,
        run: async (seed) => {
          const environment = { store, title: "bench", required: ["mutual-exclusion"] as const, signal, pool };
          const { record } = await runOnContainers(sizedPlan(kind, SIZE, seed), environment);
          assertWhole(record, SIZE);
        },
        take: () => true,
      });
      for (let seed = 1; seed <= plans && (await inOrder.room()); seed += 1) inOrder.begin(seed);
      await inOrder.end();
    };
    await all(systems);
    const startMs = performance.now();
    const plans = systems * PLANS_EACH;
    await all(plans);
    return (plans * 60_000) / (performance.now() - startMs);
  } finally {
    rmSync(store, { recursive: true });
  }
}
