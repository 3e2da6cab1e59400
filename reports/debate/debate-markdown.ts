import { meaningOf } from "../../harness/core/verdict.ts";
import { AUTHORS, type MeasuredDebate, type MeasuredExperiment } from "../../harness/core/measurement.ts";
import type { MeasuredHeadline } from "./measured-headline.ts";
import { headlineCells, headlineConditions, headlineVerdict } from "./headline.ts";
import { countInShort, type ShareGrid, shareGrids } from "./share-grid.ts";
import { count } from "../wording.ts";

const HEAD = `# Is Redlock safe? The dispute, measured

In 2016 Martin Kleppmann and Salvatore Sanfilippo (antirez) disagreed about Redlock. This page measures those of their
claims that can be measured, in simulation:

    npx lockstorm debate                     all of it, with plots in .lockstorm/debate.html
    npx lockstorm debate --only pause        one experiment
    npx lockstorm debate --runs 200 --json   more runs, as raw numbers
    npx lockstorm headline                   acknowledged updates lost, lock by lock

In a clone, \`npm run docs:debate\` writes this page and \`debate.json\` beside it. The numbers are the same on every machine.
The cell \`3/20\` means that 3 runs violated the property, of the 20 runs that could show it; \`-\` means that no run could.
`;

/** The measured dispute and the headline measure as a page of documentation, in Markdown. */
export function renderDebateMarkdown(debate: MeasuredDebate, headline: MeasuredHeadline): string {
  const { seed, runs, sources, experiments } = debate;
  const lines = [
    HEAD,
    ...AUTHORS.map((author) => `- ${author}: [${sources[author].name}](${sources[author].link})`),
    "",
    `${count(runs, "run")} of each cell, seed ${seed}. Every prediction below came true, except those listed as not as predicted.`,
    "",
    ...experiments.flatMap(section),
    ...headlineSection(headline),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}

function section(experiment: MeasuredExperiment): readonly string[] {
  const { id, question, says, rowAxis, columnAxis, predictions, verdict, surprises } = experiment;
  return [
    `## ${id}`,
    "",
    `**${question}**`,
    "",
    ...AUTHORS.map((author) => `- ${author}: ${says[author]}`),
    "",
    ...shareGrids(experiment).flatMap((grid) => gridLines(grid, `rows: ${rowAxis}; columns: ${columnAxis}`)),
    ...predictions.map(({ by, claim, holds }) => `- ${by}: ${claim}: **${holds ? "holds" : "refuted"}**`),
    ...surprises.map((words) => `- **Not as predicted:** ${words}`),
    "",
    verdict,
    "",
  ];
}

function gridLines({ property, columns, rows }: ShareGrid, axes: string): readonly string[] {
  return [
    `\`${property}\` (${meaningOf(property)}); ${axes}`,
    "",
    ...table(
      ["", ...columns],
      rows.map(({ name, cells }) => [name, ...cells.map(countInShort)]),
    ),
    "",
  ];
}

function headlineSection(headline: MeasuredHeadline): readonly string[] {
  const heading = ["lock", "topology", ...headline.guards.map((guard) => `resource checks ${guard}`)];
  return [
    "## headline",
    "",
    "**How many acknowledged updates are lost under each lock?**",
    "",
    headlineConditions(headline),
    "An update is lost when the final state of the value does not include it. Only a lock with fencing tokens gives the",
    "resource something to check; `versions` is compare-and-set, which needs no lock.",
    "",
    ...table(heading, headlineCells(headline)),
    "",
    headlineVerdict(headline),
  ];
}

function table(heading: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(heading), `|${"---|".repeat(heading.length)}`, ...rows.map(line)];
}
