import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { changesSince, renderChanges } from "../../../reports/changes.ts";
import type { RunRecord } from "../../../reports/run-record.ts";
import { isSurprise, type Summary, type SummaryCell, summarySchema } from "../../../reports/summary.ts";
import { renderSummaryTable } from "../../../reports/summary-table.ts";
import { renderViolation } from "../../../reports/text.ts";
import { UserError } from "../../core/errors.ts";
import { EXIT } from "../../core/verdict.ts";
import { readKeptRun } from "../campaign/kept-run.ts";
import { type ReportFormat, writeReports } from "../campaign/report-files.ts";
import type { Backend } from "../backend.ts";
import { textOptions } from "../output.ts";
import { rowName } from "./cells.ts";
import { type Found, mostTelling } from "./ladder-journal.ts";

const TITLES = {
  simulated: "Locks by faults: what each claims against what the simulation found",
  containers: "Locks by faults: what each claims against what real servers showed",
} as const satisfies Record<Backend, string>;

/** What was found of the table, in one store or gathered from several. */
export interface LadderFindings {
  /** In the order of the table. */
  readonly found: readonly Found[];
  readonly backend: Backend;
  /** How many cells there should be. */
  readonly wanted: number;
  /** Why some are missing, if some are. */
  readonly reason: string;
  /** Folders of kept counterexamples, by their cell. */
  readonly counterexamples: ReadonlyMap<number, string>;
  /** Locks that the simulation cannot run. */
  readonly containersOnly: readonly string[];
}

export interface ConcludeOptions {
  readonly store: string;
  /** Of the files that are written into the store. */
  readonly name: string;
  readonly json: boolean;
  /** Beside the page. */
  readonly formats: readonly ReportFormat[];
  /** A former folder of results; absent for what the store itself held before. */
  readonly former?: string | undefined;
}

/**
 * Prints a shrunk counterexample of each lock that broke and the table, writes the reports into the store, and says what
 * has changed since the former results.
 * @returns the exit code: 0 when everything came out as claimed, 1 when a lock broke that claimed to hold, 2 when a
 * known limit did not show, or cells are missing, or nothing came of one
 */
export async function concludeLadder(findings: LadderFindings, options: ConcludeOptions): Promise<number> {
  const { store, name, json, formats } = options;
  const title = TITLES[findings.backend];
  const former = readFormer(options);
  const telling = mostTelling(findings.found).flatMap((each) => {
    const folder = findings.counterexamples.get(each.index);
    return folder === undefined ? [] : [{ each, folder }];
  });
  const records = await Promise.all(telling.map(({ folder }) => readKeptRun(folder)));
  const cells = findings.found.map((each) =>
    summaryCell(
      each,
      telling.findIndex((shown) => shown.each === each),
    ),
  );
  const missing = findings.wanted - cells.length;
  const summary: Summary = {
    title,
    cells,
    ...(missing === 0 ? {} : { missing: { cells: missing, reason: findings.reason } }),
  };
  const told: Summary =
    former === undefined ? summary : { ...summary, changes: changesSince(former.cells, summary.cells) };
  print(told, records, json);
  if (!json && findings.containersOnly.length > 0)
    console.log(`\n  On containers only (--backend containers): ${findings.containersOnly.join(", ")}`);
  mkdirSync(store, { recursive: true });
  const written = writeReports({ title, runs: records, summary: told }, { store, name, formats, quiet: json });
  // Part of a table is nothing to compare with.
  if (missing === 0) writeFileSync(join(store, `${name}.json`), jsonOf(summary));
  if (!json) console.log(`\nReport\n${written.map((path) => `  ${path}\n`).join("")}`.trimEnd());
  return exitCodeOf(summary);
}

function summaryCell({ cell, found, runs }: Found, run: number): SummaryCell {
  return {
    lock: rowName(cell),
    fault: cell.fault?.kind ?? "none",
    ...(cell.expected === undefined ? {} : { expected: cell.expected }),
    found,
    runs,
    ...(run === -1 ? {} : { run }),
  };
}

/** The former results; undefined when the store holds none. @throws UserError when those that were named are none */
function readFormer({ former, store, name }: ConcludeOptions): Summary | undefined {
  const path = former === undefined || !former.endsWith(".json") ? join(former ?? store, `${name}.json`) : former;
  if (former === undefined && !existsSync(path)) return undefined;
  try {
    return summarySchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    if (former === undefined) return undefined;
    throw new UserError(`${path} cannot be read as former results`, "name a store, or the .json in it", {
      cause: error,
    });
  }
}

function print(summary: Summary, counterexamples: readonly RunRecord[], json: boolean): void {
  if (json) {
    process.stdout.write(jsonOf(summary));
    return;
  }
  for (const record of counterexamples) process.stdout.write(`${renderViolation(record, textOptions())}\n`);
  process.stdout.write(renderSummaryTable(summary, textOptions()));
  if (summary.changes !== undefined) process.stdout.write(`\n${renderChanges(summary.changes, textOptions())}`);
}

function jsonOf(summary: Summary): string {
  return `${JSON.stringify(summary, undefined, 2)}\n`;
}

function exitCodeOf({ cells, missing }: Summary): number {
  const surprises = cells.filter(isSurprise);
  if (surprises.some(({ found }) => found === "broken")) return EXIT.invalid;
  return surprises.length > 0 || missing !== undefined ? EXIT.unknown : EXIT.valid;
}
