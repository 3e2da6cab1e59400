import type { z } from "zod";

/** What to do about an integer that JavaScript cannot hold exactly. */
export interface Inexact {
  readonly problem: string;
  readonly hint: string;
}

const ADVICE: Readonly<Record<string, string>> = {
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
  const hint = ADVICE[field] ?? "use smaller numbers";
  return { problem: `${path.map(String).join(".")}: too large to be exact, beyond 2^53`, hint };
}
