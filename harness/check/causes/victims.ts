import { heldAlone, type Hold } from "../../history/holds.ts";
import { conflictingHold, rivalsOf } from "../evidence/overlaps.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import type { HistoryStep } from "../evidence/history-step.ts";

/** How many holds of a key are looked at: the latest. */
const MOST_VICTIMS = 8;

/**
 * Whose hold a release or an extension lies whole within that this event tells as done, if every grant of its own owner value was over
 * when that holder asked for the key: its owner had nothing left.
 */
export function victimOf({ event, invocation }: HistoryStep, evidence: SharedEvidence): Hold | undefined {
  if (event.type !== "ok" || (invocation?.f !== "release" && invocation?.f !== "extend")) return undefined;
  if (event.f === "release" && !event.value.released) return undefined;
  const { key, index, value } = invocation;
  const grantedBy = evidence.ownerGrants.of(key, value.owner)?.grantedBy ?? -Infinity;
  let looked = 0;
  for (const hold of evidence.holds.latest(key)) {
    if ((looked += 1) > MOST_VICTIMS) return undefined;
    const isWithin = hold.grantedIndex < index && hold.leaseEnd >= event.time && !hold.doubtful && heldAlone(hold);
    if (isWithin && hold.owner !== value.owner && grantedBy < hold.invokedIndex) return hold;
  }
  return undefined;
}

/** The latest hold beside which this one was granted. */
export function rivalOf(hold: Hold, evidence: SharedEvidence): Hold | undefined {
  const { holds } = evidence;
  return evidence.isShareable(hold.key) ? conflictingHold(hold, holds) : rivalsOf(hold, holds.latest(hold.key))[0];
}
