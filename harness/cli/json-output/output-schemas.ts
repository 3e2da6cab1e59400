import { z } from "zod";
import { verdictSchema } from "../../../reports/run/json.ts";
import { noteSchema, summarySchema } from "../../../reports/campaign/summary.ts";
import { huntParametersSchema } from "../../campaign/hunt/hunt-journal.ts";
import { PROPERTIES } from "../../core/verdict.ts";
import { recurrenceSchema } from "../../core/recurrence.ts";
import { residualRiskSchema } from "../../core/statistics/residual-risk.ts";
import { KINDS } from "../glossary/entries.ts";

const count = z.int().nonnegative();
const verdict = z.enum(["valid", "invalid", "unknown"]);
const source = z.looseObject({ name: z.string(), link: z.string() });
const perProperty = z.partialRecord(z.enum(PROPERTIES), z.string());

const huntSchema = z
  .looseObject({
    verdict,
    lock: z.string(),
    topology: z.string(),
    faults: huntParametersSchema.shape.faults.describe("the kinds of faults that plans were made of; empty: none"),
    seed: count,
    runs: count.describe("runs that count: up to the counterexample, where there is one"),
    valid: count,
    unknown: count.describe("runs that decided nothing; `notes` has the reasons"),
    unpromised: count.describe("runs under whose faults the lock promises nothing"),
    crashedOrFlooded: count.describe(
      "of the unknown runs: those that leave nothing open but that the lock crashed its client or flooded a server; each is a finding, with its plan in `notes`",
    ),
    missing: count.describe("plans that should have been run and were not"),
    elapsedMs: z
      .number()
      .nonnegative()
      .optional()
      .describe("how long it took in real time, shrinking too; of shards, and of a resumed hunt, the sum"),
    held: z
      .array(z.looseObject({ property: z.enum(PROPERTIES), runs: count }))
      .describe("in how many runs each property that decides was valid"),
    notes: z.array(noteSchema).describe("reasons of unknown runs (`undecided`), and what else was observed"),
    residualRisk: residualRiskSchema.optional(),
    counterexample: z
      .looseObject({
        position: count.describe("index of the run from 0"),
        path: z.string().optional().describe("for `--path`"),
        shrinks: count,
        recurrence: recurrenceSchema.optional(),
        folder: z.string(),
        replay: z.string().describe("the command that replays it"),
      })
      .optional(),
  })
  .describe("with a counterexample also all fields of its verdict, as `check` prints them");

const exploreSchema = z.looseObject({
  verdict,
  parameters: z.looseObject({ lock: z.string(), seed: count, deviations: count }),
  levels: z.array(z.looseObject({ deviations: count, schedules: count, newClasses: count, missing: count })),
  schedules: count,
  classes: count,
  outcomes: z.looseObject({ valid: count, invalid: count, unknown: count, unpromised: count }),
  notes: z.array(z.looseObject({ kind: z.string(), what: z.string(), runs: count })),
  leftOut: z.array(z.string()),
  complete: z.boolean(),
  broken: z.looseObject({ path: z.string(), folder: z.string().optional() }).optional(),
});

const scenariosSchema = z.array(
  z.looseObject({
    number: count,
    slug: z.string(),
    title: z.string(),
    summary: z.string(),
    source,
    lock: z.string(),
    topology: z.string(),
    backends: z.array(z.string()),
    expected: z.looseObject({}),
  }),
);

const outcomesSchema = z.array(
  z.looseObject({
    number: count,
    slug: z.string(),
    backend: z.string(),
    variant: z.string(),
    expected: perProperty,
    found: perProperty,
    asExpected: z.boolean(),
    differences: z.array(z.string()),
    folder: z.string().optional(),
  }),
);

const choiceSchema = z.looseObject({
  rule: z.string(),
  ttlMs: z.number(),
  overruns: count,
  overrunShare: z.number(),
  overrunShareAtMost: z.number(),
  renewEveryMs: z.number(),
});

/** What each command prints with `--json`. Readers must accept fields that they do not know. */
export const OUTPUT_SCHEMAS = {
  hunt: z.union([huntSchema, summarySchema]).describe("of one lock; of a table with --ladder or --all"),
  explore: exploreSchema,
  merge: z.union([huntSchema, summarySchema, exploreSchema]).describe("as what is merged"),
  check: verdictSchema,
  replay: verdictSchema,
  reproduce: z
    .union([verdictSchema, scenariosSchema, outcomesSchema])
    .describe("of one scenario; of the catalogue with --list; of all scenarios with --all"),
  conform: z.looseObject({
    lock: z.string(),
    topology: z.string(),
    seed: count,
    checks: z.array(
      z.looseObject({
        name: z.string(),
        asks: z.string(),
        outcome: z.enum(["passed", "mistake", "remark", "skipped"]),
        details: z.array(z.string()),
      }),
    ),
  }),
  runs: z
    .union([
      z.array(
        z.looseObject({
          folder: z.string(),
          begunAt: z.iso.datetime(),
          lock: z.string(),
          topology: z.string(),
          seed: z.number(),
          verdict: z.enum([...verdict.options, "unfinished"]),
          violated: z.array(z.string()),
        }),
      ),
      z.looseObject({ deleted: count }),
    ])
    .describe("the runs; how many were deleted with --delete"),
  explain: z.array(
    z.looseObject({
      kind: z.literal(Object.keys(KINDS)),
      word: z.string(),
      meaning: z.string(),
      details: z.array(z.string()),
      see: z.array(z.string()),
      command: z.string().optional(),
    }),
  ),
  doctor: z.array(
    z.looseObject({
      name: z.string(),
      state: z.enum(["ok", "missing", "broken"]),
      detail: z.string(),
      hint: z.string().optional(),
      optional: z.boolean().optional(),
    }),
  ),
  debate: z.looseObject({
    seed: count,
    runs: count,
    sources: z.record(z.string(), source),
    experiments: z.array(
      z.looseObject({
        id: z.string(),
        question: z.string(),
        properties: z.array(z.enum(PROPERTIES)),
        cells: z.array(z.looseObject({ row: z.string(), column: z.string(), runs: count, met: count })),
        predictions: z.array(
          z.looseObject({ by: z.string(), claim: z.string(), holds: z.boolean(), expected: z.boolean() }),
        ),
        verdict: z.string(),
        surprises: z.array(z.string()),
      }),
    ),
  }),
  headline: z.looseObject({
    backend: z.string(),
    seed: count,
    minutes: count,
    ttlMs: z.number(),
    clients: count,
    guards: z.array(z.string()),
    rows: z.array(
      z.looseObject({
        lock: z.string(),
        topology: z.string(),
        guards: z.record(z.string(), z.looseObject({ acknowledged: count, lost: count, refused: count })),
      }),
    ),
  }),
  advise: z
    .looseObject({
      holds: count,
      cutOff: count,
      meanMs: z.number(),
      medianMs: z.number(),
      p99Ms: z.number(),
      p999Ms: z.number(),
      longestMs: z.number(),
      choices: z.array(choiceSchema),
      advised: choiceSchema,
      cautions: z.array(z.string()),
    })
    .describe("with --format json"),
} as const;

/** The JSON Schema (draft 2020-12) of all of them, by command in `$defs`, as text. */
export function outputJsonSchema(): string {
  const definitions = Object.entries(OUTPUT_SCHEMAS).map(([command, schema]) => {
    const { $schema: _, ...definition } = z.toJSONSchema(schema, { io: "output", unrepresentable: "any" });
    return [command, definition] as const;
  });
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "what lockstorm prints with --json, by command",
    $defs: Object.fromEntries(definitions),
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}
