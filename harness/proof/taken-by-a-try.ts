import type { Change, Hypothesis, Proof, Violation } from "../core/verdict.ts";
import { clientOf } from "../history/clients.ts";
import type { History, HistoryEvent } from "../history/history.ts";
import { completionOf } from "../history/operations.ts";
import type { JudgedRun } from "./changed-run.ts";
import { type CounterfactualRuns, shown } from "./counterfactual-runs.ts";
import { ordinalOf } from "./ordinals.ts";
import { keepsItsLock, victimOf } from "./victims.ts";

/** How many acquires are left out, each in a run of its own. */
const MOST_ACQUIRES = 3;

/** An acquire that was under way while a holder lost its lock. */
interface Suspect {
  readonly client: number;
  /** Its number among the acquires of its client, counted from 1. */
  readonly ordinal: number;
  readonly invoked: HistoryEvent;
  readonly completed: HistoryEvent | undefined;
}

/**
 * Whether a holder lost its lock to a client that was only trying to acquire it: a try that deletes or overwrites what it finds.
 * A run in which that client does not ask shows it, if the holder still holds the lock there when it gives it up.
 *
 * @param proven the hypothesis that is proven: it is another matter unless that says that the lock ended the lease early
 */
export async function takenByATry(
  original: JudgedRun,
  runs: CounterfactualRuns,
  violation: Violation,
  proven: Hypothesis,
): Promise<{ readonly hypothesis: Hypothesis; readonly proof: Proof } | undefined> {
  if (proven.cause !== "lost-early" || proven.ground.on !== "rest") return undefined;
  const victim = victimOf(original, violation);
  const denied = Math.max(...(violation.finding?.events ?? violation.events));
  if (victim === undefined) return undefined;
  for (const suspect of suspectsOf(original.history, victim, denied).slice(0, MOST_ACQUIRES)) {
    const { client, ordinal, invoked, completed } = suspect;
    const change: Change = { kind: "without-operation", f: "acquire", client, ordinal };
    const run = await runs.of(change);
    if (run === undefined || !keepsItsLock(original, run, violation)) continue;
    const events = [invoked, completed].flatMap((event) => event?.index ?? []);
    const holder = `client-${clientOf(victim.process as number, original.history.header.clients)}`;
    return {
      hypothesis: {
        ...proven,
        events,
        why: tookInWords(`client-${client}`, "its holder", events),
      },
      proof: {
        standing: "proven",
        by: `if client-${client} does not ask for the lock, ${holder} still holds it when it releases it`,
        run: shown(change, run),
      },
    };
  }
  return undefined;
}

/**
 * @param events those of the try
 * @param how what the try did, and when, if that is known
 */
export function tookInWords(taker: string, holder: string, events: readonly number[], how = ""): string {
  const named = `event${events.length > 1 ? "s" : ""} ${events.join(" and ")}`;
  return `${taker} took the lock from ${holder} while it tried to acquire it${how} (${named}): a try that is not granted must leave alone what another client holds`;
}

/** The acquires of other clients that were under way between the grant and the denial, the last one first. */
function suspectsOf(history: History, victim: HistoryEvent, denied: number): readonly Suspect[] {
  const { events, header } = history;
  const { clients } = header;
  if (clients === undefined || !("key" in victim)) return [];
  const found: Suspect[] = [];
  for (const event of events) {
    if (event.index > denied) break;
    if (event.type !== "invoke" || event.f !== "acquire") continue;
    const client = clientOf(event.process, clients);
    const ordinal = ordinalOf(history, event);
    const completed = completionOf(event, events);
    const isOver = completed !== undefined && completed.index < victim.index;
    const isOwn = client === clientOf(victim.process as number, clients);
    if (event.key === victim.key && !isOver && !isOwn && ordinal !== undefined)
      found.push({ client, ordinal, invoked: event, completed });
  }
  return found.toReversed();
}
