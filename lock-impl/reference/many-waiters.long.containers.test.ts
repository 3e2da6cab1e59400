// @module-tag long
import { expect, test } from "vitest";
import { describeWithEngine } from "../../harness/containers/testing/engine-required.ts";
import { RealLocks, waits } from "../testing/real-locks.ts";
import type { HeldLock } from "./held-lock.ts";
import type { Locks } from "./locks.ts";

const real = RealLocks.forThisFile();

const CLIENTS = 10;
const WAITERS = 50;
const TURNS = 40;
/** A waiter that misses a wake-up sleeps for five more seconds. A busy machine passes the lock on sooner than that. */
const MISSED_WAKE_UP_MS = 4_000;

/** The outcomes of all operations. */
class Tally {
  readonly fencingTokens: number[] = [];
  readonly outcomes = { held: 0, contended: 0, aborted: 0 };
  longestFreeMs = 0;
  #inside = 0;
  #freedAtMs = performance.now();

  entered({ fencingToken }: HeldLock): void {
    this.#inside += 1;
    expect(this.#inside).toBe(1);
    this.fencingTokens.push(fencingToken ?? 0);
    this.longestFreeMs = Math.max(this.longestFreeMs, performance.now() - this.#freedAtMs);
  }

  left(): void {
    this.#inside -= 1;
    this.#freedAtMs = performance.now();
  }
}

/**
 * Asks for the lock in one of five ways; undefined when another client held it for too long, or when it gave up itself.
 */
async function ask(locks: Locks, way: number, { outcomes }: Tally): Promise<HeldLock | undefined> {
  switch (way % 5) {
    case 0:
      return locks.lock("k");
    case 1:
      return locks.lock("k", { leaseMs: 20_000 });
    case 2:
      return locks.tryLock("k", 60_000);
    case 3: {
      const held = await locks.tryLock("k", way % 7);
      if (held === undefined) outcomes.contended += 1;
      return held;
    }
    default: {
      const signal = AbortSignal.timeout(1 + (way % 11));
      return locks.lock("k", { signal }).catch((error: unknown) => {
        if (error !== signal.reason) throw error;
        outcomes.aborted += 1;
        return undefined;
      });
    }
  }
}

async function wait(locks: Locks, index: number, tally: Tally): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) {
    const held = await ask(locks, turn + index, tally);
    if (held === undefined) continue;
    tally.entered(held);
    tally.outcomes.held += 1;
    if (turn % 10 === 0) await held.extend(20_000);
    tally.left();
    expect(await held.unlock()).toBe("released");
  }
}

describeWithEngine("fifty waiters, two thousand mixed operations", () => {
  test.each([
    ["message", "{k}:freed"],
    ["keyspace", "__keyspace@0__:k"],
  ] as const)("%s: no wake-up and no subscription is lost", async (waiting, channel) => {
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => real.connect({ waiting })));
    const tally = new Tally();
    await Promise.all(
      Array.from({ length: WAITERS }, (_, index) => {
        const locks = clients[index % CLIENTS];
        if (locks === undefined) throw new Error("no client");
        return wait(locks, index, tally);
      }),
    );
    const { held, contended, aborted } = tally.outcomes;
    expect(held + contended + aborted).toBe(WAITERS * TURNS);
    expect(Math.min(held, contended, aborted)).toBeGreaterThan(0);
    expect(tally.longestFreeMs).toBeLessThan(MISSED_WAKE_UP_MS);
    // Ascending and unique; a client that gave up at the last moment has used one up.
    expect(tally.fencingTokens).toEqual([...new Set(tally.fencingTokens)].toSorted((a, b) => a - b));
    await expect.poll(() => real.subscribers(channel), waits).toBe(0);
    await expect.poll(() => real.holder(), waits).toBeNull();
  });
});
