/** Mutual exclusion and lease exclusion against their definitions, implemented a second time in the simplest way. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { HistoryEvent } from "../../history/history.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

/** More runs, with `LOCKSTORM_RANDOM_RUNS=200000`, take longer. */
const RUNS = Number(process.env["LOCKSTORM_RANDOM_RUNS"] ?? 3000);
const CLIENTS = 3;
const MS = 1_000_000;

const move = fc.record({
  client: fc.nat({ max: CLIENTS - 1 }),
  gap: fc.nat({ max: 60 }),
  action: fc.constantFrom("next", "next", "next", "next", "info", "fail", "lost", "kill", "write", "extend", "extend"),
  ttlMs: fc.constantFrom(20, 100, 400),
  validForMs: fc.option(fc.constantFrom(-5, 0, 10, 90), { nil: undefined }),
});

type Move = typeof move extends fc.Arbitrary<infer M> ? M : never;

/** A client of the random history, and what it is about to do. */
interface Client {
  process: number;
  owner: string | undefined;
  open: "acquire" | "extend" | "release" | "write" | undefined;
  ttlMs: number;
  dead: boolean;
}

/** Clients that acquire, extend, write and release as a lock may or may not have allowed them to. */
function recordingOf(moves: readonly Move[]): Recording {
  const recording = new Recording({ clients: CLIENTS });
  const clients = Array.from({ length: CLIENTS }, (_, process): Client => {
    return { process, owner: undefined, open: undefined, ttlMs: 0, dead: false };
  });
  let time = 0;
  let owners = 0;
  for (const { client: number, gap, action, ttlMs, validForMs } of moves) {
    time += gap;
    const client = clients[number]!;
    if (client.dead) continue;
    const { process, owner } = client;
    if (action === "kill") {
      recording.fault(time, "kill-client", { processes: [process] });
      client.dead = true;
    } else if (client.open === undefined) {
      if (action === "lost" && owner !== undefined) recording.lost(time, process, owner);
      else if (owner === undefined) recording.seek(time, process, { ttlMs });
      else if (action === "extend") recording.seekExtension(time, process, owner, ttlMs);
      else if (action === "write") recording.write(time, process, owner, `d${time}`);
      else recording.leave(time, process, owner);
      const next = owner === undefined ? "acquire" : action === "extend" || action === "write" ? action : "release";
      client.open = action === "lost" && owner !== undefined ? undefined : next;
      client.ttlMs = ttlMs;
    } else {
      const details = validForMs === undefined ? {} : { validForMs };
      if (action === "info") {
        recording.info(time, process, client.open);
        client.process += CLIENTS;
      } else if (action === "fail" && client.open === "acquire") recording.refused(time, process);
      else if (action === "fail" && client.open === "extend") recording.failExtension(time, process);
      else if (client.open === "acquire") {
        client.owner = `o${(owners += 1)}`;
        recording.granted(time, process, client.owner, details);
      } else if (client.open === "extend") recording.extended(time, process, owner!, details);
      else if (client.open === "write") recording.wrote(time, process, 1);
      else recording.left(time, process);
      if (client.open === "release") client.owner = undefined;
      client.open = undefined;
    }
  }
  return recording;
}

/** What the lock promised at one event: a lease that lasts until some time, in nanoseconds. */
interface Lease {
  readonly index: number;
  readonly time: number;
  readonly until: number;
}

interface DefinedHold {
  /** Event indices. */
  readonly granted: number;
  readonly definiteUntil: number;
  /** The event after which nothing more is promised. */
  readonly over: number;
  readonly leases: readonly Lease[];
}

function invocationOf(events: readonly HistoryEvent[], completion: HistoryEvent): HistoryEvent {
  const earlier = events
    .slice(0, completion.index)
    .findLast(({ process, type }) => process === completion.process && type === "invoke");
  if (earlier === undefined) throw new Error("every completion has an invocation");
  return earlier;
}

