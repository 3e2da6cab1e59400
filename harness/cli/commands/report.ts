import { join } from "node:path";
import { checkHistory } from "../../check/check.ts";
import { UserError } from "../../core/errors.ts";
import { EXIT, PROPERTIES } from "../../core/verdict.ts";
import { readPlan } from "../../run/store.ts";
import { renderHtml } from "../../../reports/html.ts";
import { renderJson } from "../../../reports/json.ts";
import { renderJunit } from "../../../reports/junit.ts";
import { renderAnnotations, renderMarkdown } from "../../../reports/markdown.ts";
import type { RunRecord } from "../../../reports/run-record.ts";
import { renderSvg } from "../../../reports/svg.ts";
import { renderText } from "../../../reports/text.ts";
import type { Command } from "../command.ts";
import { textOptions } from "../output.ts";
import { readHistory } from "../read-history.ts";

export const FORMATS = ["text", "html", "markdown", "junit", "json", "svg", "annotations"] as const;

/** `lockstorm report`: a recorded run, drawn again. */
export const report: Command = {
  name: "report",
  summary: "draw a recorded run",
  operands: "<run folder>",
  flags: {
    format: { value: "format", help: FORMATS.join(", "), default: "text" },
    require: { value: "properties", help: "properties that decide the verdict, separated by commas (default: all)" },
  },
  examples: [
    "lockstorm report .lockstorm/runs/2026-01-31T12-00-00-1",
    "lockstorm report .lockstorm/runs/2026-01-31T12-00-00-1 --format html > report.html",
    "lockstorm report .lockstorm/runs/2026-01-31T12-00-00-1 --format markdown >> $GITHUB_STEP_SUMMARY",
  ],
  run: async ({ operands, flags }) => {
    const [folder] = operands;
    if (folder === undefined || operands.length > 1) {
      throw new UserError("report takes one run", "give the folder of a run");
    }
    const format = flags.choice("format", FORMATS) ?? "text";
    const required = flags.list("require", PROPERTIES) ?? PROPERTIES;
    const planFile = join(folder, "plan.json");
    const plan = readPlan(planFile);
    const history = await readHistory(join(folder, "history.jsonl"));
    const verdict = checkHistory(history, { required });
    const { title } = history.header;
    const record: RunRecord = {
      plan,
      history,
      verdict,
      replayCommand: `npx lockstorm replay ${planFile}`,
      ...(typeof title === "string" ? { title } : {}),
    };
    process.stdout.write(draw(record, format));
    return EXIT.valid;
  },
};

function draw(record: RunRecord, format: (typeof FORMATS)[number]): string {
  const whole = { runs: [record] };
  switch (format) {
    case "text":
      return renderText(record, textOptions());
    case "html":
      return renderHtml(whole);
    case "markdown":
      return renderMarkdown(whole);
    case "junit":
      return renderJunit(whole);
    case "annotations":
      return renderAnnotations(whole);
    case "json":
      return renderJson(whole);
    case "svg": {
      const drawing = renderSvg(record);
      if (drawing !== undefined) return drawing;
      throw new UserError("the run has no violation to draw", "choose another --format");
    }
  }
}
