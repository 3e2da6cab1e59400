import { replayFromHere } from "../../core/words/replay-from-here.ts";
import { print, printAnnotations } from "../terminal.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { checkHistory } from "../../check/check.ts";
import { readRecurrence, readStoredVerdict } from "../../campaign/kept-run.ts";
import { withStoredProofs } from "../../proof/stored-proofs.ts";
import { readWire } from "../../run/wire-files.ts";
import { UserError } from "../../core/errors.ts";
import { EXIT, PROPERTIES, type Property } from "../../core/verdict.ts";
import { readPlan } from "../../run/store.ts";
import { REPORT_FORMATS, renderReport } from "../../../reports/formats.ts";
import type { RunRecord } from "../../../reports/run/run-record.ts";
import type { Command } from "../command.ts";
import { textOptions } from "../output.ts";
import { readHistory } from "../../run/read-history.ts";

/** `lockstorm report`: draws a recorded run again. */
export const report: Command = {
  name: "report",
  summary: "draw a recorded run",
  operands: "<run folder>",
  flags: {
    format: { value: "format", help: REPORT_FORMATS.join(", "), default: "text", choices: REPORT_FORMATS },
    require: {
      value: "properties",
      help: "properties that decide the verdict, separated by commas (default: those of the run)",
      choices: PROPERTIES,
    },
  },
  examples: [
    "lockstorm report .lockstorm/runs/2026-01-31T12-00-00-1",
    "lockstorm report .lockstorm/runs/2026-01-31T12-00-00-1 --format html > report.html",
    "lockstorm report .lockstorm/runs/2026-01-31T12-00-00-1 --format markdown >> $GITHUB_STEP_SUMMARY",
  ],
  exits: {
    valid: "drawn, whatever the verdict of the run",
  },
  run: async ({ operands, flags }) => {
    const [folder] = operands;
    if (folder === undefined || operands.length > 1) {
      throw new UserError("report takes one run", "give the folder of a run");
    }
    const format = flags.choice("format", REPORT_FORMATS) ?? "text";
    const planFile = join(folder, "plan.json");
    if (!existsSync(planFile)) {
      throw new UserError(
        `${folder} is not the folder of a run: there is no ${planFile}`,
        "lockstorm runs lists the runs",
      );
    }
    const plan = readPlan(planFile);
    const history = await readHistory(join(folder, "history.jsonl"));
    // The proofs took runs of their own, which are not made again.
    const stored = readStoredVerdict(folder);
    const required = flags.list("require", PROPERTIES) ?? requiredBy(stored) ?? PROPERTIES;
    const verdict = withStoredProofs(checkHistory(history, { required }), stored);
    const { title } = history.header;
    const recurrence = readRecurrence(folder);
    const record: RunRecord = {
      plan,
      history,
      verdict,
      replayCommand: replayFromHere(planFile),
      title: typeof title === "string" ? title : undefined,
      recurrence,
      ...(await readWire(folder)),
    };
    const drawing = renderReport({ runs: [record] }, format, textOptions());
    if (drawing === undefined) throw new UserError("the run has no violation to draw", "choose another --format");
    if (format === "annotations") printAnnotations(drawing);
    else print(drawing);
    return EXIT.valid;
  },
};

/** The properties that decided the verdict when the run was recorded; undefined where that is not stored. */
function requiredBy(stored: unknown): readonly Property[] | undefined {
  const { success, data } = z.looseObject({ required: z.array(z.enum(PROPERTIES)) }).safeParse(stored);
  return success ? data.required : undefined;
}
