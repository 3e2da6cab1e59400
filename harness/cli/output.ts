import { EXIT, type Verdict } from "../core/verdict.ts";
import type { RunRecord } from "../../reports/run-record.ts";
import { renderText } from "../../reports/text.ts";
import type { TextOptions } from "../../reports/text-style.ts";

/** How text is laid out for wherever standard output leads: colour only on a terminal, and not with NO_COLOR. */
export function textOptions(): TextOptions {
  const terminal = process.stdout.isTTY;
  return {
    color: terminal && !process.env["NO_COLOR"],
    width: terminal ? process.stdout.columns : 100,
    unicode: process.env["LOCKSTORM_ASCII"] === undefined && process.env["TERM"] !== "linux",
  };
}

/** Prints a judged run, as text or as JSON, and where its folder is, if it has one. */
export function printRun(
  { record, folder }: { readonly record: RunRecord; readonly folder?: string },
  json: boolean,
): void {
  process.stdout.write(json ? jsonVerdict(record.verdict) : renderText(record, textOptions()));
  if (!json && folder !== undefined) process.stdout.write(`\nReport\n  ${folder}/report.html\n`);
}

/** A verdict as `--json` prints it. */
function jsonVerdict(verdict: Verdict): string {
  return `${JSON.stringify(verdict, undefined, 2)}\n`;
}

/** The exit code of a verdict. */
export function exitCode({ verdict }: Pick<Verdict, "verdict">): number {
  return EXIT[verdict];
}
