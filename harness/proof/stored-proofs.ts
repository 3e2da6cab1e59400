import * as z from "zod";
import { CAUSES, type Hypothesis, type Proof, REMEDIES, type Verdict, type Violation } from "../core/verdict.ts";
import { explainBy } from "../check/explanation.ts";

const index = z.int().nonnegative();

const groundSchema = z.discriminatedUnion("on", [
  z.object({ on: z.literal("history") }),
  z.object({ on: z.literal("faults"), faults: z.array(index) }),
  z.object({ on: z.literal("operation"), invoked: index }),
  z.object({ on: z.literal("remedy"), remedy: z.enum(REMEDIES) }),
  z.object({ on: z.literal("rest"), faults: z.array(index), isWhole: z.boolean() }),
]);

const hypothesisSchema = z.object({
  cause: z.enum(CAUSES),
  fault: index.exactOptional(),
  accused: z.string().exactOptional(),
  events: z.array(index),
  shown: z.string().exactOptional(),
  why: z.string(),
  ground: groundSchema,
  grant: index.exactOptional(),
  remedies: z.array(z.enum(REMEDIES)),
}) satisfies z.ZodType<Hypothesis>;

const changeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("without-faults"), steps: z.array(index) }),
  z.object({
    kind: z.literal("without-operation"),
    client: index,
    f: z.enum(["acquire", "release", "extend"]),
    ordinal: z.int().positive(),
    timed: z
      .array(
        z.object({ step: index, atMs: z.number().nonnegative(), untilMs: z.number().nonnegative().exactOptional() }),
      )
      .exactOptional(),
  }),
  z.object({ kind: z.literal("with-probe"), client: index, ordinal: z.int().positive() }),
  z.object({ kind: z.literal("with-remedy"), remedy: z.enum(REMEDIES) }),
]);

const runSchema = z.object({ change: changeSchema, traceHash: z.string().exactOptional() });

const proofSchema = z.object({
  standing: z.enum(["proven", "probable", "refuted"]),
  by: z.string(),
  run: runSchema.exactOptional(),
  dropped: z.array(z.object({ cause: z.enum(CAUSES), why: z.string(), run: runSchema })).exactOptional(),
  remedies: z
    .array(
      z.object({
        remedy: z.enum(REMEDIES),
        outcome: z.enum(["prevents", "no-help", "undecided"]),
        run: runSchema,
      }),
    )
    .exactOptional(),
}) satisfies z.ZodType<Proof>;

const storedViolationSchema = z.object({
  cause: z.enum(CAUSES),
  fault: index.exactOptional(),
  finding: z.object({ account: z.string(), events: z.array(index) }),
  hypotheses: z.tuple([hypothesisSchema], hypothesisSchema),
  proof: proofSchema,
});
type StoredViolation = z.infer<typeof storedViolationSchema>;

const storedVerdictSchema = z.object({
  properties: z.record(z.string(), z.object({ violations: z.array(z.unknown()) })),
});

/**
 * A verdict with the proofs of the same run's stored verdict. They took further runs, which a new
 * judgement of the history does not make. A proof is taken over if the evidence and every possible cause are the same; the
 * sentences are written again. Unreadable proofs are left out.
 *
 * @param stored the content of `verdict.json`
 */
export function withStoredProofs(judged: Verdict, stored: unknown): Verdict {
  const { data } = storedVerdictSchema.safeParse(stored);
  if (data === undefined) return judged;
  const properties: Verdict["properties"] = Object.fromEntries(
    Object.entries(judged.properties).map(([property, found]) => {
      const known = (data.properties[property]?.violations ?? []).flatMap((violation) => {
        const read = storedViolationSchema.safeParse(violation).data;
        return read === undefined ? [] : [read];
      });
      return [property, { ...found, violations: found.violations.map((violation) => withProof(violation, known)) }];
    }),
  );
  return { ...judged, properties };
}

function withProof(violation: Violation, known: readonly StoredViolation[]): Violation {
  const { finding, hypotheses = [] } = violation;
  const same = known.find((stored) => isSame(violation, stored));
  if (finding === undefined || same === undefined) return violation;
  const { fault: _, ...rest } = violation;
  const [best] = same.hypotheses;
  // A cause that only the runs showed, such as several faults together, is in the stored list alone.
  const chosen = hypotheses.find((hypothesis) => textOf(hypothesis) === textOf(best)) ?? best;
  return { ...rest, ...explainBy(finding, hypotheses, chosen, same.proof) };
}

function isSame({ finding, hypotheses = [] }: Violation, stored: StoredViolation): boolean {
  const [chosen] = stored.hypotheses;
  if (chosen.cause !== stored.cause || chosen.fault !== stored.fault) return false;
  const known = new Set(stored.hypotheses.map(textOf));
  return textOf(finding) === textOf(stored.finding) && hypotheses.every((each) => known.has(textOf(each)));
}

/** Equal for equal values, regardless of the order of their fields. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
