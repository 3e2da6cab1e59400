import { catalogue } from "../../../workloads/catalogue.ts";
import { expectationWords } from "../../../workloads/scenario-outcome.ts";
import { type Scenario, requiredOf, whyNotOnContainers } from "../../../workloads/scenario.ts";
import { inShort, LEGEND } from "./in-short.ts";
import { outputTerminal } from "../terminal.ts";
import { beside, paragraph } from "../output.ts";
import { tableWithin } from "./text-table.ts";

/** The catalogue as a table, with the reason why a scenario cannot run on containers. */
export function listing(): string {
  const rows = catalogue.map((scenario) => [
    String(scenario.number),
    scenario.slug,
    scenario.plan.lock,
    scenario.plan.topology.kind,
    backendsOf(scenario),
    expectedInShort(scenario),
  ]);
  const heading = ["no.", "slug", "lock", "topology", "backends", "expected"];
  const limits = catalogue.flatMap((scenario) => {
    const why = whyNotOnContainers(scenario, "schedule");
    return why === undefined ? [] : [beside("  ", `${scenario.slug}: ${why}`)];
  });
  const table = tableWithin(heading, rows, { wraps: 5, width: outputTerminal().columns });
  return `${table}\n${paragraph(LEGEND)}\n\nIn simulation only:\n${limits.join("")}`;
}

/** The expected outcome of a scenario's schedule, in short. */
export function expectedInShort(scenario: Scenario): string {
  return inShort(
    requiredOf(scenario, "schedule").map((property) => [
      property,
      expectationWords(scenario.expected[property] ?? "valid"),
    ]),
  );
}

/** The backends that can run a scenario's schedule. */
export function backendsOf(scenario: Scenario): string {
  return whyNotOnContainers(scenario, "schedule") === undefined ? "both" : "simulated";
}

/** The catalogue as data, for programs. */
export function listingAsData(): unknown {
  return catalogue.map((scenario) => {
    const { number, slug, title, summary, says, source, plan, expected, control } = scenario;
    const why = whyNotOnContainers(scenario, "schedule");
    return {
      number,
      slug,
      title,
      summary,
      says,
      source,
      lock: plan.lock,
      topology: plan.topology.kind,
      backends: why === undefined ? ["simulated", "containers"] : ["simulated"],
      onlyInSimulation: why,
      expected,
      control: "none" in control ? control : { by: control.by, keeps: control.keeps },
    };
  });
}
