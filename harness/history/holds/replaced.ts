import type { ProcessLineage } from "../process-lineage.ts";
import type { Hold } from "./hold.ts";

/** How many processes are remembered for a hold. */
const REMEMBERED = 8;

/** An acquire of this process may have begun these holds anew, as far as nothing shows that it is another client's. */
export function maybeReplace(holds: readonly Hold[], process: number, lineage: ProcessLineage): void {
  for (const hold of holds) {
    const known = stillPossible(hold, lineage);
    if (known.length < REMEMBERED && !known.includes(process)) hold.maybeReplacedBy = [...known, process];
  }
}

/** This process was granted the key under this owner value: if it is the client of another hold, it has forgotten that. */
export function maybeForget(owner: string, holds: readonly Hold[], process: number, lineage: ProcessLineage): void {
  const others = holds.filter((hold) => hold.owner !== owner);
  maybeReplace(others, process, lineage);
}

/** The acquire of this process was answered: it has begun the hold anew for certain, or not at all. */
export function isNotReplaced(hold: Hold, process: number): void {
  if (hold.maybeReplacedBy?.includes(process) !== true) return;
  hold.maybeReplacedBy = hold.maybeReplacedBy.filter((other) => other !== process);
}

/** Whether what its client does under the same owner value may mean another hold. */
export function maybeReplaced(hold: Hold, lineage: ProcessLineage): boolean {
  return stillPossible(hold, lineage).length > 0;
}

function stillPossible({ maybeReplacedBy = [], currentProcess }: Hold, lineage: ProcessLineage): readonly number[] {
  return maybeReplacedBy.filter((process) => lineage.mayContinue(currentProcess, process));
}
