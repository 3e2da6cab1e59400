import { listed } from "../core/listed.ts";
import type { Comparison } from "./comparison.ts";

/** What is different in a run in which the violation is gone. */
export function goneInWords({ clean, within, granted }: Extract<Comparison, { outcome: "gone" }>): string {
  if (within !== undefined) return `client-${within} gives up the lock within its lease`;
  if (granted !== undefined) return `client-${granted} is granted the lock`;
  if (clean) return "the same schedule breaks nothing";
  return "the same schedule does not break in this way";
}

/** What became of faults that a run without another leaves out. */
export function neverInWords(faults: readonly string[]): string {
  const idle = faults.length === 1 ? "never starts then, and makes" : "never start then, and make";
  return `${listed(faults)} ${idle} no difference alone`;
}

/** What each remedy is, after "with". */
export const REMEDY = {
  "elapsed-check": "a check of the elapsed time when the grant arrives",
  "local-timer": "a timer in the client",
  "fencing-resource": "a resource that checks fencing tokens",
  fsync: "servers that sync before they reply",
} as const;
