import { clientName } from "../../../core/topology.ts";
import type { ConformityCheck } from "../conformity.ts";
import { replyWords, LEASE_MS } from "../trial.ts";
import { beforeTheReply } from "../unheard.ts";
import { INDETERMINATE, INDETERMINATE_IF_SENT_AGAIN } from "../answers-in-words.ts";

/** A release whose reply is lost may have been applied, or not: nobody knows whether the lock was this owner's. */
export const lostRelease: ConformityCheck = {
  name: "lost-release",
  asks: "release whose reply is lost answers info",
  async run(trial) {
    const { network } = trial.system;
    // Scripts are loaded and connections are made before.
    await trial.release(0, await trial.granted(0, { ttlMs: LEASE_MS }));
    const grant = await trial.granted(0, { ttlMs: LEASE_MS });
    for (const from of await trial.masters()) await network.cut({ from, to: clientName(0) });
    const { reply, tookMs } = await trial.release(0, grant);
    const instead = `answer ${INDETERMINATE}`;
    if (reply.ok) {
      // An `ok` that does not say whether it released claims nothing.
      if (reply.released === undefined) return;
      trial.mistake(
        `release answered released: ${reply.released} although no reply could reach the client: ${instead}`,
      );
    } else if (reply.kind === "indeterminate") {
      if (!reply.reason.startsWith("no answer from the driver")) return;
      trial.remark(`${reply.reason} to a release whose reply is lost: set a shorter time-out for commands`);
    } else if (tookMs < LEASE_MS && (await trial.expiries()).every((leftMs) => leftMs === 0)) {
      // Before the lease could end, nothing but this release can have freed it.
      trial.mistake(`release answered ${replyWords(reply)}, and the servers freed its lock: ${instead}`);
    }
  },
};

/** The same where the connection breaks: a library that sends the release again finds nothing, because the first one was applied. */
export const brokenRelease: ConformityCheck = {
  name: "broken-release",
  asks: "release whose connection breaks before the reply does not say that it released nothing",
  async run(trial) {
    await trial.release(0, await trial.granted(0, { ttlMs: LEASE_MS }));
    const grant = await trial.granted(0, { ttlMs: LEASE_MS });
    const { reply, tookMs } = await beforeTheReply(trial, () => trial.release(0, grant));
    if (reply.ok ? reply.released !== false : reply.kind === "indeterminate") return;
    if (tookMs >= LEASE_MS || (await trial.expiries()).some((leftMs) => leftMs > 0) || trial.nowMs >= grant.untilMs)
      return;
    // Before the lease could end, nothing but this release can have freed it.
    const words = reply.ok ? "released: false" : replyWords(reply);
    trial.mistake(
      `release answered ${words} when its connection had broken, and the servers had freed its lock: answer ${INDETERMINATE_IF_SENT_AGAIN}`,
    );
  },
};
