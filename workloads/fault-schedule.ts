import fc, { type Arbitrary } from "fast-check";
import type { Fault } from "../harness/core/fault.ts";
import type { FaultStep, PlanInput } from "../harness/core/plan.ts";
import { topologyOf } from "../harness/core/topologies/registry.ts";
import type { TopologySpec } from "../harness/core/topology.ts";
import {
  type EventTrigger,
  isMessageTrigger,
  MESSAGE_MOMENTS,
  type MessageTrigger,
  type Trigger,
} from "../harness/core/trigger.ts";

type ClientInputs = PlanInput["clients"];

/** A fault as it is drawn, before the clients and their operations are known. */
export interface DrawnFault {
  readonly kind: string;
  readonly params: Record<string, unknown>;
  readonly at: Trigger;
  readonly lastsMs: number;
  /** Whether it hits the client whose event it waits for, if it hits a client at all. */
  readonly aimed: boolean;
}

/** A command that clients send to servers, and how often a client sent it in one run. */
export interface SentCommand {
  readonly command: string;
  readonly times: number;
}

/** Events that faults wait for; an event that no client of a plan causes is replaced. */
const ANCHORS = [
  "acquire:invoke",
  "acquire:ok",
  "write:invoke",
  "write:ok",
  "extend:invoke",
  "release:invoke",
] as const;
const MOST_FAULTS = 3;
const SHORTEST_MS = 20;
const BRIEF_MS = 500;
/** Plans of a few critical sections end soon after this. */
const LATEST_MS = 1500;
/** How far into an operation: a request and its reply take about a quarter of a millisecond each way in simulation. */
const INTO_OPERATION_MS = [0.1, 0.2, 0.3, 0.5, 1];

/**
 * Schedules of up to three faults. Which kinds occur at all is drawn first (swarm testing, Groce et al. 2012): a plan
 * with many faults of one kind finds violations that a plan with a few of each kind does not. One schedule in ten has
 * no fault, which is also what shrinking tries first.
 */
export function faultSchedules(
  faults: readonly Fault[],
  topology: TopologySpec,
  clients: number,
  commands: readonly SentCommand[] = [],
): Arbitrary<readonly DrawnFault[]> {
  const { longestFaultMs } = topologyOf(topology.kind).workload;
  const possible = faults.flatMap((fault) => {
    const params = fault.arbitrary(topology, clients);
    return params === undefined ? [] : [drawnFault(fault.kind, params, trigger(clients, commands), longestFaultMs)];
  });
  if (possible.length === 0) return fc.constant([]);
  // Shrinking the kinds would draw all faults again and lose the failure.
  const drawn = fc.noShrink(fc.subarray(possible, { minLength: 1 })).chain((kinds) =>
    fc
      .array(fc.oneof(...kinds), { maxLength: MOST_FAULTS })
      // Not `minLength: 1`: with it, shrinking never takes the last of two away.
      .filter((faults) => faults.length > 0),
  );
  return fc.oneof({ withCrossShrink: true }, fc.constant([]), { weight: 9, arbitrary: drawn });
}

function drawnFault(
  kind: string,
  params: Arbitrary<Record<string, unknown>>,
  at: Arbitrary<Trigger>,
  longestMs: number,
): Arbitrary<DrawnFault> {
  return fc.record({
    kind: fc.constant(kind),
    params,
    at,
    // Many faults are over while the operations that they hit are still under way.
    lastsMs: fc.oneof(
      fc.integer({ min: SHORTEST_MS, max: BRIEF_MS }),
      fc.integer({ min: SHORTEST_MS, max: longestMs }),
    ),
    aimed: fc.boolean(),
  });
}

/**
 * Mostly an event in the protocol, or a command on its way, as far as the lock's commands are known: a fault at a random
 * time seldom hits the moment that matters.
 */
function trigger(clients: number, commands: readonly SentCommand[]): Arbitrary<Trigger> {
  const anchored = fc.record(
    {
      on: fc.constantFrom(...ANCHORS),
      count: fc.integer({ min: 1, max: 4 }),
      client: fc.integer({ min: 0, max: clients - 1 }),
      afterMs: fc.constantFrom(...INTO_OPERATION_MS),
    },
    { requiredKeys: ["on", "count"] },
  );
  return fc.oneof(
    { weight: commands.length > 0 ? 2 : 4, arbitrary: anchored },
    ...(commands.length > 0 ? [{ weight: 2, arbitrary: atCommand(clients, commands) }] : []),
    { weight: 1, arbitrary: fc.record({ atMs: fc.integer({ min: 0, max: LATEST_MS }) }) },
  );
}

/** Of a client's commands of one name, mostly an early one: a caller may try again and again. */
const MOST_COUNT = 6;

function atCommand(clients: number, commands: readonly SentCommand[]): Arbitrary<Trigger> {
  return fc
    .record({
      sent: fc.constantFrom(...commands),
      moment: fc.constantFrom(...MESSAGE_MOMENTS),
      client: fc.integer({ min: 0, max: clients - 1 }),
      count: fc.integer({ min: 0, max: MOST_COUNT - 1 }),
    })
    .map(({ sent: { command, times }, moment, client, count }) => {
      return { moment, command, client, count: (count % Math.min(times, MOST_COUNT)) + 1 };
    });
}

/**
 * The drawn fault for these clients: it names only existing clients and waits for an event that these clients can
 * cause, because a fault that never comes proves nothing.
 */
export function faultStep({ kind, params, at, lastsMs, aimed }: DrawnFault, clients: ClientInputs): FaultStep {
  const fitted = "on" in at ? fit(at, clients) : isMessageTrigger(at) ? ofOneOf(clients, at) : at;
  const client = aimed && "client" in fitted ? fitted.client : undefined;
  const nameOf = (drawn: number): number => client ?? drawn % clients.length;
  return { kind, params: renamed(params, nameOf), at: fitted, until: later(fitted, lastsMs) };
}

function ofOneOf({ length }: ClientInputs, trigger: MessageTrigger): MessageTrigger {
  return { ...trigger, client: (trigger.client ?? 0) % length };
}

function fit(trigger: EventTrigger, clients: ClientInputs): EventTrigger {
  const { on, count = 1, afterMs } = trigger;
  const delay = afterMs === undefined ? {} : { afterMs };
  const client = trigger.client === undefined ? {} : { client: trigger.client % clients.length };
  const most = occurrences(on, client.client === undefined ? clients : clients.slice(client.client, client.client + 1));
  if (most === 0) return { on: "acquire:invoke", count: 1, ...client, ...delay };
  return { on, count: ((count - 1) % most) + 1, ...client, ...delay };
}

/** How often these clients cause the event, if all goes well. */
function occurrences(on: EventTrigger["on"], clients: ClientInputs): number {
  const sections = clients.flatMap((client) => client.sections);
  const [operation] = on.split(":");
  if (operation === "release") return sections.filter(({ release }) => release !== false).length;
  if (operation === "acquire") return sections.length;
  return sections.flatMap(({ steps }) => steps.filter((step) => step.do === operation)).length;
}

function later(trigger: Trigger, ms: number): Trigger {
  return "atMs" in trigger ? { atMs: trigger.atMs + ms } : { ...trigger, afterMs: (trigger.afterMs ?? 0) + ms };
}

function renamed(params: Record<string, unknown>, nameOf: (drawn: number) => number): Record<string, unknown> {
  const text = JSON.stringify(params).replaceAll(
    /"client-(\d+)"/g,
    (_, drawn: string) => `"client-${nameOf(Number(drawn))}"`,
  );
  return JSON.parse(text) as Record<string, unknown>;
}
