/**
 * The process in which a lock is verified: its platform is patched, and that of whoever asked stays as it is. Takes
 * `VerifySettings` as its only message, answers with a `ProcessAnswer`, and ends when it is left alone.
 */
import { messageOf, UserError } from "../core/errors.ts";
import { runVerification } from "./run-verification.ts";
import type { VerifySettings } from "./settings.ts";
import type { Verification } from "./verify-options.ts";

/** What the process has to say. */
export type ProcessAnswer =
  | { readonly verification: Verification }
  | { readonly problem: string; readonly mend?: string };

const leftAlone = new AbortController();
process.once("disconnect", () => leftAlone.abort());
process.once("message", (settings: VerifySettings) => {
  void answer(settings).then((answer) => process.send?.(answer, () => process.disconnect()));
});

async function answer(settings: VerifySettings): Promise<ProcessAnswer> {
  try {
    return { verification: await runVerification(settings, { signal: leftAlone.signal }) };
  } catch (error) {
    if (error instanceof UserError) return { problem: error.message, mend: error.mend };
    return { problem: messageOf(error) };
  }
}
