/**
 * `node lock-impl/locks.bench.ts`: acquire and release on one real Redis in a container, our locks beside libraries, all in
 * the same run. Alone: one client. Eight clients: all want one key and give it back at once, so that whoever frees it
 * mostly has it next. Handover: how long a lock lies free between one holder and the next that waits for it. Requests are
 * counted by the server. The bound is what two round trips take: no lock can take and free with fewer.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { LockClient } from "./driver.ts";
import { findLock } from "./registry.ts";
import { RealServers } from "./testing/real-redis.ts";

const LOCKS = ["single", "fenced", "reference", "redlock4", "redlock5", "redis-semaphore"];
const UNCONTENDED_CYCLES = 3_000;
const CONTENDERS = 8;
const CONTENDED_CYCLES = 400;
const ROUNDS = 3;
const HANDOVERS = 20;
const HOLD_MS = 60;
const LEASE_MS = 10_000;

const never = new AbortController().signal;

async function cycles(client: LockClient, key: string, count: number): Promise<void> {
  for (let cycle = 0; cycle < count; cycle += 1) {
    const completion = await client.acquire(key, { ttlMs: LEASE_MS, waitMs: 60_000, signal: never });
    if (completion.type !== "ok") throw new Error(completion.reason);
    await client.release(completion.value);
  }
}

/** How often the server has read from a client: once for each request, since no client here sends two at once. */
async function requestsRead(redis: Redis): Promise<number> {
  const [reads = 0] =
    /total_reads_processed:(\d+)/
      .exec(await redis.info("stats"))
      ?.slice(1)
      .map(Number) ?? [];
  return reads;
}

interface Measured {
  readonly perSecond: number;
  readonly requestsPerCycle: number;
}

async function measure(redis: Redis, count: number, work: () => Promise<void>): Promise<Measured> {
  const before = await requestsRead(redis);
  const startedAtMs = performance.now();
  await work();
  const tookMs = performance.now() - startedAtMs;
  // The first INFO itself counts too.
  const requests = (await requestsRead(redis)) - before - 1;
  return { perSecond: (count / tookMs) * 1_000, requestsPerCycle: requests / count };
}

function best(measured: readonly Measured[]): Measured {
  return measured.reduce((most, next) => (next.perSecond > most.perSecond ? next : most));
}

await using real = await RealServers.start(1);
const { redis, address } = real.first;

async function clientsOf(name: string, count: number): Promise<LockClient[]> {
  const driver = await findLock(name)?.load();
  if (driver === undefined) throw new Error(`no lock ${name}`);
  const connecting = Array.from({ length: count }, (_, index) =>
    driver.connect({ client: `client-${index}`, servers: { kind: "single", address } }),
  );
  return Promise.all(connecting);
}

/** Milliseconds between the release by one client and the grant to another that has waited for a while. */
async function handovers(clients: readonly LockClient[]): Promise<number[]> {
  const [from, to] = clients;
  if (from === undefined || to === undefined) throw new Error("two clients");
  const options = { ttlMs: LEASE_MS, waitMs: 60_000, signal: never };
  const gapsMs: number[] = [];
  for (let count = 0; count < HANDOVERS; count += 1) {
    const held = await from.acquire("handover", options);
    if (held.type !== "ok") throw new Error(held.reason);
    const next = to.acquire("handover", options).then((completion) => ({ completion, atMs: performance.now() }));
    await sleep(HOLD_MS * (1 + Math.random()));
    await from.release(held.value);
    const freedAtMs = performance.now();
    const { completion, atMs } = await next;
    gapsMs.push(Math.max(0, atMs - freedAtMs));
    if (completion.type === "ok") await to.release(completion.value);
  }
  return gapsMs.sort((a, b) => a - b);
}

/** One lock with its clients, and what was measured of it so far. */
interface Entrant {
  readonly name: string;
  readonly clients: readonly LockClient[];
  readonly alone: Measured[];
  readonly together: Measured[];
  handoverMs: number;
}

async function enter(name: string): Promise<Entrant> {
  const clients = await clientsOf(name, CONTENDERS);
  await Promise.all(clients.map((client) => cycles(client, `warm-up of ${name}`, 50)));
  return { name, clients, alone: [], together: [], handoverMs: 0 };
}

async function round({ clients, alone, together }: Entrant): Promise<void> {
  const [first] = clients;
  if (first === undefined) throw new Error("no client");
  alone.push(await measure(redis, UNCONTENDED_CYCLES, () => cycles(first, "alone", UNCONTENDED_CYCLES)));
  const contend = async (): Promise<void> => {
    await Promise.all(clients.map((client) => cycles(client, "together", CONTENDED_CYCLES / CONTENDERS)));
  };
  together.push(await measure(redis, CONTENDED_CYCLES, contend));
}

async function pings(): Promise<void> {
  for (let cycle = 0; cycle < 2 * UNCONTENDED_CYCLES; cycle += 1) await redis.ping();
}

const entrants = await Promise.all(LOCKS.map(enter));
const bounds: Measured[] = [];
// Round by round, so that whatever else the machine does hits all alike.
for (let count = 0; count < ROUNDS; count += 1) {
  bounds.push(await measure(redis, UNCONTENDED_CYCLES, pings));
  for (const entrant of entrants) await round(entrant);
}
for (const entrant of entrants) entrant.handoverMs = (await handovers(entrant.clients))[HANDOVERS / 2] ?? 0;
await Promise.all(entrants.flatMap(({ clients }) => clients).map((client) => client[Symbol.asyncDispose]()));

const shown = (measured: readonly Measured[]): readonly [number, string] => {
  const { perSecond, requestsPerCycle } = best(measured);
  return [Math.round(perSecond), requestsPerCycle.toFixed(2)];
};
console.table(
  [{ name: "(two PINGs)", alone: bounds, together: [] as Measured[], handoverMs: 0 }, ...entrants].map(
    ({ name, alone, together, handoverMs }) => {
      const [cyclesAlone, requestsAlone] = shown(alone);
      const [cyclesTogether, requestsTogether] = together.length === 0 ? ["", ""] : shown(together);
      return {
        lock: name,
        "alone: cycles/s": cyclesAlone,
        "requests/cycle": requestsAlone,
        [`${CONTENDERS} clients: cycles/s`]: cyclesTogether,
        "requests/cycle ": requestsTogether,
        "handover, median ms": together.length === 0 ? "" : handoverMs.toFixed(1),
      };
    },
  ),
);
