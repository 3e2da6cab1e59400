/**
 * What starting, ending and renewing each topology costs, and killing and restarting a node. Run by hand on a machine
 * with an engine: `node harness/containers/startup.bench.ts [rounds]`. Prints median [min..max] in milliseconds, without
 * the first round, which finds cold caches.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PLAN_FORMAT, PLAN_VERSION, planSchema, type Plan } from "../core/plan.ts";
import type { TopologyKind } from "../core/topology.ts";
import { ContainerPool } from "./container-pool.ts";
import { type ContainerSystem, startContainerSystem } from "./container-system.ts";
import { sweep } from "./sweep.ts";

const CLIENTS = 3;
const LOCKS = { single: "single", sentinel: "single", redlock: "redlock" } as const;

const rounds = Number(process.argv[2] ?? 10);
const logFolder = mkdtempSync(join(tmpdir(), "lockstorm-bench-"));

function idlePlan(kind: TopologyKind): Plan {
  return planSchema.parse({
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed: 1,
    lock: LOCKS[kind],
    topology: { kind },
    clients: Array.from({ length: CLIENTS }, () => ({ sections: [] })),
    faults: [],
  });
}

/** Milliseconds that `work` takes, by name, round by round. */
class Stopwatch {
  readonly #laps = new Map<string, number[]>();

  async time<T>(name: string, work: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    const result = await work();
    const laps = this.#laps.get(name) ?? [];
    laps.push(performance.now() - begun);
    this.#laps.set(name, laps);
    return result;
  }

  toString(): string {
    return [...this.#laps]
      .map(([name, laps]) => {
        const sorted = laps.slice(1).sort((one, other) => one - other);
        const at = (share: number): string =>
          (sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN).toFixed(0);
        return `${name} ${at(0.5)} [${at(0)}..${at(1)}]`;
      })
      .join(", ");
  }
}

async function measure(kind: TopologyKind): Promise<void> {
  const watch = new Stopwatch();
  const options = { logFolder };
  const end = (system: ContainerSystem): Promise<void> => watch.time("down", () => system[Symbol.asyncDispose]());
  for (let round = 0; round <= rounds; round += 1) {
    const system = await watch.time("up", () => startContainerSystem(idlePlan(kind), options));
    const [node] = system.nodes;
    if (node === undefined) throw new Error("a topology has a node");
    // Without a fault that lasts, so that Sentinels have no reason to act.
    if (kind !== "sentinel") {
      await watch.time("kill", () => node.kill());
      await watch.time("start", () => node.start({ keepData: true }));
      await watch.time("pause", () => node.pause());
      await watch.time("resume", () => node.resume());
    }
    await end(system);
  }
  console.log(`${kind}: ${watch.toString()}`);
  if (kind === "sentinel") return;

  const kept = new Stopwatch();
  await using pool = new ContainerPool();
  for (let round = 0; round <= rounds; round += 1) {
    const system = await kept.time("up", () => pool.start(idlePlan(kind), options));
    await kept.time("down", () => system[Symbol.asyncDispose]());
  }
  console.log(`${kind}, servers kept: ${kept.toString()}`);
}

await sweep();
console.log(`${rounds} rounds, ${CLIENTS} clients`);
for (const kind of ["single", "redlock", "sentinel"] as const) await measure(kind);
rmSync(logFolder, { recursive: true });
process.exit(0);
