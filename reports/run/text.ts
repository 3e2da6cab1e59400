import { printable } from "../../harness/core/printable.ts";
import { PROPERTIES, type PropertyVerdict, type Verdict } from "../../harness/core/verdict.ts";
import { RESOURCE } from "../../harness/core/topology.ts";
import { causeWords } from "./share-words.ts";
import type { FaultSpan } from "./fault-spans.ts";
import { marginWords } from "./margin-words.ts";
import { momentsOf, type Moment } from "./moments.ts";
import { conditionsOf, titleOf, type RunRecord } from "./run-record.ts";
import { rootCausesOf } from "./root-causes.ts";
import { aboutKeys, overlapWords, storiesOf, type Story } from "./story.ts";
import { picture } from "./text-picture.ts";
import { glyphs, TextStyle, type TextOptions } from "../text-style.ts";
import { timelineOf, type Timeline } from "./timeline.ts";
import { WIRE_TITLE, wireWords } from "./wire-words.ts";
import { listed } from "../../harness/core/listed.ts";
import { count, evidenceText, formatMs, formatMsFigure, OUTCOME_WORD, reasonsTitle } from "../wording.ts";
import { inFigures } from "../../harness/core/words/in-figures.ts";

/** Root causes of which a violation is drawn in full; each further violation gets one line. */
const MOST_DRAWN = 3;
/** Further violations that get a line. */
const MOST_LISTED = 20;
const MOST_MOMENTS = 18;
const MOST_FAULTS = 12;
/** A run without a violation is drawn as a whole only when it has no more operations than this. */
const MOST_OPERATIONS_DRAWN = 400;

/**
 * One run as text for a terminal or a log: the verdict, the properties, a picture of each violation with its moments
 * and its cause, remarks, faults with their evidence, and how to replay it. Ends with a line feed.
 */
export function renderText(run: RunRecord, options: TextOptions): string {
  const style = new TextStyle(options);
  const timeline = timelineOf(run.history, run.wire);
  const stories = storiesOf(run.verdict, timeline, run.history.events);
  const parts: readonly (readonly string[])[] = [
    headline(run, style),
    properties(run.verdict, style),
    section(reasonsTitle(run.verdict.verdict), run.verdict.reasons, style),
    ...(run.omittedEvents === undefined ? drawnStories(stories, timeline, style) : toldStories(stories, style)),
    ...(stories.length === 0 ? [overview(timeline, style)] : []),
    section("Remarks", run.verdict.remarks, style),
    section("How close it was", marginWords(run.verdict.margins), style),
    faultEvidence(timeline.faults, storiesToDraw(stories), style),
    section(WIRE_TITLE, wireWords(run.wire), style),
    replay(run, style),
  ];
  return textOf(parts, style);
}

/** The first violation of a run and how to replay it, nothing else: for one run of many. Ends with a line feed. */
export function renderViolation(run: RunRecord, options: TextOptions): string {
  const style = new TextStyle(options);
  const timeline = timelineOf(run.history, run.wire);
  const stories = storiesOf(run.verdict, timeline, run.history.events);
  return textOf(
    [
      headline(run, style),
      ...stories.slice(0, 1).map((story, index) => violation(story, index, stories.length, timeline, style)),
      replay(run, style),
    ],
    style,
  );
}

function textOf(parts: readonly (readonly string[])[], style: TextStyle): string {
  const text = parts.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  const whole = `${text.join("\n\n").replaceAll("\u{a0}", " ")}\n`;
  return style.unicode ? whole : whole.replaceAll("\u{2026}", "..");
}

/** Conditions that are no longer than this stand on one line. */
const MOST_TOGETHER = 80;

function headline(run: RunRecord, style: TextStyle): readonly string[] {
  const { verdict } = run.verdict;
  const color = { valid: "green", invalid: "red", unknown: "yellow" } as const;
  const title = style.line(
    { text: verdict.toUpperCase(), style: ["bold", color[verdict]] },
    { text: `  ${printable(titleOf(run))}`, style: "bold" },
  );
  return [
    title,
    ...style.paragraph(
      conditionsOf(run)
        .map(printable)
        .map((part) => (part.length < MOST_TOGETHER ? part.replaceAll(" ", "\u{a0}") : part))
        .join(", "),
    ),
  ];
}

