import fc from "fast-check";
import type { Fault, FaultFocus, FaultParams, Way } from "../../harness/core/fault.ts";
import { disturbsUntilHealed } from "../../harness/core/fault-traits.ts";
import type { FaultStep } from "../../harness/core/plan.ts";
import { clientName } from "../../harness/core/topology.ts";
import type { Trigger } from "../../harness/core/trigger.ts";
import { type DeviationKind, deviationKindOf } from "./deviation.ts";
import type { DeviationMoment } from "./moments.ts";

/**
 * A fault with its parameters, for a client and the servers that it speaks to: every deviation is one of these at a
 * moment of a run, for some length. Hunts and explorations enumerate the same ones.
 */
export interface Family {
  readonly does: DeviationKind;
  /** The kind of the fault. */
  readonly kind: string;
  /** Of one message that is held alone they say nothing of the length. */
  readonly params: FaultParams;
  /** Which of the fault's parameters, in words. */
  readonly way: string;
  /** 0 for the most telling parameters: of those that hit the client, and of the others. */
  readonly choice: number;
  /** Of two directions in which a client can be hit, the second one: it shows other bugs at the same moment. */
  readonly isOtherWay: boolean;
  /** False for a fault that is over at once, or never. */
  readonly hasLength: boolean;
  /** The processes that it hits; a fault of links has none. */
  readonly hosts: readonly string[];
  /** Whether it names one of the servers that its client speaks to. */
  readonly hitsServers: boolean;
  /** Whether it hits some of these servers and spares others. One that names a role hits whoever has it. */
  readonly dividesServers: boolean;
  /** Whether it names its client and another one: each side of it reaches other servers. */
  readonly hasSides: boolean;
  /** The fault as it strikes at a moment. A family without a length leaves out `lengthMs`. */
  stepAt(at: Trigger, lengthMs?: number): FaultStep;
}

/**
 * What can be done to a client's clock comes in two directions, of which neither tells more: if it went forward, the client takes
 * others for late; if it went back, others take it for late. A server's clock that goes back ends no lease.
 */
const DIRECTIONS = 2;

/** How many parameters of a fault without `choices` are tried at each moment. */
const DRAWN = 3;

/** The families of a fault that hit a client or the servers that it speaks to, the most telling first. */
export function familiesOf(fault: Fault, focus: FaultFocus): readonly Family[] {
  const { kind, traits } = fault;
  const hasLength = disturbsUntilHealed(traits);
  const all = paramsFor(fault, focus);
  const hitsClient = (params: FaultParams): boolean => hostsHit(params).includes(focus.client);
  return all.map((params, place): Family => {
    // What hits the client tells as much as what hits servers: a lock may rest on either.
    const before = all.slice(0, place).filter((other) => hitsClient(other) === hitsClient(params)).length;
    const choice = hitsClient(params) ? Math.floor(before / DIRECTIONS) : before;
    return {
      ...reachOf(params, focus),
      does: deviationKindOf(traits),
      kind,
      params,
      way: `${kind} ${place}`,
      choice,
      isOtherWay: hitsClient(params) && before % DIRECTIONS > 0,
      hasLength,
      stepAt: (at, lengthMs) => {
        const until = lengthMs === undefined ? {} : { until: later(at, lengthMs) };
        return { kind, params, at, ...until };
      },
    };
  });
}

function paramsFor(fault: Fault, focus: FaultFocus): readonly FaultParams[] {
  if (fault.choices !== undefined) return fault.choices(focus);
  const drawn = fault.arbitrary(focus.topology, focus.clients);
  return drawn === undefined ? [] : fc.sample(drawn, { seed: 1, numRuns: DRAWN });
}

/** For how long a fault is in force that is to hold one message, in milliseconds. */
const INSTANT_MS = 1;

/**
 * The message of this moment, or its reply, held alone: what the same client sends later on another connection overtakes
 * it. Undefined where no message is about to leave, or the fault cannot do it.
 */
export function familyOfOneMessage(
  fault: Fault,
  { phase }: Pick<DeviationMoment, "phase">,
  focus: FaultFocus,
): Family | undefined {
  const { kind, holdsOne } = fault;
  const way = wayOf(phase);
  if (holdsOne === undefined || way === undefined) return undefined;
  const params = holdsOne(focus, way, 0);
  return {
    ...reachOf(params, focus),
    does: "hold-one-message",
    kind,
    params,
    way: `${kind} alone`,
    choice: 0,
    isOtherWay: false,
    hasLength: true,
    stepAt: (at, lengthMs = 0) => ({
      kind,
      params: holdsOne(focus, way, lengthMs),
      at,
      until: later(at, INSTANT_MS),
    }),
  };
}

/** Which way the message goes that is about to leave at a moment. */
function wayOf(phase: DeviationMoment["phase"]): Way | undefined {
  return phase === "send" ? "there" : phase === "after" ? "back" : undefined;
}

/**
 * Whether a family is distinguishable, at this moment, from the same one a moment later: a fault of a client's process
 * where that client is about to send or to read, one of a server where that server is about to apply or to answer. This
 * is sound: an event belongs to one host, so a fault of this host between two of its own inputs is the same fault
 * wherever between them it strikes.
 */
export function isBeside(
  { of, client }: Pick<DeviationMoment, "of" | "client">,
  { hosts }: Pick<Family, "hosts">,
): boolean {
  if (of === "both" || hosts.length === 0) return true;
  return of === (hosts.length === 1 && hosts[0] === client ? "client" : "server");
}

/** What a fault with these parameters reaches: there are few families and thousands of deviations, which all ask for it. */
function reachOf(
  params: FaultParams,
  { clients, servers }: FaultFocus,
): Pick<Family, "hosts" | "hitsServers" | "dividesServers" | "hasSides"> {
  const { targets = [], between = [] } = params;
  const sides: readonly unknown[] = [between].flat(2);
  const named: readonly unknown[] = [targets, sides].flat(2);
  const hit = servers.filter((server) => named.includes(server)).length;
  const names = Array.from({ length: clients }, (_, index) => clientName(index));
  return {
    hosts: hostsHit(params),
    hitsServers: hit > 0,
    dividesServers: hit > 0 && hit < servers.length,
    hasSides: names.filter((name) => sides.includes(name)).length > 1,
  };
}

/** The targets of a fault of processes; a fault of links has none. */
function hostsHit({ targets }: FaultParams): readonly string[] {
  return Array.isArray(targets) ? targets.map(String) : [];
}

function later(trigger: Trigger, ms: number): Trigger {
  return "atMs" in trigger ? { atMs: trigger.atMs + ms } : { ...trigger, afterMs: (trigger.afterMs ?? 0) + ms };
}
