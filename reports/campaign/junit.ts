import { printable } from "../../harness/core/printable.ts";
import { meaningOf, PROPERTIES, type PropertyVerdict } from "../../harness/core/verdict.ts";
import { titleOf, type Report, type RunRecord } from "../run/run-record.ts";
import { alarmingRuns, cellWords, isSurprise, missingWords, type Summary } from "./summary.ts";
import { noteGroups } from "./campaign-notes.ts";
import { renderText } from "../run/text.ts";
import { causeWordsIn, meaningIn } from "../run/share-words.ts";
import { count } from "../wording.ts";
import { element, escapeXmlLines } from "../xml.ts";
import { inFigures } from "../../harness/core/words/in-figures.ts";

interface TestCase {
  readonly name: string;
  readonly result: "passed" | "failure" | "error" | "skipped";
  readonly type?: string;
  readonly message?: string;
  readonly detail?: string;
  /** What is told of a case that passed. */
  readonly output?: string;
  /** Absent: an equal share of the time of its suite, if that is known. */
  readonly seconds?: number | undefined;
}

interface TestSuite {
  readonly name: string;
  readonly cases: readonly TestCase[];
  /** Absent: the sum of its cases, or nothing is known. */
  readonly seconds?: number | undefined;
  readonly verdict?: string;
  readonly text?: string;
}

/**
 * Runs as JUnit XML, which every CI reads: one suite per run with a case per property, one for each hunt with a case per
 * property, and one for the table of locks by faults. A broken required property is a failure; an unknown one is an
 * error, because a run that proves nothing must not look green; one that does not apply, or is not required, is skipped.
 * Properties are judged together, in the same runs: each case has an equal share of their time. A hunt and a cell of the
 * table have the time that their runs took, a single run its length by its own clock.
 */
export function renderJunit(report: Report): string {
  // What is expected of a lock is not a failure.
  const runs = alarmingRuns(report);
  const suites = [...runs.map(runSuite), ...(report.summary === undefined ? [] : summarySuites(report.summary))].map(
    withTimes,
  );
  const totals = counts(suites.flatMap(({ cases }) => cases));
  const time = sumOfSeconds(suites);
  // The schema of the Jenkins plug-in, which other tools follow, allows `skipped` only in suites.
  const { skipped: _, ...sums } = totals;
  const about = { name: printable(report.title ?? "lockstorm"), ...sums, ...timeOf(time) };
  const root = element("testsuites", about, ["\n", ...suites.map(suiteElement)]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}

function runSuite(run: RunRecord): TestSuite {
  const { verdict } = run.verdict;
  // A valid run fits into its cases; any other run comes with its whole report.
  const text = verdict === "valid" ? "" : renderText(run, { color: false, width: 100 });
  return { name: titleOf(run), verdict, cases: runCases(run), seconds: lengthOf(run), text };
}

/** The cases of a suite with their times: what is left of the suite's is shared by those that were judged. */
function withTimes(suite: TestSuite): TestSuite {
  const { cases, seconds = sumOfSeconds(cases) } = suite;
  const judged = cases.filter((test) => test.seconds === undefined && test.result !== "skipped").length;
  const left = Math.max(0, (seconds ?? 0) - (sumOfSeconds(cases) ?? 0));
  const share = seconds === undefined || judged === 0 ? undefined : left / judged;
  const timed = cases.map((test) => (test.result === "skipped" ? test : { ...test, seconds: test.seconds ?? share }));
  return { ...suite, seconds, cases: timed };
}

function sumOfSeconds(parts: readonly { readonly seconds?: number | undefined }[]): number | undefined {
  const known = parts.flatMap(({ seconds }) => seconds ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, seconds) => sum + seconds, 0);
}

function runCases(run: RunRecord): readonly TestCase[] {
  const { properties, required, reasons } = run.verdict;
  const causeOf = causeWordsIn(run);
  const meaning = meaningIn(run);
  const judged = PROPERTIES.flatMap((property) => {
    const verdict = properties[property];
    if (verdict === undefined) return [];
    const causes = [...new Set(verdict.violations.map(causeOf))].join("; ");
    const name = `${property}: ${meaning(property)}`;
    return [propertyCase(name, verdict, { required: required.includes(property), causes })];
  });
  if (reasons.length === 0) return judged;
  return [
    { name: "the run decides something", result: "error", type: "unknown", message: reasons.join("; ") },
    ...judged,
  ];
}

