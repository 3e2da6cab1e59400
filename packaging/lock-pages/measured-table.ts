import type { TopologyKind } from "../../harness/core/topologies/registry.ts";
import type { LibraryWorker } from "../../lock-impl/workers/workers.ts";

/** How a lock did in a scenario: whether lease-exclusion broke. */
export type MeasuredOutcome = "invalid" | "valid" | "unknown";

/** By lock and scenario. */
export type Measured = Readonly<Record<string, Readonly<Record<string, MeasuredOutcome>>>>;

/** The scenarios of the table, with the topology that each runs on. */
const SCENARIOS = [
  ["plain-del", "single"],
  ["crash-no-persist", "single"],
  ["async-failover", "sentinel"],
  ["acknowledged-failover", "sentinel"],
] as const satisfies readonly (readonly [slug: string, topology: TopologyKind])[];

/** The scenarios that a lock can run. */
export function scenariosFor({ topologies }: LibraryWorker): readonly string[] {
  return SCENARIOS.filter(([, topology]) => topologies.includes(topology)).map(([slug]) => slug);
}

/** How the locks of other languages did, as lines of Markdown. */
export function measuredTable(workers: readonly LibraryWorker[], measured: Measured): readonly string[] {
  const slugs = SCENARIOS.map(([slug]) => slug);
  return [
    "Whether lease-exclusion held in scenarios of the [catalogue](catalogue.md), one run each on live servers. In `plain-del` an owner that",
    "is late releases; `crash-no-persist` loses a grant that no disk has, `async-failover` one that no replica has yet, and",
    "`acknowledged-failover` one that another replica has confirmed. A lock that asks replicas and hears nothing grants nothing, so that",
    "no lease is lost. *Undecided*: the run did not decide it. In a clone, `npm run docs:libraries -- --measure` measures again.",
    "",
    `| lock | ${slugs.join(" | ")} |`,
    `|---|${slugs.map(() => "---").join("|")}|`,
    ...workers.map(({ name }) => `| ${name} | ${slugs.map((slug) => wordOf(measured[name]?.[slug])).join(" | ")} |`),
  ];
}

function wordOf(outcome: MeasuredOutcome | undefined): string {
  if (outcome === undefined) return "-";
  return outcome === "invalid" ? "broke" : outcome === "valid" ? "held" : "undecided";
}
