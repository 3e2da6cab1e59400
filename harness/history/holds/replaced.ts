import type { HistoryEvent } from "../history.ts";
import type { InvocationEvent } from "../operations.ts";
import type { ProcessLineage } from "../process-lineage.ts";
import type { Hold } from "./hold.ts";
import { sign } from "./sign.ts";

/** How many processes are remembered for a hold. */
const REMEMBERED = 8;

/** Stands for processes that are not remembered. */
const FURTHER = -1;

/** This process asks for the key, and nobody knows the outcome: what its client does then may mean what it asked for. */
export function maybeMeans(holds: Iterable<Hold>, process: number): void {
  for (const hold of holds) {
    const known = hold.askedSince ?? [];
    if (known.includes(process) || known.includes(FURTHER)) continue;
    hold.askedSince = [...known, known.length < REMEMBERED ? process : FURTHER];
  }
}

/** This process was granted the key under this owner value: if it is the client of another hold, it has forgotten that. */
export function maybeForget(owner: string, holds: readonly Hold[], process: number, lineage: ProcessLineage): void {
  for (const hold of holds) {
    if (hold.owner === owner) continue;
    const known = (hold.maybeReplacedBy ?? []).filter((other) => lineage.mayContinue(hold.currentProcess, other));
    if (known.length < REMEMBERED && !known.includes(process)) hold.maybeReplacedBy = [...known, process];
  }
}

/** The acquire of this process was answered: it has begun the hold anew for certain, or not at all. */
export function isNotReplaced(holds: Iterable<Hold>, process: number, lineage: ProcessLineage): void {
  for (const hold of holds) {
    hold.askedSince = without(hold.askedSince, process);
    hold.maybeReplacedBy = without(hold.maybeReplacedBy, process);
    const { doubtedSign } = hold;
    if (doubtedSign !== undefined) showMeant(hold, doubtedSign.event, doubtedSign.operation, lineage);
  }
}

/**
 * The event, of a process that may be its client's, shows that its client still means to hold: at once, or as soon as what else it may
 * mean has been answered.
 */
export function showMeant(
  hold: Hold,
  event: HistoryEvent,
  operation: InvocationEvent | undefined,
  lineage: ProcessLineage,
): void {
  const process = typeof event.process === "number" ? event.process : hold.currentProcess;
  if (maybeReplaced(hold, process, lineage)) {
    hold.doubtedSign = { event, operation };
    return;
  }
  hold.doubtedSign = undefined;
  sign(hold, event, operation);
}

function without(processes: readonly number[] | undefined, process: number): readonly number[] | undefined {
  return processes?.includes(process) === true ? processes.filter((other) => other !== process) : processes;
}

/** Whether what this process does under the same owner value may mean another hold. */
function maybeReplaced(hold: Hold, process: number, lineage: ProcessLineage): boolean {
  const { maybeReplacedBy = [], askedSince = [], currentProcess } = hold;
  if (maybeReplacedBy.some((other) => lineage.mayContinue(currentProcess, other))) return true;
  return askedSince.some((other) => mayMean(other, process, currentProcess, lineage));
}

/** Whether what this process does may mean what that one asked for: it may go on where that ended. */
function mayMean(asked: number, process: number, holder: number, lineage: ProcessLineage): boolean {
  if (asked === FURTHER) return process !== holder;
  return lineage.knowsClients ? !lineage.areTasks(asked, process) : lineage.mayContinue(asked, process);
}
