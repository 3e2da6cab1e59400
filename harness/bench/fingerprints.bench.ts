/**
 * The results of a revision for fixed plans, for comparison with another revision. Each plan gives one line with the
 * hash of the plan, the hash of the run's trace and the verdict of each property. The plans are drawn from fixed seeds
 * for every lock on every simulated topology, and taken from the catalogue and the recorded histories (which have no
 * trace). The lines are written to `.lockstorm/fingerprints.jsonl`; compare two such files with `diff`.
 */
// First: libraries store functions of the platform when they are loaded.
import { runSimulated } from "../campaign/run-simulated.ts";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { faults } from "../../faults/registry.ts";
import { locks } from "../../lock-impl/registry.ts";
import { catalogue } from "../../workloads/catalogue.ts";
import { contentionPlans } from "../../workloads/contention.ts";
import { planOf } from "../../workloads/scenario.ts";
import { checkHistory } from "../check/check.ts";
import { corpusFiles, corpusHistory } from "../check/testing/corpus.ts";
import type { Plan } from "../core/plan.ts";
import { isSimulated, topologySchema } from "../core/topology.ts";
import { PROPERTIES, type Verdict } from "../core/verdict.ts";
import type { Benchmark } from "./benchmark.ts";
import type { Table } from "./table.ts";

/** Generated plans for an effort of 1. */
const PLANS = 5000;
const FOLDER = ".lockstorm";
const FILE = `${FOLDER}/fingerprints.jsonl`;

interface NamedPlan {
  readonly name: string;
  readonly plan: Plan;
}

export const benchmark: Benchmark = {
  async *run({ effort, signal, step }): AsyncGenerator<Table> {
    const recorded = corpusFiles().map((file) => line(file, verdictsOf(checkHistory(corpusHistory(file)))));
    const lines: string[] = [];
    const plans = [...scenarioPlans(), ...generatedPlans(effort * PLANS)];
    for (const { name, plan } of plans) {
      signal.throwIfAborted();
      step(`${lines.length} of ${plans.length} plans`);
      const { record, traceHash } = await runSimulated(plan, { title: name, required: PROPERTIES });
      lines.push(line(name, { plan: digest(JSON.stringify(plan)), trace: traceHash, ...verdictsOf(record.verdict) }));
    }
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(FILE, [...recorded, ...lines].map((each) => `${each}\n`).join(""));
    yield table([
      { what: "recorded histories", lines: recorded },
      { what: "plans", lines },
    ]);
  },
};

function scenarioPlans(): readonly NamedPlan[] {
  return catalogue.map((scenario) => ({ name: scenario.slug, plan: planOf(scenario, { seed: 7 }) }));
}

/** The seed follows from the lock and the topology, so that a new one does not change the plans of the others. */
function generatedPlans(count: number): readonly NamedPlan[] {
  const pairs = locks.flatMap(({ name, topologies, persistence = "none" }) =>
    topologies.filter(isSimulated).map((kind) => ({ lock: name, kind, persistence })),
  );
  const numRuns = Math.ceil(count / pairs.length);
  return pairs.flatMap(({ lock, kind, persistence }) => {
    const topology = topologySchema.parse({ kind, persistence });
    const seed = Number.parseInt(digest(`${lock} on ${kind}`).slice(0, 7), 16);
    const plans = fc.sample(contentionPlans({ lock, topology, faults, retries: true }), { seed, numRuns });
    return plans.map((plan, index) => ({ name: `${lock} on ${kind} ${index}`, plan }));
  });
}

/** The verdict of each property, and its violations by cause and events: the wording of explanations may change. */
function verdictsOf({ verdict, properties }: Verdict): Readonly<Record<string, string>> {
  const each = Object.entries(properties).map(([property, { verdict: outcome, violations }]) => {
    const found = violations.map(({ cause, events, fault }) => `${cause} ${events.join(",")} ${fault ?? ""}`.trim());
    return [property, [outcome, ...found].join("; ")] as const;
  });
  return { verdict, ...Object.fromEntries(each) };
}

function line(name: string, facts: Readonly<Record<string, string>>): string {
  return JSON.stringify({ name, ...facts });
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function table(parts: readonly { readonly what: string; readonly lines: readonly string[] }[]): Table {
  return {
    title: "Fingerprints of what this revision does",
    columns: [
      { key: "what", title: "what" },
      { key: "count", title: "lines" },
      { key: "digest", title: "digest of all" },
    ],
    rows: parts.map(({ what, lines }) => ({ what, count: lines.length, digest: digest(lines.join("\n")) })),
    notes: [`One line each in ${FILE}. Equal digests: the same traces and the same verdicts.`],
  };
}
