/**
 * Plans per second of a whole hunt by the number of its threads, and by as many shards side by side with a thread each:
 * each hunt is a process of its own, its start included. In each round every way has its turn, so that other load on the
 * machine weighs on all of them; ratios are of one round.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark, BenchmarkInput } from "../benchmark.ts";
import type { Table } from "../table.ts";
import { measuredCommand } from "./measured-command.ts";

const RUNS = 2000;
const ROUNDS = 3;

/** A way to do the same hunt: in one process, or in shards. */
interface Way {
  readonly processes: number;
  readonly threads: number;
}

export const benchmark: Benchmark = {
  async *run(input): AsyncGenerator<Table> {
    const rates = new Map(waysOn(availableParallelism()).map((way) => [way, [] as number[]]));
    for (let round = 1; round <= ROUNDS * input.effort; round += 1) {
      for (const [way, perSecond] of rates) perSecond.push(await plansPerSecond(way, input));
    }
    const [alone = []] = rates.values();
    yield {
      title: `Plans per second of a hunt of ${RUNS} plans, median [least..most] of the rounds`,
      columns: [
        { key: "processes", title: "processes" },
        { key: "threads", title: "threads of each" },
        { key: "perSecond", title: "plans per second", digits: 1 },
        { key: "ratio", title: "times one thread", digits: 2 },
      ],
      rows: [...rates].map(([way, perSecond]) => ({
        ...way,
        perSecond,
        ratio: perSecond.map((rate, round) => rate / (alone[round] ?? rate)),
      })),
      notes: [`${availableParallelism()} cores`],
    };
  },
};

/** One thread first, which the others are compared with; then 2, 4, .. threads up to the cores, each in both ways. */
function waysOn(cores: number): readonly Way[] {
  const ways: Way[] = [{ processes: 1, threads: 1 }];
  for (let count = 2; count <= Math.max(2, cores); count *= 2) {
    ways.push({ processes: 1, threads: count }, { processes: count, threads: 1 });
  }
  return ways;
}

async function plansPerSecond({ processes, threads }: Way, { step, signal }: BenchmarkInput): Promise<number> {
  step(`${processes} processes of ${threads} threads`);
  const folder = mkdtempSync(join(tmpdir(), "lockstorm-bench-"));
  try {
    const hunt = ["hunt", "--lock", "fenced", "--topology", "single", "--seed", "1", "--runs", String(RUNS)];
    const begun = performance.now();
    const stores = Array.from({ length: processes }, (_, index) => ({
      shard: `${index + 1}/${processes}`,
      store: join(folder, String(index + 1)),
    }));
    await Promise.all(
      stores.map(({ shard, store }) =>
        measuredCommand([...hunt, "--threads", String(threads), "--shard", shard, "--store", store], { signal }),
      ),
    );
    return (RUNS * 1000) / (performance.now() - begun);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
