import type { z } from "zod";
import { ENDLESS_TTL_MS } from "../core/endless-lease.ts";
import { firstIssue } from "./first-issue.ts";

/** What to write into fields that other programs' logs lack, or have in another form. */
const ADVICE: Readonly<Record<string, string>> = {
  index: "number the events from 0, without gaps",
  time: "give an integer number of nanoseconds since the start of the recording",
  process: "number the clients from 0, and name each by its number",
  key: "give the name of the lock as a string",
  value: "give the fields that docs/history.md lists for this operation",
  "value.ttlMs": `give the time to live in milliseconds; ${ENDLESS_TTL_MS} for a lock whose leases do not end by themselves`,
  "value.owner": "give the value under which the lock is held; if the lock has none, a fresh one for each acquisition",
  "value.released": "say whether the lock was this owner's: true or false",
};

/** What is wrong with the first field that does not fit, and what to do. */
export function fieldProblem(error: z.core.$ZodError): { readonly problem: string; readonly hint: string } {
  const [issue] = error.issues;
  const path = issue?.path.map(String).join(".") ?? "";
  const isMissing = issue?.code === "invalid_type" && issue.message.endsWith("received undefined");
  return {
    problem: isMissing && path !== "" ? `${path}: missing` : firstIssue(error),
    hint: ADVICE[path] ?? "correct the line",
  };
}
