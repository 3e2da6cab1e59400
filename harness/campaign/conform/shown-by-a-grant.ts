import { type InForce, isGranted, LEASE_MS, type Trial } from "./trial.ts";

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
    trial.mistakeWithin([held], "a second client was granted a lock that is held");
  else trial.mistakeWithin([held], what);
  await trial.release(client, next.reply, key);
}
