import type { Cause, Outcome, Property } from "../harness/core/verdict.ts";

/** What each property asks for, as a person says it. */
export const PROPERTY_MEANING: Readonly<Record<Property, string>> = {
  "mutual-exclusion": "never two holders at once",
  "lease-exclusion": "never two leases in force at once",
  "fencing-tokens": "every grant has a larger fencing token than those before it",
  "stale-writes": "the resource accepts nothing older than what it has seen",
  "lost-updates": "no accepted write overwrites one that its author never saw",
  "owner-release": "nobody releases or extends what another holds",
  "deadlock-freedom": "once the faults are over, somebody gets the lock",
  linearizability: "the history has an order that a lock could have produced",
};

/** Each cause in a few words. */
export const CAUSE_MEANING: Readonly<Record<Cause, string>> = {
  overrun: "a client outlived its lease",
  "double-grant": "the lock was granted twice",
  "lost-in-failover": "the grant was lost in a failover",
  "lost-in-restart": "the grant was lost in a restart",
  "clock-jump": "a clock jump ended the lease early",
  "clock-rate": "a fast clock ended the lease early",
  "foreign-release": "somebody released what another held",
  "expired-grant": "the lease was over before it was granted",
  "token-rollback": "the fencing tokens went backwards",
  "stale-accepted": "the resource accepted a stale write",
  "never-freed": "the lock was never freed",
  eviction: "the lock's key was evicted",
  unexplained: "no known cause fits",
};

/** Outcomes as reports print them. */
export const OUTCOME_WORD: Readonly<Record<Outcome, string>> = {
  valid: "holds",
  invalid: "broken",
  unknown: "unknown",
  "not-applicable": "n/a",
};

/** `12` -> `12 ms`, `1.25` -> `1.25 ms`, `12345` -> `12 345 ms`: three significant digits below 1 ms, whole above 100. */
export function formatMs(ns: number): string {
  return `${formatMsFigure(ns)} ms`;
}

/** The figure of `formatMs` without its unit. Thousands are set apart by a no-break space. */
export function formatMsFigure(ns: number): string {
  const ms = ns / 1e6;
  const size = Math.abs(ms);
  const digits = size >= 100 || Number.isInteger(ms) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  const [whole = "", fraction] = ms.toFixed(digits).split(".");
  const grouped = whole.length > 4 ? whole.replaceAll(/\B(?=(\d{3})+$)/g, "\u{a0}") : whole;
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** `3 violations`, `1 violation`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** A list in a sentence: `a`, `a and b`, `a, b and c`. */
export function listed(items: readonly string[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

/** A value from a history on one line, so that it can neither break a layout nor move a terminal's cursor. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what must not reach the terminal
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, "\u{fffd}");
}

/** An owner value short enough for a picture: its first 8 characters. */
export function shortOwner(owner: string): string {
  const text = printable(owner);
  return text.length <= 10 ? text : `${text.slice(0, 8)}..`;
}

/** Evidence without what it says twice: a fault of many edges often sees the same on several. */
export function evidenceText(evidence: string): string {
  return [...new Set(printable(evidence).split("; "))].join("; ");
}
