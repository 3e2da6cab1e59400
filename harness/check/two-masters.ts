import type { FaultEvent } from "../core/history.ts";
import type { Evidence } from "./evidence.ts";
import type { RecordedFault } from "./fault-log.ts";
import { NANOSECONDS_PER_MS } from "./holds.ts";
import { faultInWords, ms } from "./words.ts";

/** Faults under which a master that is replaced goes on as one. */
const ISOLATING = ["partition", "stall", "latency"];

/** Faults that stop a master, so that it is replaced; when they are over it comes back as a master. */
const STOPPING = ["pause-node", "kill-node"];

/** An operator's failover replaces a master that is well, and that nobody tells at once. */
const REPLACING = ["failover"];

/**
 * How long after such a fault a master that was replaced may go on as one: until the Sentinels reach it again, have heard
 * for eight seconds that it takes itself for a master, and make it a replica (redis.io, "High availability with Redis Sentinel", on configuration propagation).
 */
const DEMOTION_DELAY = 30_000 * NANOSECONDS_PER_MS;

/** What shows that there were two masters. */
export interface TwoMasters {
  readonly promotion: FaultEvent;
  readonly isolation: FaultEvent;
  readonly why: string;
}

/**
 * Whether there can have been two masters when a lock was granted at `first` and again at `second`, nanoseconds since
 * the start. A replica had been promoted by then, while a fault held of another node, the master it replaced; and that
 * one was still cut off, or had only just come back, or was well all the time.
 */
export function twoMasters(first: number, second: number, { faults }: Evidence): TwoMasters | undefined {
  const promotions = faults.faults.filter(({ kind, event }) => kind === "promotion" && event.time <= first);
  for (const { event: promotion } of promotions.toReversed()) {
    const isolation = faults.faults.findLast(
      (fault) => goesOn(fault, first, second) && fault.event.time <= promotion.time && hitsAnother(fault, promotion),
    )?.event;
    if (isolation !== undefined) return { promotion, isolation, why: inWords(promotion, isolation) };
  }
  return undefined;
}

/** Whether under, or after, this fault a master that was replaced took itself for one at one of these times. */
function goesOn({ kind, event, healed }: RecordedFault, first: number, second: number): boolean {
  const over = REPLACING.includes(kind) ? event.time : (healed?.time ?? Infinity);
  if (event.value.outcome === "skipped" || over + DEMOTION_DELAY < first) return false;
  return REPLACING.includes(kind) || ISOLATING.includes(kind) || (STOPPING.includes(kind) && over <= second);
}

function inWords(promotion: FaultEvent, isolation: FaultEvent): string {
  return (
    `Before both grants the system had seen ${faultInWords(promotion)}, under ${faultInWords(isolation)}: the master that ` +
    `was replaced did not know of it and went on as one. From ${ms(promotion.time)} on there were two, neither knew the ` +
    "locks of the other, and what the old one granted was lost when it became a replica"
  );
}

/** A fault hits the master that was replaced only if it hits a node that was not the one promoted. */
function hitsAnother({ event }: RecordedFault, promotion: FaultEvent): boolean {
  return event.value.targets.some((target) => target.startsWith("node-") && !promotion.value.targets.includes(target));
}
