import type { LockClient, LockDriver, Servers } from "../../../../lock-impl/driver.ts";

/** Long beside the program, and short enough that the libraries that renew at 0.8 of it do so once. */
const TTL_MS = 2000;
const HOLD_MS = 2000;

/**
 * What two clients of a lock do in turn, never both at a time, so that what goes over their connections does not depend
 * on how fast anything is: all that a lock can do, and what it is refused. Gives how each step ended.
 */
export async function runProgram(driver: LockDriver, servers: Servers): Promise<readonly string[]> {
  await using one = await driver.connect({ client: "client-0", servers });
  await using other = await driver.connect({ client: "client-1", servers });
  const outcomes: string[] = [];
  const take = async (client: LockClient, key: string) => {
    const reply = await client.acquire(key, { ttlMs: TTL_MS, waitMs: 0, signal: new AbortController().signal });
    outcomes.push(`acquire ${key}: ${reply.type}`);
    return reply.type === "ok" ? reply.value : undefined;
  };
  const free = async (client: LockClient, grant: Awaited<ReturnType<typeof take>>): Promise<void> => {
    if (grant === undefined) return;
    const reply = await client.release(grant);
    outcomes.push(`release: ${reply.type} ${reply.type === "ok" ? reply.value.released : ""}`);
  };

  const first = await take(one, "k1");
  await take(other, "k1");
  const second = await take(other, "k2");
  if (first !== undefined) {
    const extended = await one.extend?.(first, TTL_MS);
    outcomes.push(`extend: ${extended?.type}`);
    // Long enough for whatever renews by itself to do so, once.
    if (extended === undefined) await new Promise((resolve) => void setTimeout(resolve, HOLD_MS));
  }
  await free(other, second);
  await free(one, first);
  await free(other, await take(other, "k1"));
  return outcomes;
}
