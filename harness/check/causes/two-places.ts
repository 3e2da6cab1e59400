import type { FaultTraits } from "../../core/fault-traits.ts";
import type { FaultEvent } from "../../history/history.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import type { Hold } from "../../history/holds.ts";
import { clientInWords } from "../words.ts";

/** Whether it keeps one client, and not another, from a server, or seems to: a stopped client gets replies late too. */
function keepsAway({ messages, pauses, kills }: FaultTraits): boolean {
  return messages !== undefined || pauses !== undefined || kills === "node";
}

/** What shows that a lock was in two places. */
export interface TwoPlaces {
  /** What may have kept one of the clients from the place of the other. */
  readonly fault?: FaultEvent;
  /** A clause. */
  readonly shown: string;
}

/**
 * Whether the two grants say that different servers have the lock. Then neither server can have known of the other's
 * grant.
 */
export function twoPlaces(first: Hold, second: Hold, { header, faults }: SharedEvidence): TwoPlaces | undefined {
  if (first.place === undefined || second.place === undefined || first.place === second.place) return undefined;
  const fault = faults.during(keepsAway, first.invokedTime, second.grantedTime).at(-1);
  const where = [first, second].map(({ process, place }) => `${clientInWords(header, process)} had it on ${place}`);
  return {
    ...(fault === undefined ? {} : { fault }),
    shown: `the lock was in two places: ${where.join(", ")}`,
  };
}
