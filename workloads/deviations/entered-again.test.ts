import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import type { Grant, LockDriver } from "../../harness/core/lock-driver.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { composeLock } from "../../lock-impl/parts/compose.ts";
import { ownedKey } from "../../lock-impl/parts/protocol.ts";
import { smallWorkloads } from "./workloads.ts";

const topology = topologySchema.parse({ kind: "single" });

/** How a lock that remembers by itself how often it was entered leaves a hold. */
interface Counter {
  enter(ttlMs: number): void;
  extend(ttlMs: number): void;
  /** Whether the lock is to be given back. */
  leave(): boolean;
}

/** A lock that its holder can enter again, and that asks a counter whether a release is the last one. */
function countedBy(counterOf: (ttlMs: number) => Counter): LockDriver {
  return {
    async connect(environment) {
      const lock = await composeLock({ protocol: ownedKey }).connect(environment);
      let held: { readonly grant: Grant; readonly counter: Counter } | undefined;
      const extend = async (grant: Grant, ttlMs: number) => (await lock.extend?.(grant, ttlMs)) ?? expect.unreachable();
      return {
        async acquire(key, options) {
          if (held?.grant.key === key) {
            held.counter.enter(options.ttlMs);
            return extend(held.grant, options.ttlMs);
          }
          const completion = await lock.acquire(key, options);
          if (completion.type === "ok") held = { grant: completion.value, counter: counterOf(options.ttlMs) };
          return completion;
        },
        extend(grant, ttlMs) {
          held?.counter.extend(ttlMs);
          return extend(grant, ttlMs);
        },
        async release(grant) {
          if (held !== undefined && !held.counter.leave()) return { type: "ok", value: { released: true } };
          held = undefined;
          return lock.release(grant);
        },
        [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
      };
    },
  };
}

/** Entries that are forgotten when the lease is over in which they were counted. */
function forgetful(ttlMs: number, isExtended: { readonly byEntry: boolean; readonly byExtension: boolean }): Counter {
  let entries = 1;
  let untilMs = performance.now() + ttlMs;
  return {
    enter(again) {
      entries = performance.now() < untilMs ? entries + 1 : 1;
      if (isExtended.byEntry) untilMs = performance.now() + again;
    },
    extend(again) {
      if (isExtended.byExtension) untilMs = performance.now() + again;
    },
    leave() {
      if (performance.now() < untilMs) entries -= 1;
      else entries = 0;
      return entries === 0;
    },
  };
}

/** The small workloads, without a fault, in which this lock breaks its word. */
async function breaking(driver: LockDriver): Promise<readonly string[]> {
  const options = { lock: "./mine.ts", topology, fencing: true, seed: 1, outlives: false };
  const broken: string[] = [];
  for (const { name, plan } of smallWorkloads(options, { extends: true, reenters: true })) {
    const { record } = await runSimulated(plan, { title: name, required: ["lease-exclusion"], driver });
    if (record.verdict.verdict === "invalid") broken.push(name);
  }
  return broken;
}

test("a lock that forgets how often it was entered when its first lease is over is left by an inner release", async () => {
  const driver = countedBy((ttlMs) => forgetful(ttlMs, { byEntry: false, byExtension: true }));
  expect(await breaking(driver)).toEqual(["entered again before the end of the lease"]);
});

test("so is one that forgets it when the lease is over that was extended", async () => {
  const driver = countedBy((ttlMs) => forgetful(ttlMs, { byEntry: true, byExtension: false }));
  expect(await breaking(driver)).toEqual(["extended, and entered again after the first lease"]);
});

test("a lock that knows only whether it was entered again is left by the second of three releases", async () => {
  const driver = countedBy(() => {
    let isInner = false;
    return {
      enter: () => void (isInner = true),
      extend: () => undefined,
      leave() {
        const isLast = !isInner;
        isInner = false;
        return isLast;
      },
    };
  });
  expect(await breaking(driver)).toEqual(["entered again within an entry"]);
});

test("a lock that counts its entries keeps its word", async () => {
  const driver = countedBy((ttlMs) => forgetful(ttlMs, { byEntry: true, byExtension: true }));
  expect(await breaking(driver)).toEqual([]);
});
