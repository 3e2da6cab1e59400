import { findLock } from "../../../lock-impl/registry.ts";
import { catalogue } from "../../../workloads/catalogue.ts";
import { inWords } from "../../../workloads/scenario-outcome.ts";
import { type Scenario, whyNotOnContainers } from "../../../workloads/scenario.ts";
import type { Property } from "../../core/verdict.ts";
import { backendsOf } from "./listing.ts";

const HEAD = `# Catalogue of counterexamples

Schedules that break a distributed lock on Redis, and one that must not. Each is a command:

    npx lockstorm reproduce <slug>                       on real servers
    npx lockstorm reproduce <slug> --backend simulated   in a simulation: fast, exact
    npx lockstorm reproduce <slug> --control             the same schedule against what is immune to it
    npx lockstorm reproduce <slug> --no-faults           the same clients, and nothing goes wrong
    npx lockstorm reproduce --all                        all of them, with what was expected and what was found

Client 0 and client 1 are two clients of the lock, node 0 is its (first) server. This page is written by
\`lockstorm reproduce --list --markdown\`; the properties and the causes are those of ARCHITECTURE.md.
`;

/** The catalogue as a page of documentation, in Markdown. */
export function cataloguePage(): string {
  const rows = catalogue.map(
    ({ number, slug, title, plan, ...rest }) =>
      `| ${number} | [${slug}](#${slug}) | ${title} | ${plan.lock} | ${plan.topology.kind} | ${backendsOf({ number, slug, title, plan, ...rest })} |`,
  );
  const table = ["| no. | slug | what happens | lock | topology | backends |", "|---|---|---|---|---|---|", ...rows];
  return `${HEAD}\n${table.join("\n")}\n${catalogue.map(section).join("")}`;
}

function section(scenario: Scenario): string {
  const { slug, title, summary, says, source, plan, expected } = scenario;
  const { kind, persistence = "none" } = plan.topology;
  const disk = persistence === "none" ? "" : `, persistence ${persistence}`;
  const lock = findLock(plan.lock);
  const outcomes = Object.entries(expected).map(([property, outcome]) => `${property} ${outcomeInWords(outcome)}`);
  return `
## ${slug}

**${capital(title)}.** ${summary}

- Source: [${source.name}](${source.link}). ${says}
- Lock: \`${plan.lock}\`${lock === undefined ? "" : ` (${lock.title})`}; topology ${kind}${disk}.
- Faults: ${faultsOf(plan.faults)}.
- Expected: ${outcomes.join("; ")}.
- ${immunity(scenario)}
${limits(scenario)}`;
}

function outcomeInWords(outcome: Parameters<typeof inWords>[0]): string {
  if (outcome === "valid") return "holds";
  if (outcome === "unexplained") return "is broken (unexplained: no fault accounts for it, the lock itself did it)";
  return `is broken (${inWords(outcome)})`;
}

function faultsOf(faults: Scenario["plan"]["faults"]): string {
  if (faults.length === 0) return "none; the lock does it by itself";
  return faults.map(({ kind }) => `\`${kind}\``).join(", ");
}

function immunity({ control }: Scenario): string {
  if ("none" in control) return `Control: ${control.none}.`;
  const lock = control.plan.lock === undefined ? "" : ` (lock \`${control.plan.lock}\`)`;
  return `Immune: ${control.by}${lock}; then ${list(control.keeps)} ${control.keeps.length === 1 ? "holds" : "hold"}.`;
}

function limits(scenario: Scenario): string {
  const [schedule, control] = (["schedule", "control"] as const).map((variant) =>
    whyNotOnContainers(scenario, variant),
  );
  if (schedule !== undefined) return `- In simulation only: ${schedule}.\n`;
  return control === undefined ? "" : `- The control in simulation only: ${control}.\n`;
}

function list(properties: readonly Property[]): string {
  return properties.length < 2
    ? properties.join("")
    : `${properties.slice(0, -1).join(", ")} and ${properties.at(-1) ?? ""}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
