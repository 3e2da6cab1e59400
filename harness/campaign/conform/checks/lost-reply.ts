import { clientName } from "../../../core/topology.ts";
import type { ConformityCheck } from "../conformity.ts";
import { replyWords } from "../trial.ts";

const TTL_MS = 60_000;
/** Time for the driver to take its request back. */
const UNDOING_MS = 2000;

/** A request whose reply is lost may have been applied: nobody may say that it was not. */
export const lostReply: ConformityCheck = {
  name: "lost-reply",
  asks: "acquire whose reply is lost answers info, unless the lock is certainly not held",
  async run(trial) {
    const { system } = trial;
    // Scripts are loaded and connections are made before.
    await trial.release(0, await trial.granted(0, { ttlMs: 1000 }));
    const nodes = await trial.masters();
    for (const from of nodes) await system.network.cut({ from, to: clientName(0) });
    const { reply } = await trial.acquire(0, { ttlMs: TTL_MS });
    if (reply.ok) {
      trial.mistake("acquire was granted although no reply could reach the client");
      return;
    }
    if (reply.kind === "indeterminate") {
      if (reply.reason.startsWith("no answer from the driver")) {
        trial.remark(`${reply.reason} to an acquire whose reply is lost: set a shorter time-out for commands`);
      }
      return;
    }
    await trial.sleep(UNDOING_MS);
    const left = await trial.expiries();
    const holding = left.filter((leftMs) => leftMs > 0).length;
    if (holding > left.length / 2) {
      trial.mistake(`acquire answered ${replyWords(reply)}, and the servers hold its lock: answer { type: "info" }`);
    }
  },
};
