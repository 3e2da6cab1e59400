import { expect, it } from "vitest";
// First: it patches the platform.
import { proveSimulated, runSimulated } from "../campaign/run-simulated.ts";
import type { Grant, LockDriver } from "../core/lock-driver.ts";
import { planSchema } from "../core/plan.ts";
import { composeLock } from "../../lock-impl/parts/compose.ts";
import { ownedKey } from "../../lock-impl/parts/protocol.ts";

/** A lock that its holder may enter again, and whose every release deletes the key. */
const countsNoEntries: LockDriver = {
  async connect(environment) {
    const lock = await composeLock({ protocol: ownedKey }).connect(environment);
    let held: Grant | undefined;
    return {
      async acquire(key, options) {
        if (held?.key === key) return (await lock.extend?.(held, options.ttlMs)) ?? expect.unreachable();
        const completion = await lock.acquire(key, options);
        if (completion.type === "ok") held = completion.value;
        return completion;
      },
      async release(grant) {
        const completion = await lock.release(grant);
        held = undefined;
        return completion;
      },
      [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
    };
  },
};

it("an inner release after which the lock was granted to another is proven to have freed it", async () => {
  const section = { key: "k1", ttlMs: 3000, waitMs: 1000, steps: [] };
  const plan = planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 1,
    lock: "./mine.ts",
    topology: { kind: "single" },
    clients: [
      {
        sections: [
          {
            ...section,
            steps: [
              { do: "reenter", ttlMs: 3000, steps: [] },
              { do: "hold", forMs: 900 },
            ],
          },
        ],
      },
      { sections: [{ ...section, after: { atMs: 20 } }] },
    ],
    faults: [],
  });
  const options = { driver: countsNoEntries };
  const run = await proveSimulated(
    await runSimulated(plan, { title: "", required: ["lease-exclusion"], ...options }),
    options,
  );
  const [violation] = run.record.verdict.properties["lease-exclusion"]?.violations ?? [];
  expect(violation).toMatchObject({ cause: "double-grant", proof: { standing: "proven" } });
  expect(violation?.explanation).toMatch(/an inner release at [\d.]+ ms, which must leave it locked, ended its hold\./);
});
