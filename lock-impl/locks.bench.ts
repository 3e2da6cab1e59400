/**
 * Acquire and release on one real Redis in a container, our locks and libraries in the same run. Alone: one client.
 * Eight clients: all contend for one key and release it at once, so the releasing client usually acquires it next.
 * Handover: how long a lock is free between one holder and the next waiter. The server counts the requests. The bound
 * is the time of two round trips: no lock can acquire and release with fewer.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Benchmark } from "../harness/bench/benchmark.ts";
import { median } from "../harness/bench/statistics.ts";
import type { Cell, Table } from "../harness/bench/table.ts";
import type { Address, LockClient } from "../harness/core/lock-driver.ts";
import { findLock } from "./registry.ts";
import { RealServers } from "./testing/real-redis.ts";

const LOCKS = ["single", "fenced", "reference", "redlock4", "redlock5", "redis-semaphore"];
const UNCONTENDED_CYCLES = 3_000;
const CONTENDERS = 8;
const CONTENDED_CYCLES = 4_000;
const ROUNDS = 5;
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

/** How often the server has read from a client: once per request, since no client here sends two at once. */
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

async function clientsOf(name: string, count: number, address: Address): Promise<LockClient[]> {
  const driver = await findLock(name)?.load();
  if (driver === undefined) throw new Error(`no lock ${name}`);
  const connecting = Array.from({ length: count }, (_, index) =>
    driver.connect({ client: `client-${index}`, servers: { kind: "single", address } }),
  );
  return Promise.all(connecting);
}

/** Milliseconds between the release by one client and the grant to another that has been waiting. */
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
  return gapsMs;
}

/** One lock with its clients, and what was measured of it. */
interface Entrant {
  readonly name: string;
  readonly clients: readonly LockClient[];
  readonly alone: Measured[];
  readonly together: Measured[];
}

async function enter(name: string, address: Address): Promise<Entrant> {
  const clients = await clientsOf(name, CONTENDERS, address);
  await Promise.all(clients.map((client) => cycles(client, `warm-up of ${name}`, 50)));
  return { name, clients, alone: [], together: [] };
}

async function round(redis: Redis, { clients, alone, together }: Entrant): Promise<void> {
  const [first] = clients;
  if (first === undefined) throw new Error("no client");
  alone.push(await measure(redis, UNCONTENDED_CYCLES, () => cycles(first, "alone", UNCONTENDED_CYCLES)));
  const contend = async (): Promise<void> => {
    await Promise.all(clients.map((client) => cycles(client, "together", CONTENDED_CYCLES / CONTENDERS)));
  };
  together.push(await measure(redis, CONTENDED_CYCLES, contend));
}

async function pings(redis: Redis): Promise<void> {
  for (let cycle = 0; cycle < 2 * UNCONTENDED_CYCLES; cycle += 1) await redis.ping();
}

function shown(prefix: string, measured: readonly Measured[]): Record<string, Cell> {
  return {
    [`${prefix}PerSecond`]: measured.map(({ perSecond }) => perSecond),
    [`${prefix}Requests`]: median(measured.map(({ requestsPerCycle }) => requestsPerCycle)),
  };
}

export const benchmark: Benchmark = {
  async *run({ effort, step, signal }): AsyncGenerator<Table> {
    await using real = await RealServers.start(1);
    const { redis, address } = real.first;
    const entrants = await Promise.all(LOCKS.map((name) => enter(name, address)));
    const bounds: Measured[] = [];
    // Round by round, so that other load on the machine affects all locks alike.
    for (let count = 1; count <= ROUNDS * effort; count += 1) {
      bounds.push(await measure(redis, UNCONTENDED_CYCLES, () => pings(redis)));
      for (const entrant of entrants) {
        signal.throwIfAborted();
        step(`round ${count}, ${entrant.name}`);
        await round(redis, entrant);
      }
    }
    const rows: Table["rows"][number][] = [{ lock: "(two PINGs)", ...shown("alone", bounds) }];
    for (const { name, clients, alone, together } of entrants) {
      step(`handovers, ${name}`);
      const handoverMs = await handovers(clients);
      rows.push({ lock: name, ...shown("alone", alone), ...shown("together", together), handoverMs });
      await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
    }
    yield {
      title: "Acquire and release on a real Redis: median [least..most]",
      columns: [
        { key: "lock", title: "lock" },
        { key: "alonePerSecond", title: "alone: cycles/s" },
        { key: "aloneRequests", title: "requests/cycle", digits: 2 },
        { key: "togetherPerSecond", title: `${CONTENDERS} clients: cycles/s` },
        { key: "togetherRequests", title: "requests/cycle", digits: 2 },
        { key: "handoverMs", title: "handover, ms", digits: 1 },
      ],
      rows,
    };
  },
};
