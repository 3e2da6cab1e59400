import type { Completion } from "../../harness/core/lock-driver.ts";

/** The smallest majority: two of them always share a node (redis.io, "Distributed locks with Redis"). */
export function majority(nodes: number): number {
  return Math.floor(nodes / 2) + 1;
}

/** The counted answers of the nodes to one question. */
export interface Tally {
  /** Said yes: set, deleted, extended. */
  readonly yes: number;
  /** Said no: another client holds it, or it is not ours. */
  readonly no: number;
  /** Were certainly not asked, or refused to do anything: no connection, READONLY. */
  readonly failed: number;
  /** Nobody knows. */
  readonly unknown: number;
  /** The first reason among the failed and the unknown ones. */
  readonly reason: string;
}

/** Counts answers: `ok` with true or false, or no answer at all. */
export function tally(answers: readonly Completion<boolean>[]): Tally {
  const counts = { yes: 0, no: 0, failed: 0, unknown: 0 };
  let reason: string | undefined;
  for (const answer of answers) {
    if (answer.type === "ok") counts[answer.value ? "yes" : "no"] += 1;
    else {
      counts[answer.type === "fail" ? "failed" : "unknown"] += 1;
      reason ??= answer.reason;
    }
  }
  return { ...counts, reason: reason ?? "" };
}

/**
 * The result over all nodes. `true` when a quorum said yes; `false` when too many said no for a quorum of yes; a
 * failure when certainly no node did anything; otherwise indeterminate: some nodes did it, or may have, and too few to
 * decide. A release that freed two nodes of five and could not reach a third has not failed: it may have freed the
 * lock.
 */
export function decide(answers: readonly Completion<boolean>[], quorum: number): Completion<boolean> {
  const { yes, no, unknown, reason } = tally(answers);
  if (yes >= quorum) return { type: "ok", value: true };
  if (no > answers.length - quorum) return { type: "ok", value: false };
  if (yes + unknown > 0) return { type: "info", reason };
  return { type: "fail", kind: "error", reason };
}
