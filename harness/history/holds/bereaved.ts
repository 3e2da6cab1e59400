import { traitsOf } from "../../../faults/traits.ts";
import { killsClients } from "../../core/fault-traits.ts";
import type { HistoryEvent } from "../history.ts";
import type { OpenHolds } from "../open-holds.ts";
import type { ProcessLineage } from "../process-lineage.ts";
import type { Hold } from "./hold.ts";

/**
 * The holds whose clients a fault has certainly killed, in the order in which they were granted. Of those that may be another
 * client's nothing is certain until they are extended.
 */
export function bereavedBy(
  { f, value, time }: Extract<HistoryEvent, { type: "fault" }>,
  stores: readonly OpenHolds[],
  lineage: ProcessLineage,
): readonly Hold[] {
  const { phase, outcome, processes } = value;
  if (!killsClients(traitsOf(f)) || phase !== "start" || outcome !== "installed" || processes === undefined) return [];
  const bereaved = new Set<Hold>();
  for (const process of processes) {
    for (const hold of stores.flatMap((holds) => [...holds.ofClientAnywhere(process)])) {
      if (lineage.areOne(hold.currentProcess, process)) bereaved.add(hold);
      else if (lineage.livedOn(hold.currentProcess, time)) continue;
      else if (lineage.mayContinue(hold.currentProcess, process)) hold.doubtful = true;
    }
  }
  return [...bereaved].toSorted((one, other) => one.grantedIndex - other.grantedIndex);
}

/** What begins or ends `hold` may concern another instead, if nobody knows to which of them its process refers. */
export function doubtOthers(
  hold: Hold | undefined,
  { key, process }: { readonly key: string; readonly process: number },
  stores: readonly OpenHolds[],
  lineage: ProcessLineage,
): void {
  if (hold === undefined || lineage.areOne(hold.currentProcess, process)) return;
  const mayBeOwn = ({ currentProcess }: Hold): boolean => lineage.mayContinue(currentProcess, process);
  const isOwn = mayBeOwn(hold);
  for (const holds of stores) {
    for (const other of holds.candidates(key, process, hold.owner)) {
      if (other !== hold && mayBeOwn(other) === isOwn) other.doubtful = true;
    }
  }
}