function ownerIn(events: readonly HistoryEvent[], event: HistoryEvent): string | undefined {
  if (event.type === "invoke" || event.type === "lost")
    return "owner" in (event.value ?? {}) ? (event.value as { owner?: string }).owner : undefined;
  if (event.type === "fault" || event.type === "audit" || event.f === "acquire") return undefined;
  return ownerIn(events, invocationOf(events, event));
}

/** Whether an operation is answered, at some time, by saying that it had no effect. */
function fails(events: readonly HistoryEvent[], { index, process }: HistoryEvent): boolean {
  return events.slice(index + 1).find((event) => event.process === process)?.type === "fail";
}

/** The lease that begins at an event; while an extension is only asked for, no longer than the one before, `most`. */
function leaseOf(events: readonly HistoryEvent[], event: HistoryEvent, most = Infinity): Lease {
  const { index, time } = event;
  const { time: asked, value } = event.type === "invoke" ? event : invocationOf(events, event);
  const ttl = (value as { ttlMs: number }).ttlMs * MS;
  const validForMs = event.type === "ok" ? (event.value as { validForMs?: number }).validForMs : undefined;
  return { index, time, until: Math.min(most, validForMs === undefined ? asked + ttl : time + validForMs * MS) };
}

/** When a lease began at the earliest: not before it was asked for, nor longer than its TTL before its end. */
function beginOf(events: readonly HistoryEvent[], event: HistoryEvent, { time, until }: Lease): number {
  const { time: asked, value } = invocationOf(events, event);
  const ttl = (value as { ttlMs: number }).ttlMs * MS;
  return until - time <= ttl ? Math.max(asked, until - ttl) : asked;
}

/**
 * The shortest TTL of the acquires of unknown outcome that may enter again, at any time, the hold that was granted at
 * `index`: those of its client, if no earlier grant shows that the client uses another owner value; in nanoseconds.
 */
function shortestReentry(events: readonly HistoryEvent[], index: number, client: number): number {
  const own = events
    .slice(0, index)
    .filter(({ process, f }) => f === "acquire" && typeof process === "number" && process % CLIENTS === client);
  if (own.some(({ type }) => type === "ok")) return Infinity;
  const unknown = own.filter(({ type }) => type === "info").map((event) => invocationOf(events, event));
  return Math.min(...unknown.map(({ value }) => (value as { ttlMs: number }).ttlMs * MS));
}

/** The shortest TTL of the extensions of unknown outcome of this owner value that ended before `index`; in nanoseconds. */
function shortestExtension(events: readonly HistoryEvent[], index: number, owner: string): number {
  const unknown = events
    .slice(0, index)
    .filter((event) => event.type === "info" && event.f === "extend" && ownerIn(events, event) === owner)
    .map((event) => invocationOf(events, event));
  return Math.min(...unknown.map(({ value }) => (value as { ttlMs: number }).ttlMs * MS));
}

function definedHolds(events: readonly HistoryEvent[]): readonly DefinedHold[] {
  const grants = events.flatMap((event) => (event.type === "ok" && event.f === "acquire" ? [event] : []));
  return grants.map((grant) => {
    const { owner } = grant.value;
    const client = grant.process % CLIENTS;
    const later = events.slice(grant.index + 1);
    const end = later.find(
      (event) =>
        ((event.type === "lost" || (event.type === "invoke" && event.f === "release")) &&
          ownerIn(events, event) === owner) ||
        (event.type === "fault" && (event.value.processes ?? []).some((process) => process % CLIENTS === client)),
    );
    const until =
      end ?? later.find((event) => event.type === "ok" && event.f === "acquire" && event.process % CLIENTS === client);
    const held = until === undefined ? later : later.slice(0, until.index - grant.index - 1);
    const signs = held.filter((event) => typeof event.process === "number" && ownerIn(events, event) === owner);
    const reentry = shortestReentry(events, grant.index, client);
    const leaseWith = (event: HistoryEvent): Lease => {
      const lease = leaseOf(events, event);
      const shortest = Math.min(reentry, shortestExtension(events, event.index, owner));
      return { ...lease, until: Math.min(lease.until, beginOf(events, event, lease) + shortest) };
    };
    const leases = [leaseWith(grant)];
    for (const event of held) {
      if (event.type === "fault" || event.f !== "extend" || ownerIn(events, event) !== owner) continue;
      const present = leases.at(-1)!.until;
      // The lease that was asked for may already be in force, and the answer may never come. One that fails changes nothing.
      if (event.type === "invoke") {
        if (!fails(events, event)) leases.push(leaseOf(events, event, present));
      } else if (event.type === "ok") leases.push(leaseWith(event));
    }
    // A client that is killed may have forgotten its hold long before.
    const given = end?.type === "fault" ? undefined : end;
    const definiteUntil = given?.index ?? signs.at(-1)?.index ?? grant.index;
    return { granted: grant.index, definiteUntil, over: until?.index ?? Infinity, leases };
  });
}

