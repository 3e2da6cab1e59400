import { faultsCoveredBy, kindOf } from "../../faults/fault-classes.ts";
import type { Claim, Limit } from "../../lock-impl/claims.ts";
import type { Lesson, LockEntry } from "../../lock-impl/lock-entry.ts";
import { HarnessError } from "../../harness/core/errors.ts";
import type { Property } from "../../harness/core/verdict.ts";
import type { RunRecord } from "../../reports/run/run-record.ts";
import { storiesOf } from "../../reports/run/story.ts";
import { renderViolation } from "../../reports/run/text.ts";
import { timelineOf } from "../../reports/run/timeline.ts";

/** Columns of a picture on a page. */
const WIDTH = 100;

/** The content of a lock's page. */
export interface LockPage {
  readonly lock: LockEntry;
  /** Its source file, relative to the project's root, where it has one of its own. */
  readonly source: string | undefined;
  /**
   * The run that shows its limit, and the path of its plan, relative to the project's root. Absent where the simulation
   * cannot run it.
   */
  readonly shown?: { readonly record: RunRecord; readonly planFile: string } | undefined;
  /** The rungs before and after it. */
  readonly neighbours: { readonly before?: LockEntry | undefined; readonly after?: LockEntry | undefined };
}

/** The page of one lock, as Markdown: what it does, what it promises, how it is lost, and what helps against that. */
export function lockPage({ lock, source, shown, neighbours }: LockPage): string {
  const { fixedBy, how } = lock.lesson;
  return [
    `# ${lock.name}`,
    "",
    sentence(lock.title.replace(/^flawed: /, "")),
    ...(lock.flaw === undefined || lock.title.includes(lock.flaw) ? [] : ["", `The flaw: ${lock.flaw}.`]),
    "",
    ...(source === undefined ? [] : [`Source: [${source}](../../${source}).`]),
    `Runs on: ${lock.topologies.join(", ")}${lock.persistence === undefined ? "" : `, appendfsync ${lock.persistence}`}.`,
    "",
    "## What it promises",
    "",
    ...(lock.flawed ? ["What its author would claim:", ""] : []),
    "| property | on | under | because |",
    "|---|---|---|---|",
    ...lock.claims.map(claimRow),
    "",
    "## How it fails",
    "",
    "| property | on | under | cause | source |",
    "|---|---|---|---|---|",
    ...lock.limits.map(limitRow),
    "",
    "## Counterexample",
    "",
    ...(shown === undefined ? onRealServers(lock) : counterexample(lock, shown)),
    "",
    "## How to fix it",
    "",
    `${how}${fixedBy === undefined ? "" : ` See [${fixedBy}](${fixedBy}.md).`}`,
    "",
    ...steps(neighbours),
  ].join("\n");
}

function counterexample(
  { lesson }: LockEntry,
  { record, planFile }: NonNullable<LockPage["shown"]>,
): readonly string[] {
  const replayCommand = `npx lockstorm replay ${planFile}`;
  return [
    `Of ${lostIn({ ...lesson.shows, property: shownProperty(lesson, record) })}, in simulation:`,
    "",
    indented(renderViolation({ ...record, replayCommand }, { color: false, width: WIDTH })),
  ];
}

function onRealServers({ name, lesson }: LockEntry): readonly string[] {
  const { property, under } = lesson.shows;
  const kind = kindOf(under);
  return [
    `Containers only: the simulation has no such server, so this page has no reproducible schedule. On real`,
    `servers, this command shows how ${lostIn(lesson.shows)} fails:`,
    "",
    `    npx lockstorm hunt --lock ${name} --backend containers --faults ${kind} --require ${property}`,
  ];
}

/**
 * The property that the picture shows. Where the lock's bug breaks several, a plan may break another than the lesson
 * names.
 */
function shownProperty({ shows: { property } }: Lesson, { verdict, history }: RunRecord): Property {
  const [story] = storiesOf(verdict, timelineOf(history), history.events);
  if (story === undefined) throw new HarnessError("a run without a violation is no counterexample");
  return story.properties.find((each) => each === property) ?? story.properties[0] ?? property;
}

function lostIn({ property, under }: Lesson["shows"]): string {
  return `${property} ${under === "none" ? "without any fault" : `under ${under}`}`;
}

function claimRow({ property, topology, under, persistence, because }: Claim): string {
  const disks = persistence === undefined ? "" : ` (persistence ${persistence.join(" or ")})`;
  return `| ${property} | ${topology}${disks} | ${faultsCoveredBy(under).join(", ")} | ${cell(because)} |`;
}

function limitRow({ property, topology, under, cause, source }: Limit): string {
  return `| ${property} | ${topology} | ${under} | ${cause} | ${cell(source)} |`;
}

function steps({ before, after }: LockPage["neighbours"]): readonly string[] {
  const links = [
    ...(before === undefined ? [] : [`Before it: [${before.name}](${before.name}.md).`]),
    ...(after === undefined ? [] : [`After it: [${after.name}](${after.name}.md).`]),
    "[The whole ladder](README.md).",
  ];
  return [links.join(" "), ""];
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** As a block of code. */
function indented(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => (line === "" ? "" : `    ${line}`))
    .join("\n");
}

/** A bar would end the cell. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
