import { renderJunit } from "./campaign/junit.ts";
import { renderBadge } from "./campaign/badge.ts";
import { renderCodeQuality } from "./campaign/code-quality.ts";
import { renderSarif } from "./campaign/sarif.ts";
import { renderHtml } from "./html/html.ts";
import { renderJson } from "./run/json.ts";
import { renderAnnotations, renderMarkdown } from "./run/markdown.ts";
import { renderPerfetto } from "./run/perfetto.ts";
import type { Report } from "./run/run-record.ts";
import { renderSvg } from "./run/svg.ts";
import { renderText } from "./run/text.ts";
import type { TextOptions } from "./text-style.ts";

/** One way to draw a report. */
interface FormatEntry {
  /** Undefined where there is nothing to draw. `options` apply to the formats for a terminal. */
  readonly render: (report: Report, options: TextOptions) => string | undefined;
  /** The suffix of its file's name, for the formats that a campaign writes. */
  readonly extension?: string;
}

/**
 * Every format, in the order in which help lists them. To add one, write a file that draws a `Report` and add an entry
 * here: the flags `--format` and `--report`, their help and the shell completion follow.
 */
const FORMATS = {
  text: { render: ({ runs }, options) => runs.map((run) => renderText(run, options)).join("\n") },
  html: { render: renderHtml, extension: ".html" },
  markdown: { render: renderMarkdown, extension: ".md" },
  junit: { render: renderJunit, extension: ".junit.xml" },
  json: { render: renderJson, extension: ".report.json" },
  svg: { render: ({ runs: [run] }) => (run === undefined ? undefined : renderSvg(run)) },
  annotations: { render: renderAnnotations },
  sarif: { render: renderSarif, extension: ".sarif" },
  "code-quality": { render: renderCodeQuality, extension: ".code-quality.json" },
  badge: { render: renderBadge, extension: ".badge.svg" },
  perfetto: { render: renderPerfetto },
} as const satisfies Readonly<Record<string, FormatEntry>>;

export type ReportFormat = keyof typeof FORMATS;
export const REPORT_FORMATS = Object.keys(FORMATS) as readonly ReportFormat[];

/** Formats that are files of a campaign. */
export type FileFormat = {
  [F in ReportFormat]: (typeof FORMATS)[F] extends { readonly extension: string } ? F : never;
}[ReportFormat];
export const FILE_FORMATS = REPORT_FORMATS.filter((format): format is FileFormat => "extension" in FORMATS[format]);

/** Draws a report; undefined where this format has nothing to draw. */
export function renderReport(report: Report, format: ReportFormat, options: TextOptions): string | undefined {
  return FORMATS[format].render(report, options);
}

/** The suffix of a file of this format. */
export function extensionOf(format: FileFormat): string {
  return FORMATS[format].extension;
}
