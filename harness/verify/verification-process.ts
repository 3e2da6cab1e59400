/**
 * The process that verifies a lock: it patches its own platform, and the caller's stays as it is. It takes
 * `VerificationOptions` as its only message, answers with a `ProcessAnswer`, and ends when it is disconnected.
 */
import { messageOf, UserError } from "../core/errors.ts";
import { runVerification } from "./run-verification.ts";
import type { VerificationOptions } from "../campaign/verification.ts";
import type { Verification } from "./verify-options.ts";

/** The answer of the process. */
export type ProcessAnswer =
  | { readonly verification: Verification }
  | { readonly problem: string; readonly hint?: string };

const leftAlone = new AbortController();
process.once("disconnect", () => leftAlone.abort());
process.once("message", (settings: VerificationOptions) => {
  void answer(settings).then((answer) => process.send?.(answer, () => process.disconnect()));
});

async function answer(settings: VerificationOptions): Promise<ProcessAnswer> {
  try {
    return { verification: await runVerification(settings, { signal: leftAlone.signal }) };
  } catch (error) {
    if (error instanceof UserError) return { problem: error.message, hint: error.hint };
    return { problem: messageOf(error) };
  }
}
