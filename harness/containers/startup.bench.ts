/**
 * The cost of starting, ending and resetting each topology, and of killing and restarting a node. The first round, with
 * cold caches, does not count.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark, BenchmarkInput } from "../bench/benchmark.ts";
import type { Table } from "../bench/table.ts";
import { PLAN_FORMAT, PLAN_VERSION, planSchema, type Plan } from "../core/plan.ts";
import { topologyOf, type TopologyKind } from "../core/topologies/registry.ts";
import { TOPOLOGIES, topologySchema } from "../core/topology.ts";
import { locks } from "../../lock-impl/registry.ts";
import { isRenewable } from "./container-layout.ts";
import { ContainerPool } from "./container-pool.ts";
import { startContainerSystem } from "./container-system.ts";
import { sweep } from "./cleanup/sweep.ts";

const CLIENTS = 3;
const ROUNDS = 5;

/** The steps of a measurement, in the order of the table. */
const DEEDS = ["up", "kill", "start", "pause", "resume", "down"] as const;
type Deed = (typeof DEEDS)[number];

function idlePlan(kind: TopologyKind): Plan {
  return planSchema.parse({
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed: 1,
    lock: lockFor(kind),
    topology: { kind },
    clients: Array.from({ length: CLIENTS }, () => ({ sections: [] })),
    faults: [],
  });
}

/** Any lock that runs on the topology. */
function lockFor(kind: TopologyKind): string {
  const lock = locks.find(({ topologies }) => topologies.includes(kind));
  if (lock === undefined) throw new Error(`no lock runs on ${kind}`);
  return lock.name;
}

/** Milliseconds per step, by name, round by round. */
class Stopwatch {
  readonly #laps = new Map<Deed, number[]>();

  async time<T>(deed: Deed, work: () => Promise<T>): Promise<T> {
    const startMs = performance.now();
    const result = await work();
    const laps = this.#laps.get(deed) ?? [];
    laps.push(performance.now() - startMs);
    this.#laps.set(deed, laps);
    return result;
  }

  row(what: string): Table["rows"][number] {
    return { what, ...Object.fromEntries([...this.#laps].map(([deed, laps]) => [deed, laps.slice(1)])) };
  }
}

async function startAfresh(kind: TopologyKind, logFolder: string, rounds: number): Promise<Stopwatch> {
  const watch = new Stopwatch();
  for (let round = 0; round <= rounds; round += 1) {
    const system = await watch.time("up", () => startContainerSystem(idlePlan(kind), { logFolder }));
    const [node] = system.nodes;
    if (node === undefined) throw new Error("a topology has a node");
    // Without a lasting fault, so that Sentinels have no reason to act.
    if (topologyOf(kind).arrangement !== "replicated") {
      await watch.time("kill", () => node.kill());
      await watch.time("start", () => node.start({ keepData: true }));
      await watch.time("pause", () => node.pause());
      await watch.time("resume", () => node.resume());
    }
    await watch.time("down", () => system[Symbol.asyncDispose]());
  }
  return watch;
}

async function renew(kind: TopologyKind, logFolder: string, rounds: number): Promise<Stopwatch> {
  const watch = new Stopwatch();
  await using pool = new ContainerPool();
  for (let round = 0; round <= rounds; round += 1) {
    const system = await watch.time("up", () => pool.start(idlePlan(kind), { logFolder }));
    await watch.time("down", () => system[Symbol.asyncDispose]());
  }
  return watch;
}

export const benchmark: Benchmark = {
  async *run({ effort, step, signal }: BenchmarkInput): AsyncGenerator<Table> {
    const logFolder = mkdtempSync(join(tmpdir(), "lockstorm-bench-"));
    const rounds = ROUNDS * effort;
    const rows: Table["rows"][number][] = [];
    try {
      await sweep();
      for (const kind of TOPOLOGIES) {
        signal.throwIfAborted();
        step(kind);
        rows.push((await startAfresh(kind, logFolder, rounds)).row(kind));
        if (!isRenewable(topologySchema.parse({ kind }))) continue;
        signal.throwIfAborted();
        rows.push((await renew(kind, logFolder, rounds)).row(`${kind}, servers kept`));
      }
    } finally {
      rmSync(logFolder, { recursive: true });
    }
    yield {
      title: `Systems in containers, ${CLIENTS} clients, milliseconds: median [least..most] of ${rounds}`,
      columns: [{ key: "what", title: "topology" }, ...DEEDS.map((deed) => ({ key: deed, title: deed }))],
      rows,
    };
  },
};
