import type { TopologyKind } from "../../harness/core/topologies/registry.ts";
import type { LibraryWorker } from "../../lock-impl/workers/workers.ts";

/** Where a scenario is measured: on simulated servers in real time, and on real ones. */
export const MEASURED_ON = ["live", "containers"] as const;

/** How many runs of a scenario broke lease-exclusion, kept it, or did not decide it. */
export type Rate = Readonly<Record<"invalid" | "valid" | "unknown", number>>;

/** How a lock did in one scenario, by where it ran. */
export type MeasuredScenario = Readonly<Record<(typeof MEASURED_ON)[number], Rate>>;

/** By lock and scenario. */
export type Measured = Readonly<Record<string, Readonly<Record<string, MeasuredScenario>>>>;

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
    "In how many runs of a scenario of the [catalogue](catalogue.md) lease-exclusion broke: first on simulated servers in real time",
    "(`--backend live`), then on real servers. In `plain-del` an owner that is late releases; `crash-no-persist` loses a grant that no",
    "disk has, `async-failover` one that no replica has yet, and `acknowledged-failover` one that another replica has confirmed. A lock",
    "that asks replicas and hears nothing grants nothing, so that no lease is lost: such runs decide nothing, and are not counted. In a",
    "clone, `npm run docs:libraries -- --measure` measures again.",
    "",
    `| lock | ${slugs.join(" | ")} |`,
    `|---|${slugs.map(() => "---").join("|")}|`,
    ...workers.map(({ name }) => `| ${name} | ${slugs.map((slug) => wordOf(measured[name]?.[slug])).join(" | ")} |`),
  ];
}

function wordOf(measured: MeasuredScenario | undefined): string {
  return measured === undefined ? "-" : MEASURED_ON.map((where) => rateInWords(measured[where])).join(", ");
}

function rateInWords({ invalid, valid }: Rate): string {
  return invalid + valid === 0 ? "undecided" : `${invalid} of ${invalid + valid}`;
}