function properties(verdict: Verdict, style: TextStyle): readonly string[] {
  const judgedOnes = PROPERTIES.filter((property) => verdict.properties[property] !== undefined);
  const column = Math.max(18, ...judgedOnes.map(({ length }) => length));
  return PROPERTIES.flatMap((property) => {
    const judged = verdict.properties[property];
    if (judged === undefined) return [];
    const { good, bad } = glyphs(style.unicode);
    const mark = { valid: good, invalid: bad, unknown: "?", "not-applicable": "-" }[judged.verdict];
    const color = { valid: "green", invalid: "red", unknown: "yellow", "not-applicable": "dim" } as const;
    const asked = verdict.required.includes(property) || judged.verdict === "not-applicable" ? "" : " (not required)";
    const label = `  ${mark} ${property.padEnd(column)} ${OUTCOME_WORD[judged.verdict].padEnd(8)} `;
    return style.hanging({ text: label, style: color[judged.verdict] }, propertyNote(judged) + asked, label.length);
  });
}

function propertyNote({ verdict, violations, reason }: PropertyVerdict): string {
  if (verdict !== "invalid") return reason === undefined ? "" : printable(reason);
  const causes = [...Map.groupBy(violations, ({ cause }) => cause)].map(([cause, found]) =>
    found.length === violations.length ? cause : `${cause} ${found.length}`,
  );
  return `${count(violations.length, "violation")}: ${causes.join(", ")}`;
}

/** The first violation of each root cause, as a picture, and a line for each other one. */
function drawnStories(stories: readonly Story[], timeline: Timeline, style: TextStyle): readonly (readonly string[])[] {
  const drawn = storiesToDraw(stories);
  const others = stories.filter((story) => !drawn.includes(story));
  return [
    ...drawn.map((story, index) => violation(story, index, stories.length, timeline, style)),
    furtherViolations(others, timeline, style),
  ];
}

function storiesToDraw(stories: readonly Story[]): readonly Story[] {
  return rootCausesOf(stories)
    .slice(0, MOST_DRAWN)
    .flatMap(({ stories: alike }) => alike.slice(0, 1));
}

/** The violations of a history that was not kept: what the checkers say, and where to look. */
function toldStories(stories: readonly Story[], style: TextStyle): readonly (readonly string[])[] {
  const told = stories
    .slice(0, MOST_LISTED)
    .map((story, index) => [
      ...heading(storyTitle(story, index, stories.length), style),
      `  events ${story.violation.events.join(", ")} (event n is on line n + 2 of the history)`,
      "",
      ...story.explanations.flatMap((explanation) => style.paragraph(printable(explanation), 2)),
    ]);
  const rest = stories.length - MOST_LISTED;
  return [...told, ...(rest > 0 ? [[`and ${count(rest, "further violation")}`]] : [])];
}

function storyTitle(story: Story, index: number, total: number): string {
  const which = total === 1 ? "Violation" : `Violation ${index + 1} of ${total}`;
  return `${which}: ${listed(story.properties)}, ${causeWords(story)} (${story.violation.cause})`;
}

function violation(
  story: Story,
  index: number,
  total: number,
  timeline: Timeline,
  style: TextStyle,
): readonly string[] {
  const { moments, leftOut } = momentsOf(story, timeline, MOST_MOMENTS);
  const { overlap } = story.violation;
  const { window, lanes } = story;
  const says = overlapWords(story).endsWith(" hold") ? "overlap" : overlapWords(story);
  return [
    ...heading(storyTitle(story, index, total), style),
    "",
    ...picture({ timeline: aboutKeys(story, timeline), window, lanes, moments, overlap, overlapSays: says }, style),
    "",
    ...momentList(moments, leftOut, style),
    "",
    ...story.explanations.flatMap((explanation, place) => [
      ...(place === 0 ? [] : [""]),
      ...style.paragraph(printable(explanation), 2),
    ]),
  ];
}

function heading(text: string, style: TextStyle): readonly string[] {
  return style.paragraph(text).map((line) => style.paint(line, "bold"));
}

