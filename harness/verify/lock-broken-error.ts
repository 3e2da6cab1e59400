import { recurrenceWords } from "../../reports/run/recurrence-words.ts";
import type { Recurrence } from "../core/recurrence.ts";
import type { VerificationOptions } from "../campaign/verification.ts";
import type { Counterexample, Verification } from "./verify-options.ts";
import { inFigures } from "../core/words/in-figures.ts";
import { unprinted } from "./unprinted.ts";

/** A required property is violated. The message shows the shortest schedule that violates it, and how to replay it. */
export class LockBrokenError extends Error {
  override readonly name = "LockBrokenError";
  readonly verification: Verification;
  readonly counterexample: Counterexample;

  constructor(settings: VerificationOptions, verification: Verification, counterexample: Counterexample) {
    super(failureText(settings, verification, counterexample));
    this.verification = verification;
    this.counterexample = counterexample;
    unprinted(this, "verification", "counterexample");
  }
}

function failureText(settings: VerificationOptions, verification: Verification, found: Counterexample): string {
  const { lock } = settings;
  const { properties, causes, path, shrinks, recurrence, text, regression, folder } = found;
  const where =
    path === undefined
      ? "by a saved plan of an earlier run"
      : `in run ${inFigures(verification.runs)} of ${inFigures(settings.runs)}, shrunk in ${inFigures(shrinks)} more`;
  const again = recurrenceWords(recurrence);
  return [
    `${lock} breaks ${properties.join(", ")} (${causes.join(", ")}), ${where}${again === undefined ? "" : `; ${again}`}`,
    ...shortOfTime(settings, recurrence),
    "",
    text.trimEnd(),
    "",
    "Again",
    `  run this test again: the plan is saved in ${regression} and runs first`,
    // Words follow the path: runners take a line that ends like ":7:7" for a frame of the stack.
    ...(path === undefined
      ? []
      : [`  without that file: set LOCKSTORM_SEED=${verification.seed} LOCKSTORM_PATH=${path} in its environment`]),
    "",
    "Report",
    `  ${folder}/report.html`,
  ].join("\n");
}

/** Why nobody counted with other seeds: a slower machine shows another schedule then, and the reader should know. */
function shortOfTime({ budgetMs }: VerificationOptions, recurrence?: Recurrence): readonly string[] {
  if (recurrence?.otherSeeds !== undefined) return [];
  const seconds = inFigures(budgetMs / 1000);
  const more = Math.ceil((5 * budgetMs) / 1000);
  return [
    `not tried with other seeds: the test's budget of ${seconds} s was over, or it was interrupted; LOCKSTORM_BUDGET=${more} gives it more time`,
  ];
}
