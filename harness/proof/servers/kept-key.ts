import { timeWords } from "../../check/words.ts";
import { FaultTimeline, RECORDING_DELAY_NS } from "../../history/fault-timeline.ts";
import { movesClocks } from "../../core/fault-traits.ts";
import type { KeyState, WireRecord } from "../../core/messages/wire-record.ts";
import { topologyOf } from "../../core/topologies/registry.ts";
import type { Hypothesis, Violation } from "../../core/verdict.ts";
import type { History } from "../../history/history.ts";
import type { JudgedRun } from "../changed-run.ts";
import { clientNumber } from "../same-in-another-run.ts";

/**
 * The hypothesis, with what the server still held for an owner when a client was refused the key although nobody held it. A
 * history leaves open whether the lock was left without an expiry, with a longer one than anybody asked for, or was free.
 * Undefined where the record does not show it: for several servers, for owner values that only the driver knows, or if a clock was stepped.
 *
 * @param proven the hypothesis that is proven: it is another matter unless that says that the lock was not freed
 * @param wire what the server held in the same run
 */
export function keptOnServer(
  { plan, history }: JudgedRun,
  violation: Violation,
  proven: Hypothesis,
  wire: WireRecord | undefined,
): Hypothesis | undefined {
  if (proven.cause !== "never-freed" || proven.shown !== undefined || wire === undefined || wire.leftOut > 0)
    return undefined;
  if (topologyOf(plan.topology.kind).arrangement !== "one-server") return undefined;
  const refusal = refusalIn(violation, history);
  if (refusal === undefined) return undefined;
  if (FaultTimeline.of(history.events).anyDuring(movesClocks, 0, refusal.time + RECORDING_DELAY_NS)) return undefined;
  const ofOwners = wire.keys.filter(
    (state) => isNamed(state.key, refusal.key) && ownerIn(state, history) !== undefined,
  );
  const last = [...Map.groupBy(ofOwners, ({ server, key }) => JSON.stringify([server, key])).keys()].map((name) =>
    wire.keys.findLast(({ server, key, atNs }) => JSON.stringify([server, key]) === name && atNs <= refusal.time),
  );
  const when = `when client-${clientNumber(refusal, history)} was refused`;
  for (const state of last) {
    const owner = state && ownerIn(state, history);
    if (state === undefined || owner === undefined) continue;
    const expiresNs = state.atNs + (state.expiresInNs ?? Infinity);
    if (expiresNs <= refusal.time) continue;
    const until = expiresNs === Infinity ? "without an expiry" : `until ${timeWords(expiresNs)}`;
    const { orElse: _, ...alone } = proven;
    return { ...alone, shown: `${when}, ${state.server} still held ${refusal.key} for ${owner}, ${until}` };
  }
  return undefined;
}

/** The refused try of the violation. */
function refusalIn({ events }: Violation, history: History) {
  const found = events.map((index) => history.events[index]);
  return found.findLast((event) => event?.type === "fail" && event.f === "acquire");
}

/** Whether a name on the server contains the key, and not only the beginning of another one, as that of `k10` contains `k1`. */
function isNamed(name: string, key: string): boolean {
  const parts = name.split(key);
  return parts.slice(1).some((after, index) => !/\w$/.test(parts[index] ?? "") && !/^\w/.test(after));
}

/** An owner value that a server may hold as a number of something else: of tickets, entries, or fencing tokens. */
const MAYBE_COUNTER = /^\d{1,9}$/;

/** The client whose owner value is all that it holds, or a part of it. */
function ownerIn({ value }: KeyState, history: History): string | undefined {
  if (value === undefined) return undefined;
  const grant = history.events.findLast(
    (event) =>
      event.type === "ok" &&
      event.f === "acquire" &&
      !MAYBE_COUNTER.test(event.value.owner) &&
      value.includes(event.value.owner),
  );
  return grant && `client-${clientNumber(grant, history)}`;
}
