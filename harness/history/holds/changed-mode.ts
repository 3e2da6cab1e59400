import { isOtherMode, type Share } from "../../core/sharing.ts";
import type { OpenHolds } from "../open-holds.ts";
import type { ProcessLineage } from "../process-lineage.ts";
import type { Hold } from "./hold.ts";

/** Whether a hold of a read-write lock has another mode than this, or may have. */
export function mayHaveOtherMode({ share, hasTwoModes }: Pick<Hold, "share" | "hasTwoModes">, asked: Share): boolean {
  return hasTwoModes || isOtherMode(share, asked);
}

/**
 * A reader that becomes a writer, or the other way round, under another owner value: its older hold may go on under that value,
 * or be a second one. Of the older one nothing is certain until it is extended under its own value; nor of the newer one where
 * the two acquires overlap in time.
 */
export function doubtChanged(hold: Hold, stores: readonly OpenHolds[], lineage: ProcessLineage): void {
  for (const holds of stores) {
    if (hold.share.kind !== "shared" && holds.shares(hold.key)?.haveReaders !== true) continue;
    for (const other of holds.candidates(hold.key, hold.process, undefined)) {
      if (other.owner === hold.owner || !(hold.hasTwoModes || mayHaveOtherMode(other, hold.share))) continue;
      if (!lineage.mayContinue(other.currentProcess, hold.process)) continue;
      for (const changed of hold.invokedIndex > other.grantedIndex ? [other] : [other, hold]) {
        changed.doubtful = true;
        changed.changedIndex = hold.grantedIndex;
      }
    }
  }
}

/**
 * A release under an owner value that no grant is known of: where an acquire of the other mode by the same client has an unknown
 * outcome, that may be the value under which an older hold went on, which is over then.
 * @returns no change of a hold
 */
export function doubtRenamed(
  { key, process, index }: { readonly key: string; readonly process: number; readonly index: number },
  stores: readonly OpenHolds[],
  lineage: ProcessLineage,
): readonly [] {
  for (const holds of stores) {
    for (const hold of holds.candidates(key, process, undefined)) {
      if (!hold.mayBeRenamed || !lineage.mayContinue(hold.currentProcess, process)) continue;
      hold.doubtful = true;
      hold.changedIndex = index;
    }
  }
  return [];
}
