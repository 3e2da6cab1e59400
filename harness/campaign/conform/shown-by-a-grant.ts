import { type InForce, isGranted, LEASE_MS, type Trial } from "./trial.ts";

const GRANTED_TWICE = "a second client was granted a lock that is held";

/**
 * What is a mistake because another client is granted what somebody holds: somebody else's lock was freed. A lock that grants
 * what it has granted to that client as well frees nothing: it does not look, and `contention` says so.
 *
 * @param held the lease that must be in force
 * @param clients the client that asks, and the one that asks for what the first was granted
 */
export async function mistakeShownByAGrant(
  trial: Trial,
  held: InForce,
  [client, beside]: readonly [number, number],
  key: string,
  what: string,
): Promise<void> {
  const next = await trial.acquire(client, { ttlMs: LEASE_MS, key });
  if (!isGranted(next.reply)) return;
  if (isGranted((await trial.acquire(beside, { ttlMs: LEASE_MS, key })).reply))
    trial.mistakeWithin([held], GRANTED_TWICE);
  else trial.mistakeWithin([held], what);
  await trial.release(client, next.reply, key);
}

/** Whether a second client is granted what one holds: that is a mistake, and nothing shows how long a lease of such a lock is. */
export async function isGrantedTwice(trial: Trial, clients: readonly [number, number], key: string): Promise<boolean> {
  const [client, other] = clients;
  const held = await trial.acquire(client, { ttlMs: LEASE_MS, key });
  if (!isGranted(held.reply)) return false;
  const beside = await trial.acquire(other, { ttlMs: LEASE_MS, key });
  if (isGranted(beside.reply)) {
    trial.mistakeWithin([held], GRANTED_TWICE);
    await trial.release(other, beside.reply, key);
  }
  await trial.release(client, held.reply, key);
  return isGranted(beside.reply);
}
