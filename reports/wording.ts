import { shortOwner } from "../harness/history/owner-value.ts";
import { inFigures } from "../harness/core/words/in-figures.ts";
import { printable } from "../harness/core/printable.ts";
import type { Cause, Outcome } from "../harness/core/verdict.ts";
import { formatMs, formatMsFigure } from "./ms-words.ts";

export { formatMs, formatMsFigure };

/** Each cause in a few words. */
export const CAUSE_MEANING: Readonly<Record<Cause, string>> = {
  overrun: "a client outlived its lease",
  "double-grant": "the lock was granted to more clients than may hold it at once",
  "lost-in-failover": "the grant was lost in a failover",
  "lost-in-restart": "the grant was lost in a restart",
  "clock-jump": "a clock jump moved the end of a lease",
  "clock-rate": "clocks at different rates moved the end of a lease",
  "foreign-release": "a client released or extended a lock that was not its own",
  "expired-grant": "the lease was over before it was granted",
  "token-rollback": "the fencing tokens did not grow",
  "token-overtaken": "an earlier hold has a larger fencing token than a later one",
  "stale-accepted": "the resource accepted a stale write",
  "rightful-write-refused": "the resource refused the rightful holder",
  "never-freed": "a lock was refused although no client had held it for a long time",
  eviction: "the lock's key was evicted",
  "lost-early": "a holder lost its lease before its time",
  "refused-while-free": "the lock refused although it was free",
  "rounded-lease": "the lease ended up to a millisecond early",
  "left-behind": "one of several keys was left taken",
  overtaken: "a client that stood in the queue was overtaken",
  contradiction: "the lock's answers contradict each other",
  "lost-write": "the resource lost a write that it had acknowledged",
  "effect-after-failure": "a write that was reported as failed took effect",
  "stale-read": "a write was based on an outdated read",
};

/** A sentence in which no line breaks between a number and its unit. */
export function unbroken(sentence: string): string {
  return sentence.replaceAll(/(\d) (ms|s)\b/g, "$1\u{a0}$2");
}

/** Whether a client did it, and not the lock: it went on after its lease had ended. */
export function clientIsToBlame(cause: Cause): boolean {
  return cause === "overrun";
}

/** The title of a verdict's reasons. A run that shows a violation is invalid, even if it leaves other properties undecided. */
export function reasonsTitle(verdict: Outcome): string {
  return verdict === "invalid" ? "What the run leaves undecided" : "Why the run is unknown";
}

/** Outcomes as reports print them. */
export const OUTCOME_WORD: Readonly<Record<Outcome, string>> = {
  valid: "holds",
  invalid: "broken",
  unknown: "unknown",
  "not-applicable": "n/a",
};

/** For how long two held a lock together: `12 ms`, or `an instant` where one gave it up as soon as it had it. */
export function formatOverlap({ from, to }: { readonly from: number; readonly to: number }): string {
  return to > from ? formatMs(to - from) : "an instant";
}

/** `3 violations`, `1 violation`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${inFigures(n)} ${n === 1 ? one : many}`;
}

/** An owner value shortened for a picture: its first 8 characters, and where others `beside` it begin so too, what differs. */
export function drawnOwner(owner: string, beside: readonly string[] = []): string {
  return shortOwner(printable(owner), "..", beside.map(printable));
}

/** Evidence without repetitions: a fault of many edges often has the same evidence on several. */
export function evidenceText(evidence: string): string {
  return [...new Set(printable(evidence).split("; "))].join("; ");
}
