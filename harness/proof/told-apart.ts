import type { WireRecord } from "../core/messages/wire-record.ts";
import type { Hypothesis, Proof, Violation } from "../core/verdict.ts";
import type { JudgedRun } from "./changed-run.ts";
import type { CounterfactualRuns } from "./counterfactual-runs.ts";
import { endedEarly } from "./ended-early.ts";
import { keptOnServer } from "./servers/kept-key.ts";
import { seenOnServer } from "./servers/seen-on-server.ts";
import { takenOnServer } from "./servers/taken-on-server.ts";
import { withoutMajority } from "./servers/without-majority.ts";
import { takenByATry } from "./taken-by-a-try.ts";

/** What a proof rests on: the run itself, the runs that it is compared with, and what servers held in it. */
export interface Grounds {
  readonly run: JudgedRun;
  readonly runs: CounterfactualRuns;
  readonly wire: WireRecord | undefined;
}

/**
 * A hypothesis in place of one that is proven, if more can be shown of what the lock did: that it kept the key after its release, or,
 * where it is blamed itself, that it ended a lease early, took a lock by a try, or granted the key twice or in turn. With the proof
 * of that, unless the one of the first hypothesis is its proof as well. Undefined if nothing more is shown.
 */
export async function toldApart(
  { run, runs, wire }: Grounds,
  violation: Violation,
  proven: Hypothesis,
): Promise<{ readonly hypothesis: Hypothesis; readonly proof?: Proof } | undefined> {
  const kept = keptOnServer(run, violation, proven, wire);
  if (kept !== undefined) return { hypothesis: kept };
  const minority = withoutMajority(run, violation, proven, wire);
  if (minority !== undefined) return { hypothesis: minority };
  // Whoever is granted the key next finds it free, so a run without that client would show a lease that ended early.
  const taken = takenOnServer(run, violation, proven, wire);
  if (taken !== undefined) return { hypothesis: taken };
  const hypothesis = seenOnServer(run, violation, proven, wire);
  const ended = await endedEarly(run, runs, violation, proven);
  // The server shows which of the two happened that a lease which ended early leaves open.
  if (ended !== undefined)
    return hypothesis === undefined || hypothesis.shown !== proven.shown ? ended : { ...ended, hypothesis };
  return (await takenByATry(run, runs, violation, proven)) ?? (hypothesis && { hypothesis });
}
