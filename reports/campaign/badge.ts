import { printable } from "../../harness/core/printable.ts";
import { type Report, titleOf } from "../run/run-record.ts";
import { escaped } from "../run/markdown.ts";
import { count } from "../wording.ts";
import { element, escapeXml } from "../xml.ts";
import { faultWords, isSurprise, type Summary } from "./summary.ts";

/** What a campaign came to, in a word. */
type Word = "holds" | "as claimed" | "breaks" | "unknown";

interface Outcome {
  readonly word: Word;
  /** How far it was searched: `in 598 runs`. */
  readonly extent: string;
  /** The subject of a sentence, or several things, which a colon ends: `fenced on single under reset`, `run 1, run 2:`. */
  readonly about: string;
}

/** White text has a contrast of more than 4.5 with each. */
const COLORS: Readonly<Record<Word, string>> = {
  holds: "#2c7a1f",
  "as claimed": "#2c7a1f",
  breaks: "#b3261e",
  unknown: "#6a6a6a",
};
const LABEL = "lockstorm";
const LABEL_COLOR = "#444444";
const HEIGHT = 20;
/** The width of a letter on average, in a font of 11 pixels; `textLength` makes every font that wide. */
const LETTER = 6.6;
const PADDING = 7;

/** A badge for a README: what a campaign came to, and in how many runs. The same result gives the same bytes. */
export function renderBadge(report: Report): string {
  const outcome = outcomeOf(report);
  const [left, right] = [LABEL, shortWords(outcome)].map((text) => ({
    text,
    letters: Math.round(text.length * LETTER),
  }));
  if (left === undefined || right === undefined) throw new RangeError("a badge has two parts");
  const [leftWidth, rightWidth] = [left, right].map(({ letters }) => letters + 2 * PADDING) as [number, number];
  const title = titleWords(outcome);
  const text = (x: number, part: { readonly text: string; readonly letters: number }): string =>
    element("text", { x, y: 14, textLength: part.letters }, [escapeXml(part.text)]);
  const size = { width: leftWidth + rightWidth, height: HEIGHT };
  const svg = element("svg", { xmlns: "http://www.w3.org/2000/svg", ...size, role: "img", "aria-label": title }, [
    element("title", {}, [escapeXml(title)]),
    element("clipPath", { id: "round" }, [element("rect", { ...size, rx: 3 })]),
    element("g", { "clip-path": "url(#round)" }, [
      element("rect", { width: leftWidth, height: HEIGHT, fill: LABEL_COLOR }),
      element("rect", { x: leftWidth, width: rightWidth, height: HEIGHT, fill: COLORS[outcome.word] }),
    ]),
    element("g", { fill: "#fff", "font-family": "Verdana, DejaVu Sans, Geneva, sans-serif", "font-size": 11 }, [
      text(PADDING, left),
      text(leftWidth + PADDING, right),
    ]),
  ]);
  return `${svg}\n`;
}

/**
 * The line of Markdown that shows a badge and leads to the campaign's page.
 * @param files both as addresses from where the Markdown is
 */
export function badgeMarkdown(report: Report, files: { readonly badge: string; readonly page: string }): string {
  const alternative = escaped(titleWords(outcomeOf(report)));
  return `[![${alternative}](${addressOf(files.badge)})](${addressOf(files.page)})`;
}

function outcomeOf(report: Report): Outcome {
  const { summary, runs } = report;
  if (summary !== undefined && summary.cells.length > 0) return outcomeOfCampaign(summary);
  const several = report.title === undefined && runs.length > 1 ? ":" : "";
  const about = printable(`${report.title ?? runs.map(titleOf).join(", ")}${several}`);
  const verdicts = runs.map(({ verdict }) => verdict.verdict);
  // One run, or several that were asked for: each counts.
  const extent = `in ${count(runs.length, "run")}`;
  if (verdicts.includes("invalid")) return { word: "breaks", extent, about };
  const isValid = verdicts.length > 0 && verdicts.every((verdict) => verdict === "valid");
  return { word: isValid ? "holds" : "unknown", extent, about };
}

function outcomeOfCampaign(summary: Summary): Outcome {
  const { cells, missing } = summary;
  const [only] = cells;
  const runs = cells.reduce((sum, cell) => sum + (cell.runs ?? 0), 0);
  const about = printable(
    cells.length === 1 && only !== undefined
      ? `${only.lock}${only.topology === undefined ? "" : ` on ${only.topology}`} under ${faultWords(only.fault)}`
      : `table of locks by faults, ${count(cells.length, "cell")}:`,
  );
  const surprises = cells.filter(isSurprise);
  const broken = surprises.filter(({ found }) => found === "broken").length;
  if (broken > 0) {
    const where =
      cells.length === 1 ? `in run ${runs}` : `in ${broken} of ${cells.length} cells, ${count(runs, "run")}`;
    return { word: "breaks", extent: where, about };
  }
  if (surprises.length > 0 || missing !== undefined)
    return { word: "unknown", extent: `after ${count(runs, "run")}`, about };
  const holds = cells.every(({ found }) => found === "holds" || found === "outlived");
  // A run that decided nothing is no evidence.
  const valid = cells.reduce((sum, cell) => sum + (cell.valid ?? cell.runs ?? 0), 0);
  return holds
    ? { word: "holds", extent: `in ${count(valid, "valid run")}`, about }
    : { word: "as claimed", extent: `in ${count(runs, "run")}`, about };
}

function shortWords({ word, extent }: Outcome): string {
  return `${word} ${extent}`;
}

function titleWords({ word, extent, about }: Outcome): string {
  return `${LABEL}: ${about} ${word === "as claimed" ? "came out as claimed" : word} ${extent}`;
}

/** A path as an address that ends nowhere before its end. */
function addressOf(path: string): string {
  return path.split(/[/\\]/).map(encodeURIComponent).join("/").replaceAll("(", "%28").replaceAll(")", "%29");
}
