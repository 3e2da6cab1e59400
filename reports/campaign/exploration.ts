import { z } from "zod";

const levelSchema = z.object({
  deviations: z.int().nonnegative().describe("how many faults each schedule has"),
  families: z.int().nonnegative().describe("places and faults, before their lengths"),
  missing: z.int().nonnegative().describe("of these, those that were not explored"),
  schedules: z.int().nonnegative(),
  newClasses: z.int().nonnegative().describe("classes of schedules that no level before had"),
  symmetric: z.int().nonnegative().describe("left out: an equal server is hit instead"),
  alike: z.int().nonnegative().describe("left out: explored from another schedule of the same class"),
});

/** How far an exploration went, and what it does not try. */
export const explorationSchema = z.object({
  conclusion: z.string().describe("what follows from it, in a sentence"),
  levels: z.array(levelSchema).readonly(),
  leftOut: z.array(z.string()).readonly().describe("what no schedule of it tries: the bound of what it says"),
});

/** How far an exploration went: its levels, what follows, and what it leaves out. */
export type Exploration = Readonly<z.infer<typeof explorationSchema>>;
