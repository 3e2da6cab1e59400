import { z } from "zod";

/** In how many of how many further runs a violation was seen again: the same property, by the same cause. */
const countSchema = z.strictObject({ failed: z.int().nonnegative(), of: z.int().positive() });

export const recurrenceSchema = z.strictObject({
  otherSeeds: countSchema
    .exactOptional()
    .describe("simulated runs of the same plan that differ in their seed: in jitter, retries and owner values"),
  realServers: countSchema.exactOptional().describe("runs of the same plan on containers"),
  notOnRealServers: z.string().exactOptional().describe("why real servers were asked for and ran nothing"),
});

/** How often the violation of a counterexample comes again. Each count is absent where nobody asked. */
export type Recurrence = z.infer<typeof recurrenceSchema>;
/** In how many of how many further runs the violation came again. */
export type RecurrenceCount = z.infer<typeof countSchema>;
