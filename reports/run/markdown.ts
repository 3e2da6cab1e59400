import { printable } from "../../harness/core/printable.ts";
import { PROPERTIES, type Verdict } from "../../harness/core/verdict.ts";
import { marginWords } from "./margin-words.ts";
import { conditionsOf, titleOf, type Report, type RunRecord } from "./run-record.ts";
import { driverFile } from "../campaign/findings.ts";
import { noteGroups } from "../campaign/campaign-notes.ts";
import { residualRiskWords } from "../campaign/residual-risk-words.ts";
import { changeLines } from "../campaign/changes.ts";
import {
  faultWords,
  alarmingRuns,
  cellWords,
  isSurprise,
  missingWords,
  summaryGrid,
  tickWords,
  type Summary,
  type SummaryCell,
} from "../campaign/summary.ts";
import { renderText } from "./text.ts";
import { listed } from "../../harness/core/listed.ts";
import { causeWordsIn } from "./share-words.ts";
import { count, formatMs, OUTCOME_WORD, reasonsTitle } from "../wording.ts";
import { collectFaults } from "./fault-spans.ts";

/** GitHub takes at most 1 MiB of job summary; beyond this many runs only the counts are given. */
const MOST_RUNS = 20;
const MARK = { valid: "✅", invalid: "❌", unknown: "❔", "not-applicable": "➖" } as const;
const CELL_MARK = { holds: "✅", outlived: "⏳", broken: "❌", simulated: "💻", unknown: "❔" } as const;

/** A report as GitHub-flavoured Markdown for a job summary or a pull request comment. Ends with a line feed. */
export function renderMarkdown(report: Report): string {
  const worstFirst = [...alarmingRuns(report)].sort((one, other) => rank(one.verdict) - rank(other.verdict));
  const shown = worstFirst.slice(0, MOST_RUNS);
  const rest = worstFirst.length - shown.length;
  const parts = [
    ...(report.title === undefined ? [] : [`# ${escaped(report.title)}`]),
    ...(report.summary === undefined ? [] : [matrix(report.summary)]),
    ...shown.map(runSection),
    ...(rest > 0 ? [`… and ${count(rest, "further run")}, none worse than these.`] : []),
  ];
  return `${parts.join("\n\n").replaceAll("\u{a0}", " ")}\n`;
}

/**
 * The same as GitHub workflow commands: an error for each violated required property, a warning for each unknown
 * result. Printed to standard output, they become annotations. Empty when there is nothing to report.
 */