function propertyCase(
  name: string,
  { verdict, violations, reason }: PropertyVerdict,
  { required, causes }: { readonly required: boolean; readonly causes: string },
): TestCase {
  if (verdict === "valid") return { name, result: "passed" };
  if (verdict === "not-applicable") return { name, result: "skipped", message: reason ?? "does not apply" };
  if (verdict === "unknown") {
    const message = reason ?? "the evidence does not decide";
    return required ? { name, result: "error", type: "unknown", message } : { name, result: "skipped", message };
  }
  const message = `${count(violations.length, "violation")}: ${causes}`;
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

/** A suite of each hunt, where no property broke, and one of all that is told beside. */
function summarySuites(summary: Summary): readonly TestSuite[] {
  const hunts = summary.cells.filter(({ held = [], found }) => held.length > 0 && found !== "broken");
  const cells = summary.cells.filter((cell) => !hunts.includes(cell));
  return [...hunts.map(huntSuite), { name: "locks by faults", cases: summaryCases({ ...summary, cells }) }].filter(
    ({ cases }) => cases.length > 0,
  );
}

/** The hunt as a whole, and each property that decides. */
function huntSuite(cell: Summary["cells"][number]): TestSuite {
  const { lock, fault, runs, held = [], topology, elapsedMs } = cell;
  const properties = held.map(({ property, runs: valid }): TestCase => ({
    name: `${property}: ${meaningOf(property)}`,
    result: "passed",
    output: `valid in ${inFigures(valid)} of ${count(runs ?? valid, "run")}`,
  }));
  const where = topology === undefined ? lock : `${lock} on ${topology}`;
  const { seconds: _, ...whole } = cellCase(cell);
  return {
    name: `${where} under ${fault}`,
    seconds: elapsedMs === undefined ? undefined : elapsedMs / 1000,
    cases: [whole, ...properties],
  };
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
  const seconds = cell.elapsedMs === undefined ? undefined : cell.elapsedMs / 1000;
  if (cell.found === "unknown") return { name, result: "error", type: "unknown", message, seconds };
  if (!isSurprise(cell)) return { name, result: "passed", output: message, seconds };
  // A known flaw that the search did not show is no proof against the lock: the exit code is that of unknown, too.
  return { name, result: cell.found === "broken" ? "failure" : "error", type: cell.found, message, seconds };
}

function suiteElement({ name, verdict, cases, seconds, text = "" }: TestSuite): string {
  const properties =
    verdict === undefined
      ? ""
      : `<properties>${element("property", { name: "verdict", value: verdict })}</properties>\n`;
  const output = text === "" ? "" : `<system-out>${escapeXmlLines(text)}</system-out>\n`;
  const body = cases.map((test) => testCase(name, test));
  return `${element("testsuite", { name: printable(name), ...counts(cases), ...timeOf(seconds) }, ["\n", properties, ...body, output])}\n`;
}

function testCase(suiteName: string, { name, result, type, message, detail, output, seconds }: TestCase): string {
  const attributes = { type, message: message === undefined ? undefined : printable(message) };
  const words = output === undefined ? [] : [element("system-out", {}, [escapeXmlLines(printable(output))])];
  const child =
    result === "passed" ? words : [element(result, attributes, detail === undefined ? [] : [escapeXmlLines(detail)])];
  const names = { classname: `lockstorm.${printable(suiteName)}`, name: printable(name) };
  return `${element("testcase", { ...names, ...timeOf(seconds) }, child)}\n`;
}

function counts(cases: readonly TestCase[]): { tests: number; failures: number; errors: number; skipped: number } {
  const of = (result: TestCase["result"]): number => cases.filter((test) => test.result === result).length;
  return { tests: cases.length, failures: of("failure"), errors: of("error"), skipped: of("skipped") };
}

function lengthOf(run: RunRecord): number {
  return (run.history.events.at(-1)?.time ?? 0) / 1e9;
}

/** Nothing where it is not known: 0 would be a lie. */
function timeOf(seconds: number | undefined): { time?: string } {
  return seconds === undefined ? {} : { time: seconds.toFixed(3) };
}
