import { z } from "zod";
import { printableJson } from "../../harness/core/printable.ts";
import { recurrenceSchema } from "../../harness/core/recurrence.ts";
import { CAUSES, PROPERTIES, REMEDIES } from "../../harness/core/verdict.ts";
import { planSchema } from "../../harness/core/plan.ts";
import { collectFaults } from "./fault-spans.ts";
import { summarySchema } from "../campaign/summary.ts";
import { titleOf, type Report, type RunRecord } from "./run-record.ts";

const REPORT_FORMAT = "lockstorm-report";
const REPORT_VERSION = 1;

const nanoseconds = z.number().describe("nanoseconds since the start of the run");
const eventIndex = z.int().nonnegative().describe("index of an event in the history");

const holderSchema = z.looseObject({ process: z.int(), owner: z.string(), fence: z.number().optional() });

const changeSchema = z.discriminatedUnion("kind", [
  z.looseObject({
    kind: z.literal("without-faults"),
    steps: z.array(z.int().nonnegative()).describe("positions in the plan's list of faults"),
  }),
  z.looseObject({
    kind: z.literal("without-operation"),
    client: z.int().nonnegative(),
    f: z.enum(["acquire", "release", "extend"]),
    ordinal: z
      .int()
      .positive()
      .describe(
        "the number of the operation among those of its client, from 1; of an acquire, all later ones are left out too",
      ),
    timed: z
      .array(z.looseObject({ step: z.int().nonnegative(), atMs: z.number(), untilMs: z.number().optional() }))
      .optional()
      .describe("faults of the plan that wait for something of this operation, and when they come instead"),
  }),
  z.looseObject({ kind: z.literal("with-probe"), client: z.int(), ordinal: z.int() }),
  z.looseObject({ kind: z.literal("with-remedy"), remedy: z.enum(REMEDIES) }),
]);

const counterfactualSchema = z
  .looseObject({ change: changeSchema, traceHash: z.string().optional() })
  .describe("a simulated run of the same plan with one change");

const proofSchema = z.looseObject({
  standing: z
    .enum(["proven", "probable", "refuted"])
    .describe(
      "proven: by the history itself, or by a run without the cause; refuted: the violation happens without it too, and no other cause is known",
    ),
  by: z.string().describe("what proves it, or why it is only probable"),
  run: counterfactualSchema.optional(),
  dropped: z
    .array(z.looseObject({ cause: z.enum(CAUSES), why: z.string(), run: counterfactualSchema }))
    .optional()
    .describe("other hypotheses that were ruled out: the violation still happens without them"),
  remedies: z
    .array(
      z.looseObject({
        remedy: z.enum(REMEDIES),
        outcome: z.enum(["prevents", "no-help", "undecided"]),
        run: counterfactualSchema,
      }),
    )
    .optional()
    .describe("the remedies that were tried"),
});

const groundSchema = z.looseObject({ on: z.enum(["history", "faults", "operation", "remedy", "rest"]) });

const hypothesisSchema = z.looseObject({
  cause: z.enum(CAUSES),
  fault: eventIndex.optional(),
  accused: z.string().optional().describe("the fault in words"),
  events: z.array(eventIndex),
  shown: z.string().optional().describe("what the history proves of it"),
  why: z.string(),
  ground: groundSchema.describe("what a run must leave out to decide whether it is true"),
  grant: eventIndex.optional(),
  remedies: z.array(z.enum(REMEDIES)),
});

const violationSchema = z.looseObject({
  events: z.array(eventIndex).describe("the events that prove it, ascending"),
  cause: z.enum(CAUSES),
  holders: z.tuple([holderSchema, holderSchema]).optional().describe("the two conflicting holders, the earlier first"),
  overlap: z.looseObject({ from: nanoseconds, to: nanoseconds }).optional(),
  fault: eventIndex.optional().describe("the fault that led to it"),
  explanation: z.string(),
  proof: proofSchema.optional().describe("how certain the cause is"),
  finding: z
    .looseObject({ account: z.string(), events: z.array(eventIndex) })
    .optional()
    .describe("what happened, without the cause"),
  hypotheses: z.array(hypothesisSchema).optional().describe("possible causes, the most likely first"),
});

const propertySchema = z.looseObject({
  verdict: z.enum(["valid", "invalid", "unknown", "not-applicable"]),
  violations: z.array(violationSchema),
  reason: z.string().optional().describe("why it is unknown or not applicable"),
});

const marginSchema = z.looseObject({ nanoseconds: z.number(), events: z.array(eventIndex) });

/** A verdict as `check --json` prints it. */
const verdictShape = {
  verdict: z.enum(["valid", "invalid", "unknown"]).describe("the worst verdict among the required properties"),
  required: z.array(z.enum(PROPERTIES)),
  properties: z.partialRecord(z.enum(PROPERTIES), propertySchema),
  reasons: z
    .array(z.string())
    .describe("why the run as a whole is unknown; of an invalid run, what it leaves undecided"),
  remarks: z.array(z.string()).describe("remarks that do not change the verdict"),
  margins: z
    .looseObject({
      smallestGap: marginSchema.optional().describe("shortest time between two holds of one lock"),
      smallestValidityLeft: marginSchema.optional().describe("least lease time left at a release"),
      largestPause: marginSchema.optional().describe("longest time that a client or a node did not run"),
      mostPassed: z
        .looseObject({ grants: z.number(), events: z.array(eventIndex) })
        .optional()
        .describe("the acquire that was passed most often: how many grants went to clients that asked after it"),
    })
    .optional()
    .describe("how close the run came to a violation"),
};

/** The schema of a verdict. */
export const verdictSchema = z.looseObject(verdictShape);

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
  events: z.int().nonnegative().describe("number of events in the history"),
  duration: nanoseconds.describe("time of the last event, in nanoseconds since the start of the run"),
  replayCommand: z.string().optional(),
  recurrence: recurrenceSchema.optional().describe("of a counterexample: in how many further runs it was seen again"),
  plan: planSchema.optional(),
});

/** The JSON report, format 1. Readers must accept fields that they do not know. */
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
  return printableJson(json);
}

/** The JSON Schema (draft 2020-12) of what `renderJson` writes, as text. */
export function reportJsonSchema(): string {
  const schema = z.toJSONSchema(reportSchema, { io: "output", unrepresentable: "any" });
  return `${JSON.stringify({ title: "lockstorm report", ...schema }, undefined, 2)}\n`;
}

function runOf(run: RunRecord) {
  const { history, plan, replayCommand, recurrence } = run;
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
    recurrence,
    plan,
  };
}
