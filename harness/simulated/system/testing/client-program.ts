import type { LockClient, LockDriver, Servers } from "../../../core/lock-driver.ts";

/** Much longer than the program, so that no lease needs renewal, however slow the machine is. */
const TTL_MS = 60_000;
/** For a lock that only renews by itself, at 0.8 of its lease: it is held until it has renewed once. */
const RENEWED_TTL_MS = 7500;
const HOLD_MS = 6750;

/**
 * The actions of two clients of a lock, in turn and never at the same time: everything that a lock can do, and its
 * refusals. Returns how each step ended.
 * @param quiet resolves when every request is answered and nothing more is on its way. A lock on several servers
 * continues when most of them have answered; with this between two steps, the bytes on each connection do not depend on
 * which server was last.
 */
export async function runProgram(
  driver: LockDriver,
  servers: Servers,
  quiet: () => Promise<void>,
): Promise<readonly string[]> {
  await using one = await driver.connect({ client: "client-0", servers });
  await using other = await driver.connect({ client: "client-1", servers });
  await quiet();
  const ttlMs = one.extend === undefined ? RENEWED_TTL_MS : TTL_MS;
  const outcomes: string[] = [];
  const take = async (client: LockClient, key: string) => {
    const reply = await client.acquire(key, { ttlMs, waitMs: 0, signal: new AbortController().signal });
    await quiet();
    outcomes.push(`acquire ${key}: ${reply.type}`);
    return reply.type === "ok" ? reply.value : undefined;
  };
  const free = async (client: LockClient, grant: Awaited<ReturnType<typeof take>>): Promise<void> => {
    if (grant === undefined) return;
    const reply = await client.release(grant);
    await quiet();
    outcomes.push(`release: ${reply.type} ${reply.type === "ok" ? reply.value.released : ""}`);
  };

  const first = await take(one, "k1");
  await take(other, "k1");
  await free(other, await take(other, "k2"));
  if (first !== undefined) {
    const extended = await one.extend?.(first, ttlMs);
    outcomes.push(`extend: ${extended?.type}`);
    if (extended === undefined) await new Promise((resolve) => void setTimeout(resolve, HOLD_MS));
    await quiet();
  }
  await free(one, first);
  await free(other, await take(other, "k1"));
  return outcomes;
}