/** Whether a lease of `one` begins while `other` has one. */
function arePromised(one: DefinedHold, other: DefinedHold): boolean {
  return one.leases.some(({ index, time, until }) => {
    const present = other.leases.findLast((lease) => lease.index < index);
    return until > time && present !== undefined && present.until > time && index < other.over;
  });
}

function isExpired(event: HistoryEvent): boolean {
  return event.type === "ok" && (event.f === "acquire" || event.f === "extend") && (event.value.validForMs ?? 1) <= 0;
}

function pairs<T>(all: readonly T[]): readonly (readonly [T, T])[] {
  return all.flatMap((one, place) => all.slice(place + 1).map((other) => [one, other] as const));
}

interface Seen {
  exclusive: number;
  broken: number;
  overrun: number;
  /** Broken promises in histories with an extension that fails. */
  failed: number;
}

/** Compares the checkers with the definitions over random moves, and counts what was seen. */
function compared(moves: fc.Arbitrary<readonly Move[]>): Seen {
  const seen = { exclusive: 0, broken: 0, overrun: 0, failed: 0 };
  fc.assert(
    fc.property(moves, (drawn) => {
      const { history } = recordingOf(drawn);
      const holds = definedHolds(history.events);
      const together = pairs(holds).some(([first, second]) => second.granted < first.definiteUntil);
      const promisedTwice = pairs(holds).some(([one, other]) => arePromised(one, other) || arePromised(other, one));
      const { properties } = checkHistory(history);
      const none = holds.length === 0;
      const broken = promisedTwice || history.events.some(isExpired);
      expect(properties["mutual-exclusion"]?.verdict).toBe(none ? "not-applicable" : together ? "invalid" : "valid");
      expect(properties["lease-exclusion"]?.verdict).toBe(none ? "not-applicable" : broken ? "invalid" : "valid");
      seen.exclusive += together ? 0 : 1;
      seen.broken += broken ? 1 : 0;
      seen.overrun += together && !broken ? 1 : 0;
      seen.failed += broken && history.events.some(({ type, f }) => type === "fail" && f === "extend") ? 1 : 0;
    }),
    { numRuns: RUNS },
  );
  return seen;
}

it("are what their definitions say", { tags: "long" }, () => {
  const seen = compared(fc.array(move, { maxLength: 24 }));
  expect(Math.min(seen.exclusive, seen.broken, seen.overrun)).toBeGreaterThan(10);
});

it("are what their definitions say while an extension to a shorter lease is under way", { tags: "long" }, () => {
  const shortening = (["next", "next", "extend"] as const).map((action): Move => {
    return { client: 0, gap: 1, action, ttlMs: action === "extend" ? 20 : 400, validForMs: undefined };
  });
  const seen = compared(fc.array(move, { maxLength: 12, size: "max" }).map((moves) => [...shortening, ...moves]));
  expect(Math.min(seen.broken, seen.overrun, seen.failed)).toBeGreaterThan(10);
});
