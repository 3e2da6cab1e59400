/**
 * The counterfactual table: the causes named for violations in the catalogue's scenarios and in generated runs of
 * flawed locks, and how each was established. A sentence that is stated as a fact without proof is a failure.
 * `LOCKSTORM_SEED` names the first seed of the generated runs.
 */
// First: libraries keep functions of the platform when they are loaded.
import { proveSimulated, runSimulated } from "../campaign/run-simulated.ts";
import { randomInt } from "node:crypto";
import fc from "fast-check";
import { faults } from "../../faults/registry.ts";
import { locks } from "../../lock-impl/registry.ts";
import { catalogue } from "../../workloads/catalogue.ts";
import { contentionPlans } from "../../workloads/contention.ts";
import { planOf } from "../../workloads/scenario.ts";
import type { Benchmark, BenchmarkInput } from "../bench/benchmark.ts";
import type { Table } from "../bench/table.ts";
import type { Plan } from "../core/plan.ts";
import { isSimulated, topologySchema } from "../core/topology.ts";
import { PROPERTIES, type Violation } from "../core/verdict.ts";

/** Generated violations, with the usual effort. */
const WANTED = 1000;
/** How many plans are drawn at a time for each lock, and how many of those that break it are examined. */
const PLANS_A_ROUND = 20;
const BROKEN_A_ROUND = 2;
/** Of one run; a broken lock breaks the same in every section. */
const VIOLATIONS_A_RUN = 12;

interface Row {
  violations: number;
  history: number;
  runs: number;
  probable: number;
  refuted: number;
  dropped: number;
  remedies: number;
  sentences: number;
}

class Tally {
  readonly rows = new Map<string, Row>();
  readonly failures: string[] = [];
  readonly reasons = new Map<string, number>();
  violations = 0;

  count(violation: Violation, origin: string): void {
    const { cause, proof, hypotheses = [], explanation } = violation;
    const row = this.rows.get(cause) ?? {
      violations: 0,
      history: 0,
      runs: 0,
      probable: 0,
      refuted: 0,
      dropped: 0,
      remedies: 0,
      sentences: 0,
    };
    this.rows.set(cause, row);
    this.violations += 1;
    row.violations += 1;
    row.dropped += proof?.dropped?.length ?? 0;
    row.remedies += proof?.remedies?.filter(({ outcome }) => outcome !== "undecided").length ?? 0;
    row.sentences += 1 + (proof?.remedies?.length ?? 0);
    if (proof?.standing === "probable") {
      row.probable += 1;
      const reason = proof.by.replaceAll(/[\d.,]+/g, "N");
      this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
      if (!explanation.includes("Probably: ")) this.failures.push(`${origin}: said as a fact: ${explanation}`);
    } else if (proof?.standing === "refuted") row.refuted += 1;
    else if (proof?.run !== undefined) row.runs += 1;
    else {
      row.history += 1;
      const evident = hypotheses.some(({ cause: own, ground }) => own === cause && isEvident(ground.on));
      if (proof === undefined || !evident) this.failures.push(`${origin}: nothing proves: ${explanation}`);
    }
    if (/[ (]-[\d.,]+ ms/.test(explanation)) this.failures.push(`${origin}: a negative duration: ${explanation}`);
    if (/unexplained|No lock can prevent/.test(explanation)) this.failures.push(`${origin}: ${explanation}`);
  }

  table(title: string): Table {
    const sum = (key: keyof Row): number => [...this.rows.values()].reduce((total, row) => total + row[key], 0);
    const keys = ["violations", "runs", "history", "probable", "refuted", "dropped", "remedies", "sentences"] as const;
    const total = Object.fromEntries(keys.map((key) => [key, sum(key)]));
    return {
      title,
      columns: [
        { key: "cause", title: "cause" },
        { key: "violations", title: "violations" },
        { key: "runs", title: "proven by a run" },
        { key: "history", title: "by the history" },
        { key: "probable", title: "probable" },
        { key: "refuted", title: "not known" },
        { key: "dropped", title: "hypotheses dropped" },
        { key: "remedies", title: "remedies decided" },
        { key: "sentences", title: "sentences checked" },
      ],
      rows: [
        ...[...this.rows]
          .toSorted(([one], [other]) => (one < other ? -1 : 1))
          .map(([cause, row]) => ({ cause, ...row })),
        { cause: "all", ...total },
      ],
      notes: [...this.reasons]
        .toSorted(([, one], [, other]) => other - one)
        .slice(0, 12)
        .map(([reason, times]) => `${times} probable, because ${reason}`),
      failures: this.failures.slice(0, 20),
    };
  }
}

function isEvident(on: string): boolean {
  return on === "history" || on === "rest";
}

export const benchmark: Benchmark = {
  async *run({ effort, step, signal }: BenchmarkInput): AsyncGenerator<Table> {
    const scenarios = new Tally();
    for (const scenario of catalogue) {
      signal.throwIfAborted();
      step(scenario.slug);
      await judge(planOf(scenario, { seed: 1 }), scenario.slug, scenarios);
    }
    yield scenarios.table(`The ${catalogue.length} scenarios of the catalogue`);
    const seed = Number(process.env["LOCKSTORM_SEED"] ?? randomInt(1_000_000_000));
    const generated = new Tally();
    for (let round = 0; generated.violations < WANTED * effort; round += 1) {
      for (const { name, topologies, flawed } of locks) {
        if (!flawed || generated.violations >= WANTED * effort) continue;
        for (const kind of topologies.filter((each) => isSimulated(each)).slice(0, 1)) {
          signal.throwIfAborted();
          step(`${name}, ${generated.violations} violations`);
          const topology = topologySchema.parse({ kind });
          const plans = fc.sample(contentionPlans({ lock: name, topology, faults, retries: true }), {
            seed: seed + round,
            numRuns: PLANS_A_ROUND,
          });
          let broken = 0;
          for (const plan of plans) {
            if (broken >= BROKEN_A_ROUND) break;
            if (await judge(plan, `${name}, seed ${seed + round}`, generated)) broken += 1;
          }
        }
      }
    }
    yield generated.table(`Generated runs of flawed locks, plans drawn from seed ${seed} on`);
  },
};

/** Counts what a run violates; false when it violates nothing. */
async function judge(plan: Plan, origin: string, tally: Tally): Promise<boolean> {
  const run = await runSimulated(plan, { title: origin, required: PROPERTIES });
  if (violationsOf(run.record.verdict).length === 0) return false;
  const { record } = await proveSimulated(run);
  for (const violation of violationsOf(record.verdict).slice(0, VIOLATIONS_A_RUN)) tally.count(violation, origin);
  return true;
}

function violationsOf({
  properties,
}: {
  readonly properties: Readonly<Record<string, { readonly violations: readonly Violation[] }>>;
}) {
  return Object.values(properties).flatMap(({ violations }) => violations);
}
