import { clientName } from "../../../core/topology.ts";
import type { ConformityCheck } from "../conformity.ts";
import { grantedInTime } from "../granted-in-time.ts";
import { type InForce, isGranted, LEASE_MS, type Trial } from "../trial.ts";

/** Longer than a client takes to connect again, and short beside the lease. */
const RECONNECTED_MS = 1000;

/** Connections break; that ends no lease, and is no reason for a client to end. */
export const brokenConnection: ConformityCheck = {
  name: "broken-connection",
  asks: "a connection that breaks ends neither a lease nor the client's process, and the client goes on",
  async run(trial) {
    const { system } = trial;
    let isTold = false;
    trial.client(0).onLost(() => (isTold = true));
    const grant = await trial.granted(0, { ttlMs: LEASE_MS });
    for (const { name } of system.nodes) await system.network.reset({ from: clientName(0), to: name });
    await trial.sleep(RECONNECTED_MS);
    if ((await trial.client(0).state()) === "dead") return;
    if (!isTold) await keptByItsHolder(trial, grant);
    await trial.sleep(LEASE_MS);
    await trial.release(0, grant);
    await grantedInTime(
      trial,
      () => trial.acquire(0, { ttlMs: 1000, waitMs: 5000 }),
      "after its connections were reset, acquire answered",
    );
  },
};

/**
 * Some libraries release what they hold after any error of their Redis client: the holder must hear of it. The next lease is as long,
 * because a shorter one is what ends the leases of others in some locks.
 */
async function keptByItsHolder(trial: Trial, grant: InForce): Promise<void> {
  const next = await trial.acquire(1, { ttlMs: LEASE_MS });
  if (!isGranted(next.reply)) return;
  trial.mistakeWithin(
    [grant],
    "another client was granted the lock within the lease of its holder, whose connections had been reset, and the holder was not told: if the library gives the lock up then, and says so by an event or a signal, report it by onLost",
  );
  await trial.release(1, next.reply);
}
