import { isEndless } from "../../history/holds/endless-lease.ts";
import type { HistoryHeader } from "../../history/history.ts";
import type { Hold } from "../../history/holds.ts";
import type { InvocationEvent } from "../../history/operations.ts";
import { clientInWords, timeWords } from "../words.ts";

/** The operations of unknown outcome since the last grant of a key: the last acquire, and whether a release is one. */
export interface Doubt {
  readonly acquire?: Extract<InvocationEvent, { f: "acquire" }> | undefined;
  readonly release?: boolean | undefined;
}

/** Why a lock that nobody is known to hold is not free. An operation of unknown outcome is never told as if it had its effect. */
export function whyStuck(header: HistoryHeader, lastHold: Hold | undefined, { acquire, release }: Doubt): string {
  const stuck = "the lock did not become free by itself";
  if (acquire !== undefined) {
    return `${stuck} after the acquire of ${clientInWords(header, acquire.process)} at ${timeWords(acquire.time)}, which may have taken it: its outcome is unknown`;
  }
  const isReleased = lastHold?.end?.by === "release" && release !== true;
  return isReleased ? "the lock was not free although its holder had released it" : stuck;
}

/** How a hold ended. */
export function endInWords({ end, grantedTime, leaseEnd }: Hold, { release }: Doubt): string {
  switch (end?.by) {
    case undefined:
      return isEndless(leaseEnd - grantedTime) ? "never released it" : `had a lease until ${timeWords(leaseEnd)}`;
    case "release":
      return release === true
        ? `called release at ${timeWords(end.time)}, with an unknown outcome`
        : `called release at ${timeWords(end.time)}`;
    case "lost":
      return `was notified at ${timeWords(end.time)} that its lease was lost`;
    case "kill":
      return `died at ${timeWords(end.time)}`;
    case "abandoned":
      return `acquired it again at ${timeWords(end.time)}`;
  }
}
