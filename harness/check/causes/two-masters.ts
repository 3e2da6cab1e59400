import { traitsOf } from "../../../faults/traits.ts";
import { holdsMessages, stopsNodes } from "../../core/fault-traits.ts";
import { NANOSECONDS_PER_MS, type FaultEvent } from "../../history/history.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import type { RecordedFault } from "../../history/fault-timeline.ts";
import { faultInWords } from "../words.ts";

/**
 * How long after such a fault a replaced master may continue as a master: until the Sentinels reach it again, have
 * heard for eight seconds that it reports itself as a master, and make it a replica (redis.io, "High availability with
 * Redis Sentinel", on configuration propagation).
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
 * the start. A replica had been promoted by then while a fault held on another node, the master it replaced; and that
 * master was still cut off, or had only just come back, or had been well all the time.
 */
export function twoMasters(first: number, second: number, { faults }: SharedEvidence): TwoMasters | undefined {
  const promotions = faults.faults.filter(({ event }) => isPromotion(event) && event.time <= first);
  for (const { event: promotion } of promotions.toReversed()) {
    const isolation = faults.faults.findLast(
      (fault) => goesOn(fault, first, second) && fault.event.time <= promotion.time && hitsAnother(fault, promotion),
    )?.event;
    if (isolation !== undefined) return { promotion, isolation, why: inWords(promotion, isolation) };
  }
  return undefined;
}

/** Whether a replica was seen to become master. */
export function isPromotion({ f }: FaultEvent): boolean {
  return traitsOf(f).promotes === "seen";
}

/**
 * Whether, during or after this fault, a replaced master still acted as a master at one of these times: a master that
 * cannot be reached continues; a stopped master does so when it comes back; and a master that an operator has replaced
 * was well all the time, and is not told at once.
 */
function goesOn({ traits, event, healed }: RecordedFault, first: number, second: number): boolean {
  const replaces = traits.promotes === "request";
  const over = replaces ? event.time : (healed?.time ?? Infinity);
  if (event.value.outcome === "skipped" || over + DEMOTION_DELAY < first) return false;
  return replaces || holdsMessages(traits) || (stopsNodes(traits) && over <= second);
}

function inWords(promotion: FaultEvent, isolation: FaultEvent): string {
  return (
    `there were two masters from ${faultInWords(promotion)} on: because of ${faultInWords(isolation)} the replaced master did ` +
    "not know that it had been replaced. Neither knew the locks of the other, and the locks that the old master granted " +
    "were lost when it became a replica"
  );
}

/** A fault hits the master that was replaced only if it hits a node that was not the one promoted. */
function hitsAnother({ event }: RecordedFault, promotion: FaultEvent): boolean {
  return event.value.targets.some((target) => target.startsWith("node-") && !promotion.value.targets.includes(target));
}
