import { NANOSECONDS_PER_MS } from "../../harness/history/history.ts";
import type { Plan } from "../../harness/core/plan.ts";
import { clientName, dataNodes } from "../../harness/core/topology.ts";
import { type Base, type Deadlines, hasOutlived, isWanted } from "./base.ts";
import { type EventMoment, momentsAtEvents } from "./moments.ts";
import { rankOf, type Roles } from "./roles.ts";
import { waitsLong } from "./shape.ts";
import type { StrikePoint } from "./strike-points.ts";

/**
 * The moments at which another client is granted the lock that this one still holds beyond its lease. Nothing of its own happens
 * then, but its connection can break: a lock that restores what it held when it has connected again takes it from the other one.
 */
export function besideGrants({ plan, history, deadlines }: Base): readonly StrikePoint[] {
  return momentsAtEvents(history).flatMap((moment): readonly StrikePoint[] => {
    const { on, client, atNs } = moment;
    if (on !== "acquire:ok") return [];
    const atMs = atNs / NANOSECONDS_PER_MS;
    const outlived = deadlines.holds.filter(
      (hold) =>
        hold.client !== client && hold.fromMs < atMs && hold.toMs > atMs && hasOutlived(deadlines, hold.client, atMs),
    );
    return outlived.map((hold) =>
      breakOf(plan, moment, hold.client, "between, while another one is granted what this one has outlived"),
    );
  });
}

/**
 * The moments at which a client releases what another one waits for, in one request that goes on for long. Nothing of the waiting
 * one happens then, but its connection can break: a lock that tells by a message that it is free tells nobody whose connection is
 * broken. A client that asks anew has the lock all the same.
 */
export function besideReleases({ plan, history, deadlines }: Base): readonly StrikePoint[] {
  const patient = new Set(
    plan.clients.flatMap(({ sections }, at) => (sections.some(waitsLong) ? [clientName(at)] : [])),
  );
  return momentsAtEvents(history).flatMap((moment): readonly StrikePoint[] => {
    const { event, client, atNs } = moment;
    if (event.type !== "invoke" || event.f !== "release") return [];
    const atMs = atNs / NANOSECONDS_PER_MS;
    const waiting = deadlines.requests.filter(
      (own) =>
        own.client !== client &&
        patient.has(own.client) &&
        own.fromMs < atMs &&
        own.toMs > atMs &&
        own.key === event.key,
    );
    return waiting.map((own) =>
      breakOf(plan, moment, own.client, "between, while another one releases what this one waits for"),
    );
  });
}

/** A lock that ends with the connection of its client lets another one in, and nothing else shows it. */
const BOUND_RANK = -2;

/** The moments at which the first client of all is granted what another one asks for meanwhile: its connection can break then. */
export function besideHolds({ plan, history, deadlines }: Base, roles: Roles): readonly StrikePoint[] {
  return momentsAtEvents(history).flatMap((moment): readonly StrikePoint[] => {
    if (!isOfWantedHold(deadlines, roles, moment)) return [];
    const point = breakOf(plan, moment, moment.client, "between, while another one asks for what this one holds");
    return [{ ...point, rank: BOUND_RANK }];
  });
}

function isOfWantedHold(deadlines: Deadlines, roles: Roles, { on, client, trigger, atNs }: EventMoment): boolean {
  const isFirst = on === "acquire:ok" && roles.ofClient(trigger.client) === "first";
  return isFirst && isWanted(deadlines, client, atNs / NANOSECONDS_PER_MS);
}

/** A moment of one client at which a connection may break: its own, or that of another. */
function breakOf(plan: Plan, { trigger, on, client, atNs }: EventMoment, broken: string, sort: string): StrikePoint {
  return {
    ...notOfMessage(plan),
    at: trigger,
    words: `at ${client}'s ${on} ${trigger.count}, of ${broken}`,
    atMs: atNs / NANOSECONDS_PER_MS,
    client: broken,
    of: "both",
    isOfConnections: true,
    sort,
    rank: 0,
  };
}

/** What is said of a moment at which no message is sent. */
function notOfMessage({ topology, clients }: Plan) {
  return {
    clients: clients.length,
    phase: "between",
    servers: [...dataNodes(topology.kind)],
    changesHold: false,
    extendsHold: false,
    endsHold: false,
    beginsHold: false,
    splitsAcquire: false,
    decidesAcquire: false,
    isOfFurtherKey: false,
    isKeyless: false,
    isOfHalf: false,
    isOfWantedKey: false,
    isForWholeLease: false,
    isListening: false,
    isOfRenewer: false,
    isOfWantedHold: false,
  } as const;
}

/** The moments of operations at which no message is sent. */
export function betweenOperations({ plan, history, deadlines }: Base, roles: Roles): readonly StrikePoint[] {
  return momentsAtEvents(history).flatMap((moment): readonly StrikePoint[] => {
    const { event, on, trigger, client, of, atNs, operation } = moment;
    // Before a message of an operation, its moments say more than its invocation does; but not of a guarded write.
    if (event.type === "invoke" && event.f !== "write") return [];
    return [
      {
        ...notOfMessage(plan),
        at: trigger,
        words: `at ${client}'s ${on} ${trigger.count}`,
        atMs: atNs / NANOSECONDS_PER_MS,
        isOfWantedHold: isOfWantedHold(deadlines, roles, moment),
        client,
        of,
        sort: `between ${roles.ofClient(trigger.client)} ${roles.ofOperation(operation)} ${event.type}`,
        rank: rankOf(event.f),
      },
    ];
  });
}
