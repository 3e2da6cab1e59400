import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import type { Grant, LockDriver } from "../../harness/core/lock-driver.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { composeLock } from "../../lock-impl/parts/compose.ts";
import { ownedKey } from "../../lock-impl/parts/protocol.ts";
import { smallWorkloads } from "./workloads.ts";

const topology = topologySchema.parse({ kind: "single" });

test("a lock that forgets how often it was entered when its first lease is over is left by an inner release", async () => {
  const driver: LockDriver = {
    async connect(environment) {
      const lock = await composeLock({ protocol: ownedKey }).connect(environment);
      let held: { readonly grant: Grant; entries: number; readonly countedUntilMs: number } | undefined;
      return {
        async acquire(key, options) {
          if (held?.grant.key === key) {
            held.entries += 1;
            return (await lock.extend?.(held.grant, options.ttlMs)) ?? expect.unreachable();
          }
          const completion = await lock.acquire(key, options);
          if (completion.type === "ok")
            held = { grant: completion.value, entries: 1, countedUntilMs: performance.now() + options.ttlMs };
          return completion;
        },
        async release(grant) {
          const isCounted = held !== undefined && performance.now() < held.countedUntilMs;
          if (isCounted && held !== undefined && --held.entries > 0) return { type: "ok", value: { released: true } };
          held = undefined;
          return lock.release(grant);
        },
        [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
      };
    },
  };
  const options = { lock: "./mine.ts", topology, fencing: true, seed: 1, outlives: false };
  const broken: string[] = [];
  for (const { name, plan } of smallWorkloads(options, { extends: false, reenters: true })) {
    const { record } = await runSimulated(plan, { title: name, required: ["lease-exclusion"], driver });
    if (record.verdict.verdict === "invalid") broken.push(name);
  }
  expect(broken).toEqual(["entered again before the end of the lease"]);
});
