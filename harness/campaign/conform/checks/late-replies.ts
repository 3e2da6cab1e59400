import { clientName } from "../../../core/topology.ts";
import type { ConformityCheck } from "../conformity.ts";
import { isGranted, LEASE_MS, replyWords, type Trial } from "../trial.ts";

/** Outlasts the time-outs of clients, and ends before `FREE_MS`. */
const HELD_MS = 20_000;
/** Told apart from the other leases by what is left of it. */
const FREE_MS = 60_000;
/** Time for the late replies to arrive. */
const ARRIVAL_MS = 500;
/** A client that has closed its connection may need some tries to have another. */
const TRIES = 3;

/**
 * A client that goes on with a connection after a time-out reads the late reply of that command as the answer to its next
 * one: each later answer is that to the command before.
 */
export const lateReplies: ConformityCheck = {
  name: "late-replies",
  asks: "a reply that comes after its time-out is not taken for the answer to the next command",
  async run(trial) {
    const { network } = trial.system;
    // Scripts are loaded and connections are made before.
    await trial.release(0, await trial.granted(0, { ttlMs: 1000 }));
    const edges = (await trial.masters()).map((from) => ({ from, to: clientName(0) }));
    for (const edge of edges) await network.cut(edge);
    const { reply: late } = await trial.acquire(0, { ttlMs: LEASE_MS });
    const held = await trial.granted(1, { ttlMs: HELD_MS, key: "k2" });
    for (const edge of edges) await network.heal(edge);
    if (late.ok) return trial.skip("acquire was granted although no reply could reach the client");
    if (late.kind === "indeterminate" && late.reason.startsWith("no answer from the driver"))
      return trial.skip(`${late.reason} to an acquire whose reply is late: set a shorter time-out for commands`);
    await trial.sleep(ARRIVAL_MS);

    const instead = "after a time-out, close the connection and make a new one";
    for (let left = TRIES; left > 0; left -= 1) {
      const before = await keysOf(trial);
      const { reply } = await trial.acquire(0, { ttlMs: HELD_MS, key: "k2" });
      if (isGranted(reply)) {
        // It took something: a lock of its own on another server, say. That is no answer to another command.
        if ((await keysOf(trial)).difference(before).size > 0) return;
        const granted = "after the reply to another acquire came late, a client was granted a lock that is held";
        return trial.mistakeWithin([held], `${granted}: ${instead}`);
      }
      if (!reply.ok && reply.kind !== "indeterminate") break;
    }
    const { reply } = await trial.acquire(0, { ttlMs: FREE_MS, key: "k3" });
    if (reply.ok || reply.kind !== "contended") return;
    const left = await trial.expiries();
    const holding = left.filter((leftMs) => leftMs > HELD_MS).length;
    if (holding <= left.length / 2) return;
    const words = `after the reply to another acquire came late, acquire of a free lock answered ${replyWords(reply)}`;
    trial.mistake(`${words}, and the servers hold it: ${instead}`);
  },
};

/** The keys of all servers that the lock is on. */
async function keysOf(trial: Trial): Promise<ReadonlySet<string>> {
  const nodes = await trial.masters();
  const keys = nodes.map(async (node) => {
    const each = (await trial.command(node, "KEYS", "*")) as readonly string[];
    return each.map((key) => `${node} ${key}`);
  });
  return new Set((await Promise.all(keys)).flat());
}
