import { printAnnotations } from "./terminal.ts";
import { appendFileSync } from "node:fs";
import { join, relative } from "node:path";
import { UserError } from "../core/errors.ts";
import { systemReason } from "../core/system-reason.ts";
import { makeFolder, replaceFile } from "../run/output-file.ts";
import { extensionOf, FILE_FORMATS, renderReport, type FileFormat } from "../../reports/formats.ts";
import { badgeMarkdown } from "../../reports/campaign/badge.ts";
import { renderAnnotations, renderMarkdown } from "../../reports/run/markdown.ts";
import type { Report } from "../../reports/run/run-record.ts";
import { textOptions } from "./output.ts";
import type { Flags } from "./command.ts";

/** Formats of `--report`. The HTML page is always written. */
const FORMATS = FILE_FORMATS.filter((format) => format !== "html");

/** The flag `--report`. */
export const reportFlag = {
  report: {
    value: "formats",
    help: `reports to write beside the HTML page, separated by commas: ${FORMATS.join(", ")}`,
    repeatable: true,
  },
} as const;

/** The value of `--report`. */
export function readFormats(flags: Flags): readonly FileFormat[] {
  return flags.list("report", FORMATS) ?? [];
}

/**
 * Writes `<store>/<name>.html` and the requested reports, and returns their paths. In a job of GitHub Actions the
 * Markdown also becomes the job's summary and, unless `quiet`, findings become annotations, which go to standard
 * output.
 */
export function writeReports(
  report: Report,
  options: {
    readonly store: string;
    readonly name: string;
    readonly formats: readonly FileFormat[];
    readonly quiet: boolean;
  },
): readonly string[] {
  const { store, name, formats, quiet } = options;
  makeFolder(store);
  const written = (["html", ...new Set(formats)] as const).map((format) => {
    const path = join(store, name + extensionOf(format));
    replaceFile(path, renderReport(report, format, textOptions()) ?? "");
    return path;
  });
  announce(report, quiet);
  return written;
}

/** The line for a README that shows the badge of a campaign, if one was written; empty otherwise. */
export function badgeWords(report: Report, written: readonly string[]): string {
  const badge = written.find((path) => path.endsWith(extensionOf("badge")));
  const page = written.find((path) => path.endsWith(extensionOf("html")));
  if (badge === undefined || page === undefined) return "";
  // Addresses from here: a path from the root of this machine's files would show nothing elsewhere.
  const files = { badge: relative("", badge), page: relative("", page) };
  return `\nBadge, for a README in this folder\n  ${badgeMarkdown(report, files)}\n`;
}

function announce(report: Report, quiet: boolean, environment: NodeJS.ProcessEnv = process.env): void {
  if (environment["GITHUB_ACTIONS"] !== "true") return;
  const summary = environment["GITHUB_STEP_SUMMARY"];
  if (summary !== undefined && summary !== "") addTo(summary, `${renderMarkdown(report)}\n`);
  if (!quiet) printAnnotations(renderAnnotations(report));
}

function addTo(path: string, text: string): void {
  try {
    appendFileSync(path, text);
  } catch (error) {
    const problem = `the job's summary ${path} cannot be written: ${systemReason(error)}`;
    throw new UserError(problem, "correct GITHUB_STEP_SUMMARY", { cause: error });
  }
}
