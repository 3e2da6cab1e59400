import { AUTHORS, type MeasuredDebate, type MeasuredExperiment } from "../harness/core/measurement.ts";
import { headlineCells, headlineConditions, headlineVerdict, type MeasuredHeadline } from "./headline.ts";
import { countInShort, type ShareGrid, shareGrids } from "./share-grid.ts";
import { count, PROPERTY_MEANING } from "./wording.ts";

const HEAD = `# Is Redlock safe? The dispute, measured

In 2016 Martin Kleppmann and Salvatore Sanfilippo (antirez) disagreed about Redlock. What each of them says can be
checked is measured here, in simulation:

    npx lockstorm debate                     all of it, with plots in .lockstorm/debate.html
    npx lockstorm debate --only pause        one experiment
    npx lockstorm debate --runs 200 --json   more runs, as raw numbers
    npx lockstorm headline                   acknowledged updates lost, lock by lock

This page is written by \`npm run docs:debate\`; its numbers, in \`debate.json\` beside it, are the same wherever it is run.
A cell such as \`3/20\` says that the property was violated in 3 of the 20 runs that could show it, \`-\` that none could.
`;

/** The measured dispute and the headline measure as a page of documentation, in Markdown. */
export function renderDebateMarkdown(debate: MeasuredDebate, headline: MeasuredHeadline): string {
  const { seed, runs, sources, experiments } = debate;
  const lines = [
    HEAD,
    ...AUTHORS.map((author) => `- ${author}: [${sources[author].name}](${sources[author].link})`),
    "",
    `${count(runs, "run")} of each cell, seed ${seed}. All that is expected below came out so, but for what is listed as not as predicted.`,
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
    ...shareGrids(experiment).flatMap((grid) => gridLines(grid, `${rowAxis}, by ${columnAxis}`)),
    ...predictions.map(({ by, claim, holds }) => `- ${by}: ${claim}: **${holds ? "holds" : "refuted"}**`),
    ...surprises.map((words) => `- **Not as predicted:** ${words}`),
    "",
    verdict,
    "",
  ];
}

function gridLines({ property, columns, rows }: ShareGrid, axes: string): readonly string[] {
  return [
    `\`${property}\` (${PROPERTY_MEANING[property]}): ${axes}`,
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
    "An update is lost when the final state of the value knows nothing of it. Only a lock that mints fencing tokens gives the",
    "resource something to check; `versions` is compare and set, which needs no lock's help.",
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
