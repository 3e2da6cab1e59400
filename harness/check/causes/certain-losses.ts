import { traitsOf } from "../../../faults/traits.ts";
import { keepsSyncedData, losesNodeData } from "../../core/fault-traits.ts";
import { knownTopology } from "../../core/topologies/registry.ts";
import { isUnseen } from "../../history/fault-timeline.ts";
import type { FaultEvent } from "../../history/history.ts";
import type { Hold } from "../../history/holds.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import type { Interference } from "../evidence/interferences.ts";

/** The operations of others that came after the only server had lost the lock, and those that did not, in this order. */
export function byLoss(
  first: Hold,
  evidence: SharedEvidence,
  interferences: readonly Interference[],
): readonly [readonly Interference[], readonly Interference[]] {
  const tooLate = interferences.filter((other) => isLostBefore(first, other, evidence));
  return [tooLate, interferences.filter((other) => !tooLate.includes(other))];
}

function isLostBefore(first: Hold, { invokedTime }: Interference, evidence: SharedEvidence): boolean {
  const { faults, header } = evidence;
  if (knownTopology(header["topology"])?.arrangement !== "one-server") return false;
  const since = Math.max(first.grantedTime, setBefore(first, invokedTime));
  return faults.during(losesNodeData, since, invokedTime).some((fault) => !isUnseen(fault) && forgets(fault, header));
}

/** Whether the server certainly forgot what it had granted. One that keeps a log of its commands may not have. */
function forgets({ f }: FaultEvent, header: SharedEvidence["header"]): boolean {
  return header["persistence"] === "none" || !keepsSyncedData(traitsOf(f));
}

/** When the holder was told last, before this time, that its lease was set. */
export function setBefore({ invokedTime, promised }: Hold, time: number): number {
  const { settled } = promised ?? {};
  return settled === undefined || settled.time > time ? invokedTime : settled.time;
}
