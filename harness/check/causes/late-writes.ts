import type { Hypothesis, Remedy } from "../../core/verdict.ts";
import type { Hold } from "../../history/holds.ts";
import type { InvocationEvent } from "../../history/operations.ts";
import { clientInWords, timeWords } from "../words.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import { latestEnd } from "../evidence/latest-end.ts";

/** A write to a resource, with what is known of its author. */
export interface AuthoredWrite {
  readonly invocation: Extract<InvocationEvent, { f: "write" }> | undefined;
  /** The hold under which it was invoked, if any. */
  readonly hold: Hold | undefined;
  readonly end:
    | { readonly time: number; readonly type: "ok" | "fail" | "info"; readonly position?: number | undefined }
    | undefined;
}

/**
 * Why one of two writes, the first accepted before the second, may have come too late: its author did not hold the lock until
 * its end. What is certain comes first. Undefined if neither did.
 *
 * @param ordered that their fencing tokens came in order, as the end of a sentence; empty if they did not
 */
export function lateWrite(
  writes: readonly (AuthoredWrite | undefined)[],
  ordered: string,
  evidence: SharedEvidence,
): Hypothesis | undefined {
  const all = writes.flatMap((write, place) => {
    const lateness = write === undefined ? undefined : latenessOf(write, evidence);
    // A resource that checks fencing tokens refuses a late write only after one of the next holder.
    const isRefusable = place > 0 && ordered === "";
    return lateness === undefined ? [] : [{ ...lateness, isRefusable }];
  });
  const late = all.find(({ doubt }) => doubt === undefined) ?? all[0];
  if (late === undefined) return undefined;
  const { what, doubt, isRefusable, isEndable, isOnItsWay } = late;
  const remedies: readonly Remedy[] = [
    ...(isRefusable ? (["fencing-resource"] as const) : []),
    ...(isEndable ? (["local-timer"] as const) : []),
  ];
  const unadvised = isOnItsWay === true ? ({ unadvised: ["local-timer"] } as const) : {};
  const shared = { cause: "overrun", events: [], why: `${what}${ordered}`, remedies, ...unadvised } as const;
  return doubt === undefined
    ? { ...shared, ground: { on: "history" } }
    : { ...shared, shown: doubt, ground: { on: "remedy", remedy: "local-timer" } };
}

interface Lateness {
  readonly what: string;
  /** Why it is not certain, if it is not. */
  readonly doubt?: string;
  /** Whether its author knew a lease by which it could have stopped. */
  readonly isEndable: boolean;
  /** Whether it was sent in time: a timer stops no write that is on its way, unless its client had only begun it. */
  readonly isOnItsWay?: boolean;
}

function latenessOf({ invocation, hold, end }: AuthoredWrite, evidence: SharedEvidence): Lateness | undefined {
  if (invocation?.value.owner === undefined) return undefined;
  const write = `write ${invocation.value.data}`;
  if (hold === undefined)
    return { what: `${write} came from a client that did not hold the lock then`, isEndable: false };
  const over = { what: `${write} came from a client whose lease was over`, isEndable: true };
  const latest = latestEnd(hold, hold.leaseCut?.toldEnd ?? hold.leaseEnd);
  if (invocation.time > latest) return over;
  const client = clientInWords(evidence.header, hold.process);
  const early = `the lease of ${client} may have ended as early as ${timeWords(Math.max(hold.leaseEnd, hold.invokedTime))}`;
  if (invocation.time > hold.leaseEnd) return { ...over, doubt: `${early}, before it wrote ${invocation.value.data}` };
  const until = end?.time ?? evidence.endTime;
  const what = `${write} was under way when the lease of its author ended`;
  const caught = { what, isEndable: true, isOnItsWay: true };
  if (until > latest) return caught;
  if (until > hold.leaseEnd)
    return { ...caught, doubt: `${early}, before write ${invocation.value.data} was answered` };
  if (end?.type !== "info" || end.position !== undefined) return undefined;
  // Its client waited no longer for an answer, but it may still have been on its way.
  const late = `${write} was applied when its author did not hold the lock any more`;
  return { ...caught, what: late, doubt: `${client} does not know the outcome of ${write}` };
}
