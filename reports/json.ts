import { z } from "zod";
import { CAUSES, PROPERTIES } from "../harness/core/verdict.ts";
import { planSchema } from "../harness/core/plan.ts";
import { collectFaults } from "./fault-spans.ts";
import { summarySchema } from "./summary.ts";
import { titleOf, type Report, type RunRecord } from "./run-record.ts";

const REPORT_FORMAT = "lockstorm-report";
const REPORT_VERSION = 1;

const nanoseconds = z.number().describe("nanoseconds since the start of the run");
const eventIndex = z.int().nonnegative().describe("index of an event in the history");

const holderSchema = z.looseObject({ process: z.int(), owner: z.string(), fence: z.number().optional() });

const violationSchema = z.looseObject({
  events: z.array(eventIndex).describe("the events that prove it, ascending"),
  cause: z.enum(CAUSES),
  holders: z.tuple([holderSchema, holderSchema]).optional().describe("the two at odds, the earlier first"),
  overlap: z.looseObject({ from: nanoseconds, to: nanoseconds }).optional(),
  fault: eventIndex.optional().describe("the fault that enabled it"),
  explanation: z.string(),
});

const propertySchema = z.looseObject({
  verdict: z.enum(["valid", "invalid", "unknown", "not-applicable"]),
  violations: z.array(violationSchema),
  reason: z.string().optional().describe("why it is unknown or not applicable"),
});

const marginSchema = z.looseObject({ nanoseconds: z.number(), events: z.array(eventIndex) });

/** A verdict as `check --json` prints it. */
const verdictShape = {
  verdict: z.enum(["valid", "invalid", "unknown"]).describe("the worst of the required properties"),
  required: z.array(z.enum(PROPERTIES)),
  properties: z.partialRecord(z.enum(PROPERTIES), propertySchema),
  reasons: z.array(z.string()).describe("why the run as a whole is unknown"),
  remarks: z.array(z.string()).describe("what does not change the verdict"),
  margins: z
    .looseObject({
      smallestGap: marginSchema.optional().describe("shortest time between two holds of one lock"),
      smallestValidityLeft: marginSchema.optional().describe("least that was left of a lease at its release"),
      largestPause: marginSchema.optional().describe("longest time that a client or a node stood still"),
    })
    .optional()
    .describe("how close the run came to a violation"),
};

const faultSchema = z.looseObject({
  kind: z.string(),
  targets: z.array(z.string()),
  outcome: z.enum(["installed", "skipped", "indeterminate"]),
  from: nanoseconds,
  to: nanoseconds,
  evidence: z.string().optional(),
  healEvidence: z.string().optional(),
});

const runSchema = z.looseObject({
  title: z.string(),
  ...verdictShape,
  faults: z.array(faultSchema),
  events: z.int().nonnegative().describe("how many events the history has"),
  duration: nanoseconds.describe("time of the last event, in nanoseconds since the start of the run"),
  replayCommand: z.string().optional(),
  plan: planSchema.optional(),
});

/** The JSON report, format 1. Readers must let fields pass that they do not know. */
export const reportSchema = z.looseObject({
  format: z.literal(REPORT_FORMAT),
  version: z.literal(REPORT_VERSION),
  title: z.string().optional(),
  runs: z.array(runSchema),
  summary: summarySchema.optional(),
});

/** Runs, and the summary of a campaign, as JSON in the format that `reportJsonSchema` describes. */
export function renderJson(report: Report): string {
  const { title, summary, runs } = report;
  const json = {
    format: REPORT_FORMAT,
    version: REPORT_VERSION,
    title,
    runs: runs.map(runOf),
    summary,
  };
  return `${JSON.stringify(json, undefined, 2)}\n`;
}

/** The JSON Schema (draft 2020-12) of what `renderJson` writes, as text. */
export function reportJsonSchema(): string {
  const schema = z.toJSONSchema(reportSchema, { io: "output", unrepresentable: "any" });
  return `${JSON.stringify({ title: "lockstorm report", ...schema }, undefined, 2)}\n`;
}

function runOf(run: RunRecord) {
  const { history, plan, replayCommand } = run;
  const { verdict, required, properties, reasons, remarks, margins } = run.verdict;
  const end = history.events.at(-1)?.time ?? 0;
  const faults = collectFaults(history.events, end).map(
    ({ kind, targets, outcome, from, to, evidence, healEvidence }) => ({
      kind,
      targets,
      outcome,
      from,
      to,
      evidence,
      healEvidence,
    }),
  );
  return {
    title: titleOf(run),
    verdict,
    required,
    properties,
    reasons,
    remarks,
    margins,
    faults,
    events: history.events.length,
    duration: end,
    replayCommand,
    plan,
  };
}
