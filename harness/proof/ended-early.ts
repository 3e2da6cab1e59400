import { mayLoseLocks } from "../core/fault-traits.ts";
import type { Change, Hypothesis, Proof, Violation } from "../core/verdict.ts";
import { FaultTimeline } from "../history/fault-timeline.ts";
import type { History, HistoryEvent } from "../history/history.ts";
import type { Hold } from "../history/holds.ts";
import type { JudgedRun } from "./changed-run.ts";
import { type CounterfactualRuns, shown } from "./counterfactual-runs.ts";
import { clientNumber, grantAgain, holdsOf } from "./same-in-another-run.ts";
import { acquireOfSuccessor, victimOf } from "./victims.ts";

/** A lock that was granted twice because its first lease had ended before the time that the lock had promised. */
interface EndedEarly {
  readonly hypothesis: Hypothesis;
  readonly proof: Proof;
}

/**
 * Whether the first of two leases that overlap ends early by itself: a lock that ends leases too soon, or counts them
 * from too late an instant, grants a key that is free. A run in which the client of the second asks no more shows it,
 * if the holder gives the lock up within its lease there, and is told that it holds nothing.
 *
 * @param proven the hypothesis that is proven: it is another matter unless that says that the lock granted the key twice
 */
export async function endedEarly(
  original: JudgedRun,
  runs: CounterfactualRuns,
  violation: Violation,
  proven: Hypothesis,
): Promise<EndedEarly | undefined> {
  if (proven.cause !== "double-grant" || proven.ground.on !== "rest") return undefined;
  const [victim, successor] = [victimOf(original, violation), acquireOfSuccessor(original, violation)];
  if (victim === undefined || successor === undefined || !tellsHolders(original.history)) return undefined;
  const change: Change = { kind: "without-operation", f: "acquire", ...successor };
  const run = await runs.of(change);
  const again = run === undefined ? undefined : grantAgain(original, run, victim);
  if (run === undefined || again === undefined) return undefined;
  const hold = holdsOf(run.history).find(({ grantedIndex }) => grantedIndex === again.index);
  if (hold === undefined || !isDeniedInTime(hold, run.history)) return undefined;
  const client = `client-${clientNumber(victim, original.history)}`;
  return {
    hypothesis: {
      ...proven,
      why: `the lock ended the lease of ${client} before the time that it had promised, because it ended it too soon or counted it from too late an instant, and then granted the key again`,
    },
    proof: {
      standing: "proven",
      by: `if client-${successor.client} does not ask for the lock, ${client} is told within its lease that it holds nothing`,
      run: shown(change, run),
    },
  };
}

/** Whether the lock ever tells a client that it did hold: the answers of one that never does show nothing. */
function tellsHolders({ events }: History): boolean {
  return events.some((event) => event.type === "ok" && event.f === "release" && event.value.released);
}

/** Whether the holder is told within its lease that it holds nothing, though nobody and nothing can have taken the lock. */
function isDeniedInTime(hold: Hold, { events }: History): boolean {
  const { end, process, leaseEnd, invokedTime } = hold;
  if (end?.by !== "release") return false;
  const answer = events.find((event) => event.index > end.index && event.process === process);
  if (answer?.type !== "ok" || answer.f !== "release" || answer.value.released) return false;
  if (answer.time > leaseEnd || events.some((event) => event.index < answer.index && mayTake(event, hold)))
    return false;
  return !FaultTimeline.of(events).anyDuring(mayLoseLocks, invokedTime, answer.time);
}

/** Whether an event of another client may tell of an operation that took the lock from this holder. */
function mayTake(event: HistoryEvent, { key, process, invokedIndex, grantedIndex }: Hold): boolean {
  if (event.type === "fail" || !("key" in event) || event.key !== key || event.process === process) return false;
  // What was asked for before the grant, and refused, took nothing; what was only asked for, nothing yet.
  if (event.f === "acquire") return event.type !== "invoke" && event.index > invokedIndex;
  return (event.f === "release" || event.f === "extend" || event.f === "lease") && event.index > grantedIndex;
}
