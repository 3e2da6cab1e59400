import { type History, type HistoryEvent, INVALID_ANSWER, ONE_OF_SEVERAL } from "../../history/history.ts";
import type { Verdict } from "../../core/verdict.ts";

/** Why a run in which nothing was granted speaks against its driver, in words that follow "nothing was granted". */
export const HOPELESS = {
  mistakes: "because of mistakes of the driver",
  errors: "although no fault had begun when an acquire failed",
} as const;
export type Hopeless = keyof typeof HOPELESS;

/**
 * Whether a run shows a driver that gets nothing right: nothing was granted, and either an answer was none, or the lock ended
 * its client, or no acquire was contended and one failed before any fault began.
 * @returns `perhaps` where nothing was granted, and a fault may be to blame; undefined where the lock does something
 */
export function hopelessIn({ events, end }: History, { verdict }: Verdict): Hopeless | "perhaps" | undefined {
  if (verdict !== "unknown") return undefined;
  const acquired = events.filter((event) => event.f === "acquire" && event.type !== "invoke");
  if (acquired.some(({ type }) => type === "ok")) return undefined;
  const isWrong = events.some((event) => event.type === "info" && event.value?.reason === INVALID_ANSWER);
  if (isWrong || end?.value.run === "failed") return "mistakes";
  if (acquired.length === 0 || acquired.some(isContended)) return undefined;
  const firstFault = events.findIndex(isFaultBegun);
  const first = events.findIndex((event) => acquired.includes(event));
  return firstFault === -1 || first < firstFault ? "errors" : "perhaps";
}

function isContended(event: HistoryEvent): boolean {
  const reason = event.type === "fail" ? event.value?.reason : undefined;
  return reason === "contended" || reason === ONE_OF_SEVERAL;
}

/** A lock that ends its client is no fault that the plan began. */
function isFaultBegun(event: HistoryEvent): boolean {
  return event.type === "fault" && event.f !== "client-crash" && event.value.outcome !== "skipped";
}
