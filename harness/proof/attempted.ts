import type { CounterfactualRun } from "../core/verdict.ts";

/** The outcome of a hypothesis. */
export type Attempted =
  | { readonly outcome: "proven"; readonly by: string; readonly run?: CounterfactualRun }
  | { readonly outcome: "dropped"; readonly run: CounterfactualRun }
  | { readonly outcome: "undecided"; readonly why: string };
