import { join } from "node:path";
import type { RunRecord } from "../../../reports/run-record.ts";
import type { Summary } from "../../../reports/summary.ts";
import { isModulePath } from "../../client/load-driver.ts";
import { EXIT } from "../../core/verdict.ts";
import { printRun } from "../output.ts";
import type { HuntFindings } from "./hunt-journal.ts";
import { readKeptRun } from "./kept-run.ts";
import { type ReportFormat, writeReports } from "./report-files.ts";

/**
 * Prints what came of a hunt and writes its reports into the store.
 * @returns the exit code: 1 with a counterexample, 0 without when some run was valid, else 2
 */
export async function concludeHunt(
  findings: HuntFindings,
  options: {
    readonly store: string;
    readonly name: string;
    readonly json: boolean;
    readonly formats: readonly ReportFormat[];
    /** Why plans are missing, if some are. */
    readonly reason: string;
  },
): Promise<number> {
  const { store, name, json, formats } = options;
  const { counterexample } = findings;
  const folder = counterexample === undefined ? undefined : join(store, counterexample.folder);
  const record = folder === undefined ? undefined : await readKeptRun(folder);
  if (record !== undefined && folder !== undefined) printRun({ record, folder }, json);
  else if (json) process.stdout.write(`${JSON.stringify(counts(findings), undefined, 2)}\n`);
  if (!json) process.stdout.write(`${words(findings, options.reason)}\n`);
  const written = writeReports(reportOf(findings, record), { store, name, formats, quiet: json });
  if (!json && formats.length > 0) console.log(`\nReports\n${written.map((path) => `  ${path}`).join("\n")}`);
  if (counterexample !== undefined) return EXIT.invalid;
  return findings.valid > 0 ? EXIT.valid : EXIT.unknown;
}

function counts({ parameters: { seed }, runs, valid, unknown, missing }: HuntFindings) {
  return { verdict: valid > 0 ? "valid" : "unknown", seed, runs, valid, unknown, missing };
}

function reportOf({ parameters, runs, valid, counterexample }: HuntFindings, record: RunRecord | undefined) {
  const { lock, topology, faults } = parameters;
  const title = `hunt for ${lock} on ${topology.kind}`;
  const found = counterexample !== undefined ? "broken" : valid > 0 ? "holds" : "unknown";
  const summary: Summary = {
    title,
    cells: [
      {
        lock,
        fault: faults.join(" + ") || "none",
        expected: "holds",
        found,
        runs,
        ...(record === undefined ? {} : { run: 0 }),
      },
    ],
  };
  return { title, runs: record === undefined ? [] : [record], summary };
}

function words(findings: HuntFindings, reason: string): string {
  const { parameters, runs, valid, unknown, missing, fixed, counterexample } = findings;
  const { lock, seed, regressions } = parameters;
  const cut = missing > 0 ? ` (ended early: ${reason})` : "";
  const total = `${runs} run(s): ${valid} valid, ${unknown} unknown${cut}`;
  const held = fixed === 0 ? "" : `; fixed: ${fixed} of ${regressions.length} plans that broke it before hold now`;
  if (counterexample === undefined) {
    const what = isModulePath(lock) ? "no property was violated" : "nothing that the lock claims was violated";
    return valid > 0 ? `${total}${held}; ${what}. Seed ${seed}.` : `${total}; nothing was decided. Seed ${seed}.`;
  }
  const { position, path, shrinks } = counterexample;
  const kind = position < regressions.length ? "known: a plan that broke it before breaks it again" : "new";
  const again = path === undefined ? "" : ` --path ${path}`;
  return `${total}${held}; the counterexample (${kind}) was shrunk in ${shrinks} run(s). Again: the same with --seed ${seed}${again}`;
}
