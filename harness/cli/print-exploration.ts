import { join } from "node:path";
import { renderNotes } from "../../reports/campaign/campaign-notes.ts";
import type { ExploreFindings, LevelFindings } from "../campaign/explore/explore-journal.ts";
import type { ExploreResult } from "../campaign/explore/explore.ts";
import { leftOut } from "../campaign/explore/left-out.ts";
import { readKeptRun } from "../campaign/kept-run.ts";
import { isDecided } from "../campaign/notes/tally.ts";
import { printableJson } from "../core/printable.ts";
import { EXIT } from "../core/verdict.ts";
import type { RunRecord } from "../../reports/run/run-record.ts";
import type { Summary } from "../../reports/campaign/summary.ts";
import { beside, paragraph, printRun, textOptions } from "./output.ts";
import { writeReports } from "./report-files.ts";
import { recordOutcome } from "./store/outcomes.ts";
import { linkTo, print } from "./terminal.ts";
import { inFigures } from "../core/words/in-figures.ts";

/**
 * Prints the outcome of an exploration, and writes its page into the store.
 * @returns the exit code: 1 when a schedule breaks the lock; 0 when all were run, none does, and enough of them decided
 * something (`isDecided`); else 2
 */
export async function printExploration(result: ExploreResult, json: boolean): Promise<number> {
  const { findings, store } = result;
  const { broken } = findings;
  const folder = broken?.folder === undefined ? undefined : join(store, broken.folder);
  const record = folder === undefined ? undefined : await readKeptRun(folder);
  const report = reportOf(result, record);
  const pages = writeReports(report, { store, name: result.name, formats: [], quiet: json });
  recordOutcome(store, result.name, report.summary);
  if (json) print(printableJson({ ...findings, leftOut: leftOut(findings.parameters), verdict: verdictOf(findings) }));
  else {
    if (record !== undefined && folder !== undefined) printRun({ record, folder }, false);
    print(renderNotes(findings.notes, textOptions()));
    print(`${words(result, record)}\n\nReport\n${pages.map((page) => `  ${linkTo(page)}\n`).join("")}`);
  }
  return EXIT[verdictOf(findings)];
}

function reportOf({ findings, reason }: ExploreResult, record: RunRecord | undefined) {
  const { parameters, levels, outcomes, schedules, notes } = findings;
  const { lock, topology, faults } = parameters;
  const title = `exploration of ${lock} on ${topology.kind}`;
  const found = { valid: "holds", invalid: "broken", unknown: "unknown" } as const;
  const cell = {
    lock,
    topology: topology.kind,
    fault: faults.join(" + "),
    expected: "holds",
    found: found[verdictOf(findings)],
    runs: schedules,
    valid: outcomes.valid,
    invalid: outcomes.invalid,
    unpromised: outcomes.unpromised,
    held: [],
  } as const;
  const summary: Summary = {
    title,
    cells: [record === undefined ? cell : { ...cell, run: 0 }],
    notes: notes.map(({ kind, what, runs }) => ({ kind, what, runs })),
    exploration: { conclusion: conclusion(findings, reason, record), levels, leftOut: leftOut(parameters) },
  };
  return { title, runs: record === undefined ? [] : [record], summary };
}

function verdictOf(findings: ExploreFindings): "valid" | "invalid" | "unknown" {
  if (findings.broken !== undefined) return "invalid";
  const { valid, unknown } = findings.outcomes;
  return findings.complete && isDecided({ valid, unknown, notes: findings.notes }) ? "valid" : "unknown";
}

function words({ findings, reason }: ExploreResult, record: RunRecord | undefined): string {
  const { parameters, levels, outcomes, schedules, classes } = findings;
  const { lock, topology, seed } = parameters;
  const { valid, unknown, unpromised, invalid } = outcomes;
  return [
    "",
    paragraph(
      `Explored ${lock} on ${topology.kind}, seed ${seed}: ${inFigures(schedules)} schedules of ${inFigures(classes)} classes`,
    ),
    ...[
      `${inFigures(valid)} valid, ${inFigures(unknown)} unknown, ${inFigures(unpromised)} without a guaranteed property, ${inFigures(invalid)} invalid`,
      ...levels.map(levelWords),
    ].map(item),
    "Left out",
    ...leftOut(parameters).map(item),
    // A command stands on a line of its own, whole, to be copied.
    ...conclusion(findings, reason, record)
      .split(/ (?=To run it again: )/)
      .map((part) => (part.startsWith("To run") ? part : paragraph(part))),
  ].join("\n");
}

function item(text: string): string {
  return beside("  ", text).trimEnd();
}

function levelWords(level: LevelFindings): string {
  const { deviations, schedules, newClasses, families, missing, symmetric, alike } = level;
  const pruned = [
    ...(symmetric === 0 ? [] : [`${inFigures(symmetric)} at equal servers`]),
    ...(alike === 0 ? [] : [`${inFigures(alike)} after another schedule of the same class`]),
  ];
  const rest = missing === 0 ? "" : `, ${inFigures(missing)} not explored`;
  return `with ${counted(deviations, "deviation")}: ${inFigures(families)} places and faults${rest}, ${inFigures(schedules)} schedules, ${inFigures(newClasses)} new classes${pruned.length === 0 ? "" : `; pruned: ${pruned.join(", ")}`}`;
}

function conclusion(findings: ExploreFindings, reason: string, record: RunRecord | undefined): string {
  const { broken, complete, parameters, schedules } = findings;
  const bound = `up to ${counted(parameters.deviations, "deviation")}`;
  if (broken?.path === "") return `The workload breaks ${parameters.lock} as it is, without a deviation.`;
  if (broken !== undefined) {
    const breaks = `A schedule with ${counted(broken.path.split("/").length, "fault")}`;
    if (record === undefined)
      return `${breaks} breaks ${parameters.lock}. It was not kept, because ${reason}: the same command with --resume keeps it.`;
    const kinds = record.plan?.faults.map(({ kind }) => kind) ?? [];
    const replay = record.replayCommand === undefined ? "" : ` To run it again: ${record.replayCommand}`;
    return `${breaks}${kinds.length === 0 ? "" : ` (${kinds.join(", ")})`} breaks ${parameters.lock}.${replay}`;
  }
  if (!complete) return `Not complete: ${reason}. Continue with --resume.`;
  if (verdictOf(findings) === "unknown")
    return `All ${inFigures(schedules)} schedules with ${bound} were run, and too few of them decided anything.`;
  const { unknown } = findings.outcomes;
  const undecided = unknown === 0 ? "" : `, and ${inFigures(unknown)} decided nothing`;
  return `All ${inFigures(schedules)} schedules with ${bound} were run: none breaks ${parameters.lock}${undecided}.`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
