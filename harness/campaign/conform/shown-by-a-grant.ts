import { type InForce, isGranted, LEASE_MS, type Trial } from "./trial.ts";

const GRANTED_TWICE = "a second client was granted a lock that is held";

/** A key that no check asks for: what a lock does with it shows whether it looks at all. */
const CONTROL_KEY = "k9";

/**
 * What is a mistake because another client is granted what somebody holds: somebody else's lock was freed. A lock that grants
 * any key to several clients frees nothing: it does not look, or it has room for them, and `contention` says so.
 *
 * @param held the lease that must be in force
 * @param clients the client that asks, and the one that asks for what the first was granted
 */
export async function mistakeShownByAGrant(
  trial: Trial,
  held: InForce,
  clients: readonly [number, number],
  key: string,
  what: string,
): Promise<void> {
  const [client] = clients;
  const next = await trial.acquire(client, { ttlMs: LEASE_MS, key });
  if (!isGranted(next.reply)) return;
  const grantedAtMs = trial.nowMs;
  if (!(await isGrantedTwice(trial, clients, CONTROL_KEY))) trial.mistakeWithin([held], what, grantedAtMs);
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
