import { composeLock } from "../compose.ts";
import type { Connection } from "../connection.ts";
import { majority } from "../quorum.ts";
import { RestartDelay } from "../restart-delay.ts";
import { redlockParts } from "./redlock.ts";

/** No lease may be longer; a server takes part when it has been up for longer than this. */
const LONGEST_LEASE_MS = 3_000;

const delay = new RestartDelay(LONGEST_LEASE_MS);

/** `redlock` on servers of which none takes part in the time after its start in which it may have forgotten a lease. */
export const driver = composeLock({
  ...redlockParts,
  protocol: delay.guard(redlockParts.protocol),
  prepare: untilMajorityUsable,
});

/** Resolves when so many servers may be used that locks can be granted. */
async function untilMajorityUsable(servers: readonly Connection[]): Promise<void> {
  const answers = await Promise.all(servers.map((server) => delay.usableInMs(server)));
  const waitsMs = answers.flatMap((answer) => (answer.type === "ok" ? [answer.value] : [])).sort((a, b) => a - b);
  const waitMs = waitsMs[majority(servers.length) - 1];
  if (waitMs === undefined) throw new Error("too few servers say how long they have been up");
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, Math.max(0, waitMs));
  await promise;
}