function momentList(moments: readonly Moment[], leftOut: number, style: TextStyle): readonly string[] {
  const length = (moments.at(-1)?.time ?? 0) - (moments[0]?.time ?? 0);
  const figures = moments.map(({ time }) => inFigures(time / 1e6, length < 20e6 ? 3 : 1));
  const width = Math.max(2, ...figures.map((figure) => figure.length));
  const head = style.paint(`${"".padStart(5)} ${"ms".padStart(width)}  event`, "dim");
  const rows = moments.flatMap(({ text, index }, place) => {
    const number = String(place + 1).padStart(4);
    const event = (index === undefined ? "" : `#${index}`).padEnd(6);
    const label = `${number}  ${(figures[place] ?? "").padStart(width)}  ${event} `;
    return style.hanging({ text: label, style: "bold" }, text, label.length);
  });
  const rest =
    leftOut === 0
      ? []
      : [
          style.paint(
            `      and ${count(leftOut, "further event")} that ${leftOut === 1 ? "is" : "are"} not listed`,
            "dim",
          ),
        ];
  return [head, ...rows, ...rest];
}

function furtherViolations(stories: readonly Story[], timeline: Timeline, style: TextStyle): readonly string[] {
  if (stories.length === 0) return [];
  const lines = stories.slice(0, MOST_LISTED).flatMap((story) => {
    const who = listed([...new Set(story.holds.map(({ actor }) => actor))]);
    const text = `at ${formatMs(story.at)}: ${story.violation.cause}${who === "" ? "" : `, ${who}`} (${story.properties.join(", ")})`;
    return style.hanging({ text: "  -" }, text, 4);
  });
  const rest = stories.length - MOST_LISTED;
  return [
    ...heading(count(stories.length, "further violation"), style),
    ...lines,
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ];
}

/** The whole run, where there is no violation to show. */
function overview(timeline: Timeline, style: TextStyle): readonly string[] {
  if (timeline.operations.length === 0 || timeline.operations.length > MOST_OPERATIONS_DRAWN) return [];
  const { actors } = timeline;
  const faults = timeline.faults.filter(({ outcome }) => outcome !== "skipped");
  const nodes = [...new Set(faults.flatMap(({ lanes }) => lanes))].filter(
    (lane) => !actors.includes(lane) && lane !== RESOURCE,
  );
  const hit = faults.some(({ lanes }) => lanes.includes(RESOURCE));
  const window = { from: 0, to: Math.max(timeline.end * 1.02, 1) };
  const lanes = [...actors, ...nodes.sort(), ...(timeline.writes.length > 0 || hit ? [RESOURCE] : [])];
  const instants = [...timeline.operations, ...faults, ...timeline.holds].flatMap(({ from, to }) => [from, to]);
  return [...heading("The run", style), "", ...picture({ timeline, window, lanes, moments: [], instants }, style)];
}

function section(title: string, items: readonly string[], style: TextStyle): readonly string[] {
  if (items.length === 0) return [];
  return [...heading(title, style), ...items.flatMap((item) => style.hanging({ text: "  -" }, printable(item), 4))];
}

/** The faults behind a violation first, where there are too many to list all. */
function faultEvidence(all: readonly FaultSpan[], stories: readonly Story[], style: TextStyle): readonly string[] {
  if (all.length === 0) return [];
  const near = new Set(stories.flatMap(({ faults }) => faults));
  const chosen = all.toSorted((one, other) => Number(near.has(other)) - Number(near.has(one))).slice(0, MOST_FAULTS);
  const faults = all.filter((fault) => chosen.includes(fault));
  const lines = faults.flatMap((fault) => {
    const { from, to, outcome, targets, evidence, healEvidence, healed } = fault;
    const when = from === to ? `at ${formatMs(from)}` : `${formatMsFigure(from)} to ${formatMs(to)}`;
    const whom = targets.length === 0 ? "" : ` on ${listed(targets.map(printable))}`;
    const color = { installed: "green", skipped: "dim", indeterminate: "yellow" } as const;
    const notes = [
      `${outcome}: ${evidence === undefined ? "no evidence recorded" : evidenceText(evidence)}`,
      ...(healEvidence === undefined ? [] : [`healed: ${evidenceText(healEvidence)}`]),
      ...(healed === undefined && to > from ? ["never healed"] : []),
    ];
    return [
      style.line({ text: `  ${printable(fault.kind)}`, style: color[outcome] }, { text: `${whom}, ${when}` }),
      ...notes.flatMap((note) => style.paragraph(note, 6)),
    ];
  });
  const rest = all.length - faults.length;
  const more = rest === 0 ? [] : [style.paint(`  and ${count(rest, "further fault")}`, "dim")];
  return [...heading("Faults and the evidence for them", style), ...lines, ...more];
}

function replay(run: RunRecord, style: TextStyle): readonly string[] {
  if (run.replayCommand === undefined) return [];
  return [...heading("Replay", style), `  ${printable(run.replayCommand)}`];
}
