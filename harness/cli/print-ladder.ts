import { printableJson } from "../core/printable.ts";
import { recordOutcome } from "./store/outcomes.ts";
import { linkTo, print } from "./terminal.ts";
import { existsSync } from "node:fs";
import { readTextFile } from "../run/input-file.ts";
import { makeFolder, replaceFile } from "../run/output-file.ts";
import { join } from "node:path";
import { renderNotes } from "../../reports/campaign/campaign-notes.ts";
import { changesSince, renderChanges } from "../../reports/campaign/changes.ts";
import type { RunRecord } from "../../reports/run/run-record.ts";
import {
  isSurprise,
  type Summary,
  type SummaryCell,
  type SummaryNote,
  summarySchema,
} from "../../reports/campaign/summary.ts";
import { renderSummaryTable } from "../../reports/campaign/summary-table.ts";
import { renderViolation } from "../../reports/run/text.ts";
import { UserError } from "../core/errors.ts";
import { EXIT } from "../core/verdict.ts";
import { readKeptRun } from "../campaign/kept-run.ts";
import type { FileFormat } from "../../reports/formats.ts";
import { badgeWords, writeReports } from "./report-files.ts";
import type { TableBackend } from "../core/topologies/backend.ts";
import type { LadderResult } from "../campaign/ladder/hunt-ladder.ts";
import { textOptions } from "./output.ts";
import { cellCommand, rowName, titleOf } from "../campaign/ladder/cells.ts";
import { type Found, mostTelling } from "../campaign/ladder/ladder-journal.ts";
import { type ElapsedMs, sumOf } from "../campaign/times/work-times.ts";

const TITLES = {
  simulated: "Locks by faults: what each lock claims, and what the simulation found",
  containers: "Locks by faults: what each lock claims, and what real servers showed",
} as const satisfies Record<TableBackend, string>;

interface PrintOptions {
  readonly store: string;
  readonly json: boolean;
  /** Beside the page. */
  readonly formats: readonly FileFormat[];
  /** An earlier folder of results; absent for what the store itself contained before. */
  readonly former?: string | undefined;
}

/**
 * Prints a shrunk counterexample of each lock that broke and the table, writes the reports into the store, and lists
 * the changes since the earlier results.
 * @returns the exit code: 0 when everything came out as claimed, 1 when a lock broke that claimed to hold, 2 when a
 * known limit did not show, or cells are missing or undecided
 */
export async function printLadder(findings: LadderResult, options: PrintOptions): Promise<number> {
  const { store, json, formats } = options;
  const { name } = findings;
  const title = TITLES[findings.backend];
  const former = readFormer(name, options);
  const telling = mostTelling(findings.found).flatMap((each) => {
    const folder = findings.counterexamples.get(each.index);
    return folder === undefined ? [] : [{ each, folder }];
  });
  const records = await Promise.all(telling.map(({ folder }) => readKeptRun(folder)));
  const cells = findings.found.map((each) =>
    summaryCell(
      each,
      telling.findIndex((shown) => shown.each === each),
      findings,
    ),
  );
  const missing = findings.wanted - cells.length;
  const summary: Summary = {
    title,
    cells,
    notes: tableNotes(findings.found),
    ...(missing === 0 ? {} : { missing: { cells: missing, reason: findings.reason } }),
  };
  const told: Summary =
    former === undefined ? summary : { ...summary, changes: changesSince(former.cells, summary.cells) };
  printFindings(told, records, json);
  if (!json && findings.containersOnly.length > 0)
    print(`\n  On containers only (--backend containers): ${findings.containersOnly.join(", ")}\n`);
  if (!json && findings.notInstalled.length > 0)
    print(`\n  Left out, since their packages are not installed: npm install ${findings.notInstalled.join(" ")}\n`);
  makeFolder(store);
  const report = { title, runs: records, summary: told };
  const written = writeReports(report, { store, name, formats, quiet: json });
  recordOutcome(store, name, summary);
  // An incomplete table cannot be compared.
  if (missing === 0) replaceFile(join(store, `${name}.json`), jsonOf(withoutTimes(summary)));
  if (!json)
    print(
      `${`\nReport\n${written.map((path) => `  ${linkTo(path)}\n`).join("")}`.trimEnd()}\n${badgeWords(report, written)}`,
    );
  return exitCodeOf(summary);
}

/** Notes of all cells, with the cell in which each was seen first. */
function tableNotes(found: readonly Found[]): readonly SummaryNote[] {
  const table = new Map<string, SummaryNote>();
  for (const { cell, notes = [] } of found) {
    for (const { kind, what, runs } of notes) {
      const key = JSON.stringify([kind, what]);
      const known = table.get(key) ?? { kind, what, runs: 0, place: titleOf(cell) };
      table.set(key, { ...known, runs: known.runs + runs });
    }
  }
  return [...table.values()].toSorted((one, other) => other.runs - one.runs);
}

function summaryCell(
  { index, cell, found, runs, valid, oneDeviation }: Found,
  run: number,
  { backend, search, elapsed }: Pick<LadderResult, "backend" | "search" | "elapsed">,
): SummaryCell {
  return {
    lock: rowName(cell),
    fault: cell.fault?.kind ?? "none",
    ...(cell.expected === undefined ? {} : { expected: cell.expected }),
    found,
    runs,
    ...(valid === undefined ? {} : { valid }),
    ...(oneDeviation === undefined ? {} : { oneDeviation }),
    ...timeOf(elapsed, index),
    ...(run === -1 ? {} : { run }),
    command: cellCommand(cell, { backend, ...search }),
  };
}

function timeOf(elapsed: ElapsedMs, index: number): Pick<SummaryCell, "elapsedMs"> {
  const elapsedMs = sumOf(elapsed, [index]);
  return elapsedMs === undefined ? {} : { elapsedMs };
}

/**
 * The earlier results; undefined when the store has none.
 * @throws UserError when the named folder has none
 */
export function readFormer(
  name: string,
  { former, store }: Pick<PrintOptions, "former" | "store">,
): Summary | undefined {
  const path = former === undefined || !former.endsWith(".json") ? join(former ?? store, `${name}.json`) : former;
  if (former === undefined && !existsSync(path)) return undefined;
  try {
    return summarySchema.parse(JSON.parse(readTextFile(path)));
  } catch (error) {
    if (former === undefined) return undefined;
    throw new UserError(`${path} cannot be read as former results`, "name a store, or the .json in it", {
      cause: error,
    });
  }
}

function printFindings(summary: Summary, counterexamples: readonly RunRecord[], json: boolean): void {
  if (json) {
    print(jsonOf(summary));
    return;
  }
  for (const record of counterexamples) print(`${renderViolation(record, textOptions())}\n`);
  print(renderSummaryTable(summary, textOptions()));
  print(renderNotes(summary.notes, textOptions()));
  if (summary.changes !== undefined) print(`\n${renderChanges(summary.changes, textOptions())}`);
}

/** What the same search gives on any machine. */
function withoutTimes(summary: Summary): Summary {
  const cells = summary.cells.map((cell) => {
    const { elapsedMs: _, ...timeless } = cell;
    return timeless;
  });
  return { ...summary, cells };
}

function jsonOf(summary: Summary): string {
  return printableJson(summary);
}

function exitCodeOf({ cells, missing }: Summary): number {
  const surprises = cells.filter(isSurprise);
  if (surprises.some(({ found }) => found === "broken")) return EXIT.invalid;
  return surprises.length > 0 || missing !== undefined ? EXIT.unknown : EXIT.valid;
}
