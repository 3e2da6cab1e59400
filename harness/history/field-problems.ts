import type { z } from "zod";
import { ENDLESS_TTL_MS } from "./holds/endless-lease.ts";
import { firstIssue } from "./first-issue.ts";

/** What to do about an integer that JavaScript cannot hold exactly. */
export interface Inexact {
  readonly problem: string;
  readonly hint: string;
}

const SMALLER: Readonly<Record<string, string>> = {
  time: "count nanoseconds from the start of the recording: subtract the time of the first event from all times",
  grantedAt: "count nanoseconds from the start of the recording, as in `time`",
  fence: "subtract one number from all fencing tokens of the key: only their order counts",
  position: "subtract one number from all positions of the key, in writes, reads, `basedOn` and audits alike",
  basedOn: "subtract one number from all positions of the key, in writes, reads, `basedOn` and audits alike",
};

/**
 * What is wrong with an integer beyond 2^53, if that is what this issue is about. Two of them may look equal, so a
 * verdict on them would prove nothing.
 */
export function inexact({ code, path, ...issue }: z.core.$ZodIssue): Inexact | undefined {
  const isBound = code === "too_big" ? "maximum" in issue && issue.maximum === Number.MAX_SAFE_INTEGER : false;
  const field = String(path.at(-1));
  if (!isBound) return undefined;
  const hint = SMALLER[field] ?? "use smaller numbers";
  return { problem: `${path.map(String).join(".")}: too large to be exact, beyond 2^53`, hint };
}

/** What to write into fields that other programs' logs lack, or have in another form. */
const ADVICE: Readonly<Record<string, string>> = {
  index: "number the events from 0, without gaps",
  time: "give an integer number of nanoseconds since the start of the recording",
  process: "number the clients from 0, and name each by its number",
  key: "give the name of the lock as a string",
  value: "give the fields that docs/history.md lists for a line of this kind",
  "value.ttlMs": `give the time to live in milliseconds; ${ENDLESS_TTL_MS} for a lock whose leases do not end by themselves`,
  "value.owner": "give the value under which the lock is held; if the lock has none, a fresh one for each acquisition",
  "value.waitMs":
    "give how long the client waits at most, in milliseconds; leave it out if that is unknown or for ever",
  "value.fence":
    "give the fencing token as an integer; of one of several parts, such as an epoch and a counter, an integer that keeps their order: epoch * 1000000 + counter",
  "value.mode": "give `shared` for a reader, `exclusive` for a writer",
  "value.released": "say whether the lock was this owner's: true or false",
};

/** What is wrong with the first field that does not fit, and what to do. */
export function fieldProblem(error: z.core.$ZodError): { readonly problem: string; readonly hint: string } {
  const [issue] = error.issues;
  const path = issue?.path.map(String).join(".") ?? "";
  const words = issue?.code === "invalid_value" ? issue.values.map((word) => JSON.stringify(word)) : [];
  if (path === "process" && words.length > 0) {
    return {
      problem: firstIssue(error),
      hint: `write "process":${words.join(" or ")}: no client writes a line of this type`,
    };
  }
  const oneOf = words.length === 0 ? "correct the line" : `write ${words.join(" or ")}`;
  return { problem: firstIssue(error), hint: ADVICE[path] ?? oneOf };
}
