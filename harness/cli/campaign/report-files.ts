import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderHtml } from "../../../reports/html.ts";
import { renderJson } from "../../../reports/json.ts";
import { renderJunit } from "../../../reports/junit.ts";
import { renderAnnotations, renderMarkdown } from "../../../reports/markdown.ts";
import type { Report } from "../../../reports/run-record.ts";
import type { Flags } from "../command.ts";

const RENDERERS = {
  html: { extension: ".html", render: renderHtml },
  markdown: { extension: ".md", render: renderMarkdown },
  junit: { extension: ".junit.xml", render: renderJunit },
  json: { extension: ".report.json", render: renderJson },
} as const;
const FORMATS = ["markdown", "junit", "json"] as const;

/** A report beside the HTML page, which is always written. */
export type ReportFormat = (typeof FORMATS)[number];

/** The flag `--report`. */
export const reportFlag = {
  report: {
    value: "formats",
    help: `reports to write beside the HTML page, separated by commas: ${FORMATS.join(", ")}`,
    repeatable: true,
  },
} as const;

/** The value of `--report`. */
export function readFormats(flags: Flags): readonly ReportFormat[] {
  return flags.list("report", FORMATS) ?? [];
}

/**
 * Writes `<store>/<name>.html` and the reports asked for, and gives their paths. In a job of GitHub Actions the Markdown
 * also becomes the job's summary and, unless `quiet`, findings become annotations, which go to standard output.
 */
export function writeReports(
  report: Report,
  options: {
    readonly store: string;
    readonly name: string;
    readonly formats: readonly ReportFormat[];
    readonly quiet: boolean;
  },
): readonly string[] {
  const { store, name, formats, quiet } = options;
  mkdirSync(store, { recursive: true });
  const written = (["html", ...new Set(formats)] as const).map((format) => {
    const { extension, render } = RENDERERS[format];
    const path = join(store, name + extension);
    writeFileSync(path, render(report));
    return path;
  });
  announce(report, quiet);
  return written;
}

function announce(report: Report, quiet: boolean, environment: NodeJS.ProcessEnv = process.env): void {
  if (environment["GITHUB_ACTIONS"] !== "true") return;
  const summary = environment["GITHUB_STEP_SUMMARY"];
  if (summary !== undefined && summary !== "") appendFileSync(summary, `${renderMarkdown(report)}\n`);
  if (!quiet) process.stdout.write(renderAnnotations(report));
}
