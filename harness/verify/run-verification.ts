import { renderHtml } from "../../reports/html/html.ts";
import { renderText } from "../../reports/run/text.ts";
import {
  type KeptCounterexample,
  type VerificationOptions,
  type VerificationResult,
  verify,
} from "../campaign/verification.ts";
import { watchThisThread } from "../campaign/parallel/watch-this-thread.ts";
import type { LockDriver } from "../core/lock-driver.ts";
import type { Verdict } from "../core/verdict.ts";
import type { Counterexample, Verification } from "./verify-options.ts";

/** Columns of the picture in a failure: it must fit where test runners indent it. */
const WIDTH = 100;

/**
 * Verifies in this process, and adds the counterexample as text.
 * @param driver the lock, if it is not the one that `options.lock` names
 */
export async function runVerification(
  options: VerificationOptions,
  { driver, signal }: { readonly driver?: LockDriver; readonly signal?: AbortSignal | undefined },
): Promise<Verification> {
  await watchThisThread();
  const drawRun = (record: KeptCounterexample["record"]): string => renderHtml({ runs: [record] });
  const { counterexample, ...counts }: VerificationResult = await verify(options, { driver, signal, drawRun });
  return counterexample === undefined ? counts : { ...counts, counterexample: shown(counterexample) };
}

function shown({ record, folder, regression, path, shrinks, recurrence }: KeptCounterexample): Counterexample {
  return {
    ...brokenBy(record.verdict),
    text: renderText({ ...record, verdict: ofRequired(record.verdict) }, { color: false, width: WIDTH }),
    path,
    shrinks,
    recurrence,
    folder,
    regression,
  };
}

/** Only the properties that decide: the report has all. */
function ofRequired(verdict: Verdict): Verdict {
  const deciding = Object.entries(verdict.properties).filter(([property]) =>
    verdict.required.some((required) => required === property),
  );
  return { ...verdict, properties: Object.fromEntries(deciding) };
}

function brokenBy({ required, properties }: Verdict): Pick<Counterexample, "properties" | "causes"> {
  const broken = required.filter((property) => properties[property]?.verdict === "invalid");
  const violations = broken.flatMap((property) => properties[property]?.violations ?? []);
  return { properties: broken, causes: [...new Set(violations.map(({ cause }) => cause))] };
}
