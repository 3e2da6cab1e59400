import { movesClocks } from "../core/fault-traits.ts";
import { topologyOf } from "../core/topologies/registry.ts";
import type { Arrangement } from "../core/topologies/topology.ts";
import type { WireRecord } from "../core/messages/wire-record.ts";
import type { Change, Hypothesis, Proof, Violation } from "../core/verdict.ts";
import { timeWords } from "../check/words.ts";
import { FaultTimeline, RECORDING_DELAY_NS } from "../history/fault-timeline.ts";
import type { HistoryEvent } from "../history/history.ts";
import { shown } from "./counterfactual-runs.ts";
import { denialIn, deniedHolder, probedIn, stillHeldInWords, wronglyDenied } from "./denied-holder.ts";
import type { Grounds } from "./told-apart.ts";

type Told = { readonly hypothesis: Hypothesis; readonly proof: Proof };

/**
 * The answer itself is the cause if a holder was told that it holds nothing, while another owner is refused, or while the server
 * held the lock for it. Then nothing took the lock away, whatever else the run without it would show.
 */
export async function toldNothing(grounds: Grounds, violation: Violation): Promise<Told | undefined> {
  return (await refusedToAnother(grounds, violation)) ?? heldAllAlong(grounds, violation);
}

async function refusedToAnother({ run, runs }: Grounds, violation: Violation): Promise<Told | undefined> {
  const denied = deniedHolder(violation, run.history);
  if (denied === undefined) return undefined;
  const change: Change = { kind: "with-probe", client: denied.client, ordinal: denied.ordinal };
  const probe = await runs.of(change);
  if (probe === undefined || probedIn(probe.history, denied) !== "held") return undefined;
  const other = shown(change, probe);
  const dropped = (violation.hypotheses ?? []).map(({ cause, why }) => ({ cause, why, run: other }));
  const proof: Proof = { standing: "proven", by: stillHeldInWords(denied), run: other, dropped };
  return { hypothesis: wronglyDenied(denied), proof };
}

/**
 * The server that answered held the lock for its owner until after that answer. Undefined where the record does not show it: if
 * several servers were asked, for owner values that only the driver knows, or if a clock was stepped.
 */
function heldAllAlong({ run: { plan, history }, wire }: Grounds, violation: Violation): Told | undefined {
  const denial = denialIn(violation, history);
  if (denial === undefined || wire === undefined || wire.leftOut > 0) return undefined;
  const { grant, release, answer } = denial;
  const isAsked = serversAsked(topologyOf(plan.topology.kind).arrangement, release, wire);
  if (isAsked === undefined) return undefined;
  const faults = FaultTimeline.of(history.events);
  if (faults.anyDuring(movesClocks, 0, answer.time + RECORDING_DELAY_NS)) return undefined;
  for (const states of Map.groupBy(wire.keys, ({ server, key }) => JSON.stringify([server, key])).values()) {
    const held = states.findLast(({ atNs }) => atNs <= answer.time);
    if (held === undefined || !isAsked(held.server) || held.atNs > release.time || !held.key.includes(grant.key))
      continue;
    if (held.value?.includes(grant.value.owner) !== true) continue;
    if (held.atNs + (held.expiresInNs ?? Infinity) <= answer.time) continue;
    const said = `${held.server} held ${grant.key} for that owner from ${timeWords(held.atNs)} on, and still did when the answer came`;
    const hypothesis = { ...wronglyDenied({ invoked: release.index }), shown: said };
    return { hypothesis, proof: { standing: "proven", by: said } };
  }
  return undefined;
}

/**
 * Which server answered this release: of several, the only one that it was sent to. Undefined if that is not known, or if the
 * lock counts the answers of several.
 */
function serversAsked(
  arrangement: Arrangement,
  { index }: HistoryEvent,
  { messages }: WireRecord,
): ((server: string) => boolean) | undefined {
  if (arrangement === "one-server") return () => true;
  if (arrangement !== "replicated") return undefined;
  const asked = new Set(
    messages.flatMap(({ operation, keys, server }) => (operation === index && keys.length > 0 ? [server] : [])),
  );
  return asked.size === 1 ? (server) => asked.has(server) : undefined;
}