export function renderAnnotations(report: Report): string {
  const lines = [
    ...alarmingRuns(report).flatMap((run) => [...violationAnnotations(run), ...unknownAnnotations(run)]),
    ...(report.summary === undefined ? [] : summaryAnnotations(report.summary)),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function violationAnnotations(run: RunRecord): readonly string[] {
  const replay = run.replayCommand === undefined ? [] : [`Replay: ${run.replayCommand}`];
  const causeOf = causeWordsIn(run);
  return run.verdict.required.flatMap((property) =>
    (run.verdict.properties[property]?.violations ?? [])
      .slice(0, 1)
      .map((violation) =>
        command(
          "error",
          `${titleOf(run)}: ${property} broken, ${causeOf(violation)}`,
          [violation.explanation, ...replay],
          driverFile(run),
        ),
      ),
  );
}

/** Surprises that no run shows, and observations beside the verdicts. */
function summaryAnnotations({ cells, missing, notes }: Summary): readonly string[] {
  return [
    ...noteGroups(notes).map(({ heading, lines }) => command("notice", heading, lines)),
    ...cells
      .filter((cell) => isSurprise(cell) && cell.run === undefined)
      .map((cell) =>
        command(
          cell.found === "broken" ? "error" : "warning",
          `${cell.lock} under ${faultWords(cell.fault)}: ${cell.found}`,
          [cell.note ?? (cell.expected === undefined ? "no run decided anything" : `expected ${cell.expected}`)],
        ),
      ),
    ...(missing === undefined ? [] : [command("warning", "not searched", [missingWords(missing)])]),
  ];
}

function unknownAnnotations(run: RunRecord): readonly string[] {
  const reasons = [
    ...run.verdict.reasons,
    ...run.verdict.required.flatMap((property) => {
      const judged = run.verdict.properties[property];
      return judged?.verdict === "unknown" ? [`${property}: ${judged.reason ?? "the evidence does not decide"}`] : [];
    }),
  ];
  return reasons.length === 0 ? [] : [command("warning", `${titleOf(run)}: unknown`, reasons, driverFile(run))];
}

/**
 * A workflow command; GitHub decodes what is percent-encoded here.
 * @param file the driver that it is about, at which GitHub then shows it
 */
function command(
  level: "error" | "warning" | "notice",
  title: string,
  message: readonly string[],
  file?: string,
): string {
  const data = (text: string): string => printable(text).replaceAll("%", "%25");
  const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
  const place = file === undefined ? "" : `,file=${property(file)},line=1`;
  return `::${level} title=${property(title)}${place}::${message.map(data).join("%0A")}`;
}

function rank({ verdict }: Verdict): number {
  return { invalid: 0, unknown: 1, valid: 2 }[verdict];
}

function matrix(summary: Summary): string {
  const { faults, rows, surprises } = summaryGrid(summary);
  const head = ["lock", ...faults.map(faultWords)].map(escaped);
  const lines = [
    `| ${head.join(" | ")} |`,
    `| --- |${" :-: |".repeat(faults.length)}`,
    ...rows.map(({ lock, cells }) => `| ${escaped(lock)} | ${cells.map(cellMark).join(" | ")} |`),
  ];
  const any = (found: SummaryCell["found"]): boolean =>
    rows.some(({ cells }) => cells.some((cell) => cell?.found === found));
  const ticks = tickWords(rows.flatMap(({ cells }) => cells))?.replace("✓ and ○", "✅ and ⏳");
  const legend = [
    "✅ holds",
    ...(any("outlived") ? ["⏳ keeps its promise, but a client outlived its lease"] : []),
    "❌ broken",
    ...(any("simulated") ? ["💻 broken in simulation, not shown on real servers"] : []),
    "❔ unknown, **!** not as expected, blank: not run",
  ].join(", ");
  return [
    lines.join("\n"),
    legend,
    ...(ticks === undefined ? [] : [ticks]),
    ...(surprises.length === 0 ? [] : [surprises.map(surprise).join("\n")]),
    ...noteGroups(summary.notes).flatMap(({ heading, lines }) => bullets(heading, lines)),
    ...(summary.residualRisk === undefined ? [] : [`Random plans: ${residualRiskWords(summary.residualRisk)}.`]),
    ...(summary.missing === undefined ? [] : [`**${escaped(missingWords(summary.missing))}**`]),
    ...bullets("Compared with the former results", summary.changes === undefined ? [] : changeLines(summary.changes)),
  ].join("\n\n");
}

function cellMark(cell: SummaryCell | undefined): string {
  if (cell === undefined) return "";
  return CELL_MARK[cell.found] + (isSurprise(cell) && cell.found !== "unknown" ? " **!**" : "");
}

function surprise(cell: SummaryCell): string {
  return `- **${escaped(cell.lock)}** under **${escaped(faultWords(cell.fault))}**: ${escaped(cellWords(cell))}`;
}

function runSection(run: RunRecord): string {
  const { verdict, reasons, remarks } = run.verdict;
  const faults = collectFaults(run.history.events, run.history.events.at(-1)?.time ?? 0);
  const parts = [
    `## ${MARK[verdict]} ${escaped(titleOf(run))}: ${verdict}`,
    escaped(conditionsOf(run).join(", ")),
    properties(run.verdict),
    ...bullets(reasonsTitle(verdict), reasons),
    ...explanations(run),
    ...(verdict === "invalid"
      ? [details("Timeline of the violation", fenced(renderText(run, { color: false, width: 110 })))]
      : []),
    ...bullets("Remarks", remarks),
    ...bullets("How close it was", marginWords(run.verdict.margins)),
    ...bullets(
      "Faults",
      faults.map(({ kind, targets, outcome, from, evidence }) => {
        const whom = targets.length === 0 ? "" : ` on ${listed(targets)}`;
        return `${kind}${whom} at ${formatMs(from)}, ${outcome}${evidence === undefined ? "" : `: ${evidence}`}`;
      }),
    ),
    ...(run.replayCommand === undefined ? [] : [`Replay:\n\n${fenced(printable(run.replayCommand), "sh")}`]),
  ];
  return parts.join("\n\n");
}

function properties({ properties: judged, required }: Verdict): string {
  const rows = PROPERTIES.flatMap((property) => {
    const found = judged[property];
    if (found === undefined) return [];
    const causes = [...new Set(found.violations.map(({ cause }) => cause))].join(", ");
    const asked = required.includes(property) ? "" : " (not required)";
    const note =
      found.verdict === "invalid"
        ? `${count(found.violations.length, "violation")}: ${causes}${asked}`
        : (found.reason ?? "");
    return [`| ${MARK[found.verdict]} | ${property} | ${OUTCOME_WORD[found.verdict]} | ${escaped(note)} |`];
  });
  return ["| | property | | |", "| - | --- | --- | --- |", ...rows].join("\n");
}

function explanations(run: RunRecord): readonly string[] {
  const all = PROPERTIES.flatMap((property) => run.verdict.properties[property]?.violations ?? []);
  return [...new Set(all.map(({ explanation }) => explanation))].slice(0, 3).map((text) => `> ${escaped(text)}`);
}

function bullets(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`**${title}**\n\n${items.map((item) => `- ${escaped(item)}`).join("\n")}`];
}

function details(summary: string, body: string): string {
  return `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`;
}

/** A code block whose fence is longer than any fence inside it. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

/**
 * Text from a history or a user. It must not become markup, end the cell or the list around it, or become active: a
 * mention, a reference to an issue, a link. An empty comment, which readers of the page do not see, breaks the links
 * that a host makes by itself.
 */
export function escaped(text: string): string {
  return printable(text)
    .trimStart()
    .replaceAll(/[\\`*_[\]<>~|]/g, "\\$&")
    .replaceAll("&", "&amp;")
    .replaceAll(/[@#!$](?=[\w{])|(?<=\b(?:GH|www|https?|ftp))[-.:]/gi, "$&<!-- -->")
    .replaceAll(/#(?!<)/g, "\\#")
    .replace(/^[-+=]|^\d+(?=[.)])/, (begin) => (/\d/.test(begin) ? `${begin}\\` : `\\${begin}`));
}
