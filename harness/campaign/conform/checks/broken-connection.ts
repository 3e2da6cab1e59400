import { clientName } from "../../../core/topology.ts";
import type { ConformityCheck } from "../conformity.ts";
import { grantedInTime } from "../granted-in-time.ts";
import { mistakeShownByAGrant } from "../shown-by-a-grant.ts";
import { KEY, LEASE_MS } from "../trial.ts";

/** Longer than a client takes to connect again, and short beside the lease. */
const RECONNECTED_MS = 1000;
const GIVEN_UP =
  "another client was granted the lock within the lease of its holder, whose connections had been reset, and the holder was not told: if the library gives the lock up then, and says so by an event or a signal, report it by onLost";

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
    // Some libraries release what they hold after any error of their Redis client: the holder must hear of it.
    if (!isTold) await mistakeShownByAGrant(trial, grant, [1, 2], KEY, GIVEN_UP);
    await trial.sleep(LEASE_MS);
    await trial.release(0, grant);
    await grantedInTime(
      trial,
      () => trial.acquire(0, { ttlMs: 1000, waitMs: 5000 }),
      "after its connections were reset, acquire answered",
    );
  },
};
