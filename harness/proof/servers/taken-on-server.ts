import { timeWords } from "../../check/words.ts";
import type { KeyState, WireRecord } from "../../core/messages/wire-record.ts";
import type { WireMessage } from "../../core/messages/wire-message.ts";
import { topologyOf } from "../../core/topologies/registry.ts";
import type { Hypothesis, Violation } from "../../core/verdict.ts";
import { completionOf } from "../../history/operations.ts";
import type { JudgedRun } from "../changed-run.ts";
import { clientNumber } from "../same-in-another-run.ts";
import { tookInWords } from "../taken-by-a-try.ts";
import { grantsIn } from "../victims.ts";
import { isShared } from "./seen-on-server.ts";

/**
 * The hypothesis with the acquire of another client that took the lock from its holder and was not granted it itself: it deleted or
 * overwrote what it found. The lock is then granted to whoever asks next, as if it had ended the lease early by itself. Undefined
 * where the record does not show it: for several servers, for readers and permits, and for owner values that only the driver knows.
 *
 * @param proven the hypothesis that is proven: it is another matter unless that says that the lock granted the key twice
 * @param wire what the server held in the same run
 */
export function takenOnServer(
  { plan, history }: JudgedRun,
  violation: Violation,
  proven: Hypothesis,
  wire: WireRecord | undefined,
): Hypothesis | undefined {
  if (proven.cause !== "double-grant" || proven.ground.on !== "rest" || wire === undefined || wire.leftOut > 0)
    return undefined;
  if (topologyOf(plan.topology.kind).arrangement !== "one-server" || isShared(history)) return undefined;
  const [victim, second] = grantsIn(violation, history);
  if (victim === undefined || second === undefined) return undefined;
  const holder = clientNumber(victim, history);
  for (const states of Map.groupBy(wire.keys, ({ server, key }) => JSON.stringify([server, key])).values()) {
    const index = states.findLastIndex(({ value }) => value?.includes(victim.value.owner));
    const [held, ended] = [states[index], states[index + 1]];
    if (held === undefined || ended === undefined || ended.atNs >= Math.min(expiresNs(held), second.time)) continue;
    // Else it may have been over by the server's clock.
    if (held.clockAheadNs !== ended.clockAheadNs) continue;
    const applied = wire.messages.filter((message) => message.appliedNs === ended.atNs && asksOf(message, ended));
    const [taker] = applied;
    if (taker?.operation === undefined || applied.length > 1) continue;
    const invoked = history.events[taker.operation];
    if (invoked?.type !== "invoke" || invoked.f !== "acquire") continue;
    const client = clientNumber(invoked, history);
    if (client === holder) continue;
    const completed = completionOf(invoked, history.events);
    if (completed?.type === "ok") continue;
    const events = [invoked, completed].flatMap((event) => event?.index ?? []);
    const { orElse: _, shown: __, ...alone } = proven;
    return {
      ...alone,
      events,
      why: tookInWords(
        `client-${client}`,
        `client-${holder}`,
        events,
        `, by ${taker.command} at ${timeWords(ended.atNs)}`,
      ),
    };
  }
  return undefined;
}

function expiresNs({ atNs, expiresInNs = Infinity }: KeyState): number {
  return atNs + expiresInNs;
}

function asksOf({ server, keys }: WireMessage, state: KeyState): boolean {
  return server === state.server && keys.includes(state.key);
}
