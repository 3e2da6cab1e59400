import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderHtml } from "../../../reports/html.ts";
import type { RunRecord } from "../../../reports/run-record.ts";
import { isSurprise, type Summary, type SummaryCell } from "../../../reports/summary.ts";
import { renderSummaryTable } from "../../../reports/summary-table.ts";
import { renderViolation } from "../../../reports/text.ts";
import { HarnessError, UserError } from "../../core/errors.ts";
import { EXIT } from "../../core/verdict.ts";
import type { Flags } from "../command.ts";
import { textOptions } from "../output.ts";
import { Progress } from "../progress.ts";
import { type Cell, ladderCells, type LadderScope, rowName, titleOf } from "./cells.ts";
import { Crew } from "./crew.ts";
import type { CellOutcome } from "./search-cell.ts";

const DEFAULT_SEED = 1;
const TITLE = "Locks by faults: what each claims against what the simulation found";

interface Found {
  readonly index: number;
  readonly cell: Cell;
  readonly outcome: CellOutcome;
}

/**
 * Searches every cell of locks by faults in simulation, prints a shrunk counterexample of each lock that broke and
 * the table of what was claimed against what was found, and writes both as `ladder.html` into the store.
 * @returns the exit code: 0 when everything came out as claimed, 1 when a lock broke that claimed to hold, 2 when a
 * known limit did not show or nothing came of a cell
 * @throws UserError when no lock has the name that was asked for
 */
export async function huntLadder(options: {
  readonly flags: Flags;
  readonly store: string;
  readonly json: boolean;
  readonly signal: AbortSignal;
}): Promise<number> {
  const { flags, store, json, signal } = options;
  const scope = scopeOf(flags);
  const cells = ladderCells(scope);
  if (cells.length === 0)
    throw new UserError(`no lock of the table is called ${scope.only?.join(", ")}`, "name another");
  const seed = flags.integer("seed", 0) ?? DEFAULT_SEED;
  const runs = flags.integer("runs", 1);
  await using crew = new Crew({ scope, seed, store, ...(runs === undefined ? {} : { runs }) });
  using progress = new Progress();
  const found = await search(crew, cells, signal, progress);
  const telling = mostTelling(found);
  const records = await shrink(crew, telling, signal, progress);
  progress[Symbol.dispose]();
  const summary = summaryOf(found, telling);
  print(summary, records, json);
  const report = join(store, "ladder.html");
  mkdirSync(store, { recursive: true });
  writeFileSync(report, renderHtml({ title: TITLE, runs: records, summary }));
  if (!json) console.log(`\nReport\n  ${report}`);
  return exitCodeOf(summary);
}

function scopeOf(flags: Flags): LadderScope {
  const only = flags.text("lock")?.split(",");
  return { all: flags.on("all"), ...(only === undefined ? {} : { only }) };
}

async function search(
  crew: Crew,
  cells: readonly Cell[],
  signal: AbortSignal,
  progress: Progress,
): Promise<readonly Found[]> {
  const tasks = cells.map((_, cell) => ({ cell }));
  const answers = await crew.do(tasks, {
    signal,
    onStart: (_, index) => progress.step(`${index + 1} of ${cells.length}: ${titleOf(cellAt(cells, index))}`),
  });
  return answers.flatMap((answer, index) => {
    if (answer === undefined) return [];
    const cell = cellAt(cells, index);
    if ("error" in answer) throw new HarnessError(`${titleOf(cell)}: ${answer.error}`);
    return "outcome" in answer ? [{ index, cell, outcome: answer.outcome }] : [];
  });
}

async function shrink(
  crew: Crew,
  found: readonly Found[],
  signal: AbortSignal,
  progress: Progress,
): Promise<readonly RunRecord[]> {
  const tasks = found.map(({ index, outcome }) => ({ cell: index, path: outcome.failing?.path ?? "" }));
  const answers = await crew.do(tasks, {
    signal,
    onStart: (_, index) => progress.step(`shrinking ${index + 1} of ${found.length}`),
  });
  return answers.flatMap((answer) => {
    if (answer !== undefined && "error" in answer) throw new HarnessError(answer.error);
    return answer !== undefined && "record" in answer ? [answer.record] : [];
  });
}

/**
 * For each row that broke, the cell worth shrinking: where a flawed lock shows its flaw, and else the one whose failing
 * run has the fewest events.
 */
function mostTelling(found: readonly Found[]): readonly Found[] {
  const chosen = new Map<string, Found>();
  for (const each of found) {
    if (each.outcome.failing === undefined) continue;
    const row = rowName(each.cell);
    const known = chosen.get(row);
    if (known === undefined || compare(each, known) < 0) chosen.set(row, each);
  }
  return [...chosen.values()];
}

function compare(one: Found, other: Found): number {
  const eventsOf = ({ outcome }: Found): number => outcome.failing?.events ?? Infinity;
  return Number(showsFlaw(other.cell)) - Number(showsFlaw(one.cell)) || eventsOf(one) - eventsOf(other);
}

function showsFlaw({ lock, fault }: Cell): boolean {
  return lock.flawed && lock.limits[0]?.under === (fault?.kind ?? "none");
}

function summaryOf(found: readonly Found[], shown: readonly Found[]): Summary {
  const cells = found.map((each): SummaryCell => {
    const { cell, outcome } = each;
    const run = shown.indexOf(each);
    return {
      lock: rowName(cell),
      fault: cell.fault?.kind ?? "none",
      ...(cell.expected === undefined ? {} : { expected: cell.expected }),
      found: outcome.found,
      runs: outcome.runs,
      ...(run === -1 ? {} : { run }),
    };
  });
  return { title: TITLE, cells };
}

function print(summary: Summary, counterexamples: readonly RunRecord[], json: boolean): void {
  if (json) {
    console.log(JSON.stringify(summary, undefined, 2));
    return;
  }
  for (const record of counterexamples) process.stdout.write(`${renderViolation(record, textOptions())}\n`);
  process.stdout.write(renderSummaryTable(summary, textOptions()));
}

function exitCodeOf({ cells }: Summary): number {
  const surprises = cells.filter(isSurprise);
  if (surprises.some(({ found }) => found === "broken")) return EXIT.invalid;
  return surprises.length > 0 ? EXIT.unknown : EXIT.valid;
}

function cellAt(cells: readonly Cell[], index: number): Cell {
  const cell = cells[index];
  if (cell === undefined) throw new RangeError(`there is no cell ${index}`);
  return cell;
}
