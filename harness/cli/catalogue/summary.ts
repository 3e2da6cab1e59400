import { catalogue } from "../../../workloads/catalogue.ts";
import { expectationWords } from "../../../workloads/scenario-outcome.ts";
import { type Scenario, type Variant, variantsOf, whyNotOnContainers } from "../../../workloads/scenario.ts";
import type { TableBackend } from "../../core/topologies/backend.ts";
import { inShort, LEGEND } from "./in-short.ts";
import { expectedInShort } from "./listing.ts";
import { titleOf, type VariantOutcome } from "../../campaign/catalogue/run-catalogue.ts";
import { paragraph } from "../output.ts";
import { outputTerminal } from "../terminal.ts";
import { tableWithin } from "./text-table.ts";

/** True when every run came out as the catalogue says. */
export function isAsExpected(outcomes: readonly VariantOutcome[]): boolean {
  return outcomes.every(({ differences }) => differences.length === 0);
}

/** The table of a catalogue's runs on one backend, with the differences below it. */
export function summaryTable(backend: TableBackend, outcomes: readonly VariantOutcome[]): string {
  const mine = outcomes.filter((outcome) => outcome.backend === backend);
  const rows = catalogue.map((scenario) => {
    const cells = (["schedule", "control", "no-faults"] as const).map((variant) =>
      cell(scenario, variant, backend, mine),
    );
    const wrong = mine.some((outcome) => outcome.scenario === scenario && outcome.differences.length > 0);
    return [wrong ? "!" : "", String(scenario.number), scenario.slug, expectedInShort(scenario), ...cells];
  });
  const heading = ["", "no.", "slug", "expected", "found", "control", "no faults"];
  return [
    `${backend}\n\n${tableWithin(heading, rows, { wraps: 3, width: outputTerminal().columns })}\n${paragraph(LEGEND)}\n`,
    ...skipped(backend),
    `\n${counts(backend, mine)}\n`,
    ...mine.filter(({ differences }) => differences.length > 0).map(explain),
  ].join("");
}

/** The same as data, one line per run. */
export function summaryAsData(outcomes: readonly VariantOutcome[]): unknown {
  return outcomes.map(({ scenario, variant, backend, found, differences, folder }) => ({
    number: scenario.number,
    slug: scenario.slug,
    backend,
    variant,
    expected: Object.fromEntries(
      found.map(([property]) => [
        property,
        variant === "schedule" ? expectationWords(scenario.expected[property] ?? "valid") : "valid",
      ]),
    ),
    found: Object.fromEntries(found),
    asExpected: differences.length === 0,
    differences,
    folder,
  }));
}

function cell(
  scenario: Scenario,
  variant: Variant,
  backend: TableBackend,
  outcomes: readonly VariantOutcome[],
): string {
  if (!variantsOf(scenario).includes(variant)) return "-";
  if (backend === "containers" && whyNotOnContainers(scenario, variant) !== undefined) return "n/a";
  const outcome = outcomes.find((each) => each.scenario === scenario && each.variant === variant);
  if (outcome === undefined) return "not run";
  if (outcome.differences.length === 0) return variant === "schedule" ? "as expected" : "valid";
  return outcome.found.length === 0 ? "failed" : inShort(outcome.found);
}

/** What this backend cannot do, and why. */
function skipped(backend: TableBackend): readonly string[] {
  if (backend === "simulated") return [];
  const lines = catalogue.flatMap((scenario) =>
    variantsOf(scenario).flatMap((variant) => {
      const why = whyNotOnContainers(scenario, variant);
      if (why === undefined || (variant === "control" && scenario.onlyInSimulation !== undefined)) return [];
      return [`n/a: ${titleOf(scenario, variant)}: ${why}\n`];
    }),
  );
  return lines.length === 0 ? [] : ["\n", ...lines];
}

function counts(backend: TableBackend, outcomes: readonly VariantOutcome[]): string {
  const numbers = catalogue.map((scenario) => outcomes.filter((outcome) => outcome.scenario === scenario));
  const possible = numbers.filter((each) => each.some(({ variant }) => variant === "schedule"));
  const good = possible.filter(isAsExpected);
  return `${good.length} of ${possible.length} scenarios as expected on ${backend} (${outcomes.length} runs)`;
}

function explain({ scenario, variant, backend, differences, folder }: VariantOutcome): string {
  const lines = differences.map((difference) => `  ${difference}\n`).join("");
  const flag = { schedule: "", control: " --control", "no-faults": " --no-faults" }[variant];
  const again = `  npx lockstorm reproduce ${scenario.slug}${flag} --backend ${backend}\n`;
  return `\n${titleOf(scenario, variant)}, ${backend}:\n${lines}${folder === undefined ? "" : `  ${folder}\n`}${again}`;
}
