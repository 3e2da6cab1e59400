import { printable } from "../../harness/core/printable.ts";
import {
  meaningOf,
  PROPERTIES,
  type Property,
  type PropertyVerdict,
  type Violation,
} from "../../harness/core/verdict.ts";
import { titleOf, type Report, type RunRecord } from "../run/run-record.ts";
import { alarmingRuns, cellWords, isSurprise, missingWords, type Summary } from "./summary.ts";
import { noteGroups } from "./campaign-notes.ts";
import { renderText } from "../run/text.ts";
import { CAUSE_MEANING, count } from "../wording.ts";
import { element, escapeXmlLines } from "../xml.ts";

interface TestCase {
  readonly name: string;
  readonly result: "passed" | "failure" | "error" | "skipped";
  readonly type?: string;
  readonly message?: string;
  readonly detail?: string;
}

/**
 * Runs as JUnit XML, which every CI reads: one suite per run with a case per property, and one suite for the table of
 * locks by faults. A broken required property is a failure; an unknown one is an error, because a run that proves
 * nothing must not look green; one that does not apply, or is not required, is skipped.
 */
export function renderJunit(report: Report): string {
  // What is expected of a lock is not a failure.
  const runs = alarmingRuns(report);
  const suites = [
    ...runs.map((run) => suite(titleOf(run), run.verdict.verdict, runCases(run), duration(run), log(run))),
    ...(report.summary === undefined ? [] : [suite("locks by faults", undefined, summaryCases(report.summary), 0, "")]),
  ];
  const totals = counts([
    ...runs.flatMap(runCases),
    ...(report.summary === undefined ? [] : summaryCases(report.summary)),
  ]);
  // The schema of the Jenkins plug-in, which other tools follow, allows `skipped` only in suites.
  const { skipped: _, ...sums } = totals;
  const root = element("testsuites", { name: printable(report.title ?? "lockstorm"), ...sums }, ["\n", ...suites]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}

function runCases(run: RunRecord): readonly TestCase[] {
  const { properties, required, reasons } = run.verdict;
  const judged = PROPERTIES.flatMap((property) => {
    const verdict = properties[property];
    return verdict === undefined ? [] : [propertyCase(property, verdict, required.includes(property))];
  });
  if (reasons.length === 0) return judged;
  return [
    { name: "the run decides something", result: "error", type: "unknown", message: reasons.join("; ") },
    ...judged,
  ];
}

function propertyCase(
  property: Property,
  { verdict, violations, reason }: PropertyVerdict,
  required: boolean,
): TestCase {
  const name = `${property}: ${meaningOf(property)}`;
  if (verdict === "valid") return { name, result: "passed" };
  if (verdict === "not-applicable") return { name, result: "skipped", message: reason ?? "does not apply" };
  if (verdict === "unknown") {
    const message = reason ?? "the evidence does not decide";
    return required ? { name, result: "error", type: "unknown", message } : { name, result: "skipped", message };
  }
  const message = `${count(violations.length, "violation")}: ${causesOf(violations)}`;
  if (!required) return { name, result: "skipped", message: `${message} (this lock does not claim it)` };
  const type = violations[0]?.cause ?? "violation";
  return {
    name,
    result: "failure",
    type,
    message,
    detail: violations.map(({ explanation }) => printable(explanation)).join("\n\n"),
  };
}

function causesOf(violations: readonly Violation[]): string {
  return [...new Set(violations.map(({ cause }) => CAUSE_MEANING[cause]))].join("; ");
}

function summaryCases({ cells, missing, notes }: Summary): readonly TestCase[] {
  // Neither a failure nor an error, but still worth reading.
  const told = noteGroups(notes).flatMap(({ heading, lines }) =>
    lines.map((message): TestCase => ({ name: heading, result: "skipped", message })),
  );
  const cases = [...cells.map(cellCase), ...told];
  if (missing === undefined) return cases;
  return [...cases, { name: "all cells", result: "error", type: "unknown", message: missingWords(missing) }];
}

function cellCase(cell: Summary["cells"][number]): TestCase {
  const name = `${cell.lock} under ${cell.fault}`;
  const message = cellWords(cell);
  if (cell.found === "unknown") return { name, result: "error", type: "unknown", message };
  return isSurprise(cell) ? { name, result: "failure", type: cell.found, message } : { name, result: "passed" };
}

function suite(
  name: string,
  verdict: string | undefined,
  cases: readonly TestCase[],
  seconds: number,
  text: string,
): string {
  const properties =
    verdict === undefined
      ? ""
      : `<properties>${element("property", { name: "verdict", value: verdict })}</properties>\n`;
  const output = text === "" ? "" : `<system-out>${escapeXmlLines(text)}</system-out>\n`;
  const body = cases.map((test) => testCase(name, test));
  return `${element("testsuite", { name: printable(name), ...counts(cases), time: seconds.toFixed(3) }, ["\n", properties, ...body, output])}\n`;
}

function testCase(suiteName: string, { name, result, type, message, detail }: TestCase): string {
  const told = { type, message: message === undefined ? undefined : printable(message) };
  const child =
    result === "passed" ? [] : [element(result, told, detail === undefined ? [] : [escapeXmlLines(detail)])];
  const names = { classname: `lockstorm.${printable(suiteName)}`, name: printable(name) };
  return `${element("testcase", { ...names, time: "0" }, child)}\n`;
}

function counts(cases: readonly TestCase[]): { tests: number; failures: number; errors: number; skipped: number } {
  const of = (result: TestCase["result"]): number => cases.filter((test) => test.result === result).length;
  return { tests: cases.length, failures: of("failure"), errors: of("error"), skipped: of("skipped") };
}

function duration(run: RunRecord): number {
  return (run.history.events.at(-1)?.time ?? 0) / 1e9;
}

/** A valid run fits into its cases; any other run comes with its whole report. */
function log(run: RunRecord): string {
  return run.verdict.verdict === "valid" ? "" : renderText(run, { color: false, width: 100 });
}
