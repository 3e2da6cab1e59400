import type { VerifySettings } from "./settings.ts";
import type { Counterexample, Verification } from "./verify-options.ts";

/** A required property is violated. The message shows the shortest schedule that does it, and how to see it again. */
export class LockBrokenError extends Error {
  override readonly name = "LockBrokenError";
  readonly verification: Verification;
  readonly counterexample: Counterexample;

  constructor(settings: VerifySettings, verification: Verification, counterexample: Counterexample) {
    super(failureText(settings, verification, counterexample));
    this.verification = verification;
    this.counterexample = counterexample;
  }
}

function failureText(settings: VerifySettings, verification: Verification, found: Counterexample): string {
  const { lock } = settings;
  const { properties, causes, path, shrinks, text, regression, folder } = found;
  const where =
    path === undefined
      ? "by a plan that was kept from a former run"
      : `in run ${verification.runs} of ${settings.runs}, shrunk in ${shrinks} more`;
  return [
    `${lock} breaks ${properties.join(", ")} (${causes.join(", ")}), ${where}`,
    "",
    text.trimEnd(),
    "",
    "Again",
    `  run this test: the plan is kept in ${regression} and runs first`,
    ...(path === undefined ? [] : [`  without that file: LOCKSTORM_SEED=${verification.seed} LOCKSTORM_PATH=${path}`]),
    "",
    "Report",
    `  ${folder}/report.html`,
  ].join("\n");
}
