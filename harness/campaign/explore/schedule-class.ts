import { traitsOf } from "../../../faults/traits.ts";
import { disturbsUntilHealed, type FaultTraits } from "../../core/fault-traits.ts";
import { topologyOf } from "../../core/topologies/registry.ts";
import type { Plan } from "../../core/plan.ts";
import type { Verdict } from "../../core/verdict.ts";
import { type History, type HistoryEvent, NANOSECONDS_PER_MS } from "../../history/history.ts";
import { leaseOf } from "../../history/holds/lease.ts";
import { grantOf, OpenOperations } from "../../history/operations.ts";
import { Digest } from "./digest.ts";
import type { InputHistories } from "./input-histories.ts";

/** A run as an exploration compares it with others. */
interface Compared {
  readonly plan: Plan;
  readonly history: History;
  readonly verdict: Verdict;
  readonly inputs: InputHistories;
}

/**
 * The class of a schedule. Two schedules are of one class when each host had the same inputs in the same order, the
 * clients' events and the ends of their leases came in the same order, and the verdicts agree.
 *
 * Why one of a class is enough. An event belongs to one host, and what a host does depends on its inputs and its clock;
 * so two runs of one class differ in times only, and no difference of times has changed the order of any two events
 * that one host, or a checker, can tell apart. From the moment at which the last fault is healed they continue in the
 * same way. A fault that leaves something behind beside the inputs (a clock that stepped, data that were lost, a process
 * that was ended) is itself an input of the hosts it hit.
 *
 * The assumptions: jitter is that of the plan's seed; a later deviation that has a length is tried on each side of each
 * deadline of the run that it deviates from, not at the very times of another run of the class; the periodic work of a
 * server counts only by what it sends. With replication the servers' chatter among themselves is left out, since it
 * depends on how long a run lasts: there classes say which lengths are alike, and no schedule is left out because of them.
 */
export function classOf({ plan, history, verdict, inputs }: Compared): string {
  const digest = new Digest();
  const replicated = hasChatter(plan);
  for (const [host, all] of inputs.all()) if (!replicated || host.startsWith("client-")) digest.text(`${host} ${all}`);
  for (const line of orderOf(history)) digest.text(line);
  for (const event of history.events) {
    if (event.type !== "fault" || !leavesTraces(traitsOf(event.f))) continue;
    const { phase, targets } = event.value;
    digest.text(`${event.f} ${phase} ${JSON.stringify(plan.faults[event.value.step ?? -1]?.params ?? {})}`);
    for (const target of targets) digest.text(replicated ? target : inputs.before(target, event.time));
  }
  const outcomes = Object.entries(verdict.properties).map(([property, each]) => `${property} ${each.verdict}`);
  return digest
    .text(verdict.verdict)
    .text(outcomes.join())
    .text(history.end?.value.run ?? "")
    .value();
}

/** Whether the servers of a plan speak to each other. */
function hasChatter({ topology }: Pick<Plan, "topology">): boolean {
  return topologyOf(topology.kind).arrangement === "replicated";
}

/**
 * When the last fault stopped to matter by itself, in nanoseconds: `Infinity` while one is in force or left a trace.
 * Messages that a fault delayed may be on their way when it is healed: they matter until they have come.
 */
export function calmSince(plan: Plan, { events, end }: History): number {
  const stopped = end?.value.at ?? 0;
  const inForce = new Set<number>();
  let since = 0;
  for (const event of events) {
    if (event.type !== "fault") continue;
    const { step = -1, phase } = event.value;
    const traits = traitsOf(event.f);
    if (traits.clock !== undefined) return Infinity;
    if (phase === "start" && disturbsUntilHealed(traits)) inForce.add(step);
    // Faults that last to the end of the run are healed after it.
    if (phase === "heal" && event.time < stopped) inForce.delete(step);
    const { delayMs = 0 } = plan.faults[step]?.params ?? {};
    since = Math.max(since, event.time + Number(delayMs) * NANOSECONDS_PER_MS);
  }
  return inForce.size > 0 ? Infinity : since;
}

/** Whether the fault changes a host in another way than by its inputs and when they come. */
function leavesTraces({ kills, loses, clock, promotes }: FaultTraits): boolean {
  return kills !== undefined || loses !== undefined || clock !== undefined || promotes !== undefined;
}

/** What clients and the guarded resource did, and where leases end between it, without times. */
function orderOf({ events }: History): readonly string[] {
  const open = new OpenOperations();
  const lines: { readonly atNs: number; readonly line: string }[] = [];
  for (const event of events) {
    const invocation = open.push(event);
    if (event.type === "fault" || event.type === "notice") continue;
    lines.push({ atNs: event.time, line: lineOf(event) });
    const grant = grantOf(event, invocation);
    if (grant !== undefined) lines.push({ atNs: leaseOf(grant).end, line: `end of the lease of ${event.process}` });
    else if (event.type === "ok" && event.f === "extend" && invocation?.f === "extend")
      lines.push({ atNs: leaseOf({ invocation, completion: event }).end, line: `end of ${event.process}'s new lease` });
  }
  // Stable: events of one instant stay in their order.
  return lines.toSorted((one, other) => one.atNs - other.atNs).map(({ line }) => line);
}

/** The ends of leases that a run saw, in nanoseconds. */
export function leaseEnds({ events }: History): readonly number[] {
  const open = new OpenOperations();
  return events.flatMap((event) => {
    const grant = grantOf(event, open.push(event));
    return grant === undefined ? [] : [leaseOf(grant).end];
  });
}

function lineOf({ process, type, f, value }: Exclude<HistoryEvent, { type: "fault" | "notice" }>): string {
  // A reason may say how long something took.
  const { validForMs: _, grantedAt: __, reason: ___, ...timeless } = (value ?? {}) as Record<string, unknown>;
  return `${process} ${f ?? ""} ${type} ${JSON.stringify(timeless)}`;
}
