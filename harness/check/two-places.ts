import type { FaultEvent } from "../core/history.ts";
import type { Evidence } from "./evidence.ts";
import type { Hold } from "./holds.ts";
import { clientOf, faultInWords } from "./words.ts";

/** Faults that keep one client, and not another, from a server, or seem to: a client that was stopped hears late too. */
const KEEPING_AWAY = [
  "partition",
  "stall",
  "latency",
  "reset",
  "pause-node",
  "kill-node",
  "restart-node",
  "power-loss",
  "pause-client",
];

/** What shows that a lock was in two places. */
export interface TwoPlaces {
  /** What may have kept one of the clients from the place of the other. */
  readonly fault?: FaultEvent;
  readonly why: string;
}

/** Whether the two grants say that different servers have the lock. Then neither server can have known of the other. */
export function twoPlaces(first: Hold, second: Hold, { header, faults }: Evidence): TwoPlaces | undefined {
  if (first.place === undefined || second.place === undefined || first.place === second.place) return undefined;
  const fault = faults.during(KEEPING_AWAY, first.invokedTime, second.grantedTime).at(-1);
  const meanwhile = fault === undefined ? "" : ` Meanwhile: ${faultInWords(fault)}.`;
  const where = [first, second].map(({ process, place }) => `${clientOf(header, process)} had it on ${place}`);
  return {
    ...(fault === undefined ? {} : { fault }),
    why: `The lock was in two places: ${where.join(", ")}.${meanwhile} Whoever cannot reach the place of a lock must go without it`,
  };
}
