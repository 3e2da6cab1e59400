import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import type { LockDriver } from "../../harness/core/lock-driver.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { composeLock } from "../../lock-impl/parts/compose.ts";
import { ownedKey } from "../../lock-impl/parts/protocol.ts";
import { smallWorkloads } from "./workloads.ts";

const topology = topologySchema.parse({ kind: "single" });
const ASKS_AFTER_MS = 50;

/** A lock whose waiting clients stand in a queue, of which only the first one asks. Whoever gives up leaves it by this function. */
function queued(leave: (queue: string[], client: string) => void): LockDriver {
  const queue: string[] = [];
  return {
    async connect(environment) {
      const { client } = environment;
      queue.length = 0;
      const lock = await composeLock({ protocol: ownedKey }).connect(environment);
      return {
        async acquire(key, asked) {
          queue.push(client);
          for (const giveUpAt = performance.now() + asked.waitMs; ;) {
            const isFirst = queue[0] === client;
            const answer = isFirst ? await lock.acquire(key, { ...asked, waitMs: 0 }) : undefined;
            if (answer?.type === "ok") queue.shift();
            if (answer?.type === "ok") return answer;
            if (performance.now() >= giveUpAt) break;
            await new Promise((resolve) => setTimeout(resolve, ASKS_AFTER_MS));
          }
          leave(queue, client);
          return { type: "fail", kind: "contended", reason: "another client holds it, or stands before this one" };
        },
        release: (grant) => lock.release(grant),
        [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
      };
    },
  };
}

async function stuck(driver: LockDriver): Promise<readonly string[]> {
  const options = { lock: "./mine.ts", topology, fencing: true, seed: 1, outlives: true };
  const names: string[] = [];
  for (const { name, plan } of smallWorkloads(options, { extends: false, reenters: false })) {
    const { record } = await runSimulated(plan, { title: name, required: ["deadlock-freedom"], driver });
    if (record.verdict.verdict === "invalid") names.push(name);
  }
  return names;
}

test("a client that gives up leaves its own place in the queue, and not that of the one before it", async () => {
  expect(await stuck(queued((queue) => queue.shift()))).toEqual(["waited for by two, of whom the second one gives up"]);
  expect(await stuck(queued((queue, client) => queue.splice(queue.indexOf(client), 1)))).toEqual([]);
});
