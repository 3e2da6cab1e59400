import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { composeLock } from "../../lock-impl/parts/compose.ts";
import { fencedKey, isOne, map, ownedKey, type Protocol } from "../../lock-impl/parts/protocol.ts";
import { scriptOf } from "../../lock-impl/parts/scripts.ts";
import { fieldsOfOneKey } from "../../lock-impl/testing/fields-of-one-key.ts";
import type { LockDriver } from "../../harness/core/lock-driver.ts";
import type { Property } from "../../harness/core/verdict.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { smallWorkloads, type Skills } from "./workloads.ts";

const topology = topologySchema.parse({ kind: "single" });
const plain: Skills = { extends: false, reenters: false };

/** The workloads in whose run without faults the lock does not keep the property. */
async function breaking(
  driver: LockDriver,
  property: Property,
  skills: Skills,
  { outlives = false, seed = 1 }: { readonly outlives?: boolean; readonly seed?: number } = {},
): Promise<readonly string[]> {
  const options = { lock: "./mine.ts", topology, fencing: true, seed, outlives };
  const names: string[] = [];
  for (const { name, plan } of smallWorkloads(options, skills)) {
    const { record } = await runSimulated(plan, { title: name, required: [property], driver });
    if (record.verdict.verdict !== "valid") names.push(name);
  }
  return names;
}

/** A lock of which each client has a protocol of its own. */
function perClient(protocol: () => Protocol): LockDriver {
  return { connect: (environment) => composeLock({ protocol: protocol() }).connect(environment) };
}

test("a sound lock keeps its promises in each of them", { tags: "long" }, async () => {
  const driver = composeLock({ protocol: ownedKey });
  for (const property of ["lease-exclusion", "deadlock-freedom", "linearizability"] as const) {
    expect(await breaking(driver, property, { ...plain, extends: true }, { outlives: true })).toEqual([]);
  }
});

test("a client asks for leases of two lengths", async () => {
  const always = (): Protocol => {
    let firstMs: number | undefined;
    const acquire: Protocol["acquire"] = (server, request) =>
      ownedKey.acquire(server, { ...request, ttlMs: (firstMs ??= request.ttlMs) });
    return { ...ownedKey, acquire };
  };
  expect(await breaking(perClient(always), "lease-exclusion", plain)).toEqual(["leases of two lengths"]);
});

test("two clients ask at one moment, which may be all that their owner values are made of", async () => {
  const byMoment = (): Protocol => {
    // When the client first asked for what it was granted, however often it then tried.
    let askedMs: number | undefined;
    const heldSince = new Map<string, number>();
    return {
      async acquire(server, request) {
        const sinceMs = (askedMs ??= Date.now());
        const answer = await ownedKey.acquire(server, { ...request, owner: `${sinceMs}` });
        if (answer.type !== "ok" || !answer.value.granted) return answer;
        heldSince.set(request.owner, sinceMs);
        askedMs = undefined;
        return answer;
      },
      release: (server, { key, owner }) => ownedKey.release(server, { key, owner: `${heldSince.get(owner)}` }),
    };
  };
  expect(await breaking(perClient(byMoment), "lease-exclusion", plain, { outlives: true })).toEqual([
    "beyond the lease, from one moment on",
    "released late again and again",
  ]);
});

test("a client takes another key for a shorter time, whose lease may be that of all keys", async () => {
  const driver = composeLock({ protocol: fieldsOfOneKey });
  expect(await breaking(driver, "lease-exclusion", plain)).toEqual(["a shorter lease of another key"]);
});

test("a client gives up waiting, and the lock is free for another one", async () => {
  const waitedFor = new Set<string>();
  const driver: LockDriver = {
    async connect(environment) {
      waitedFor.clear();
      const lock = await composeLock({ protocol: ownedKey }).connect(environment);
      return {
        async acquire(key, options) {
          if (waitedFor.has(key)) {
            await new Promise((resolve) => setTimeout(resolve, options.waitMs));
            return { type: "fail", kind: "contended", reason: "another one is first" };
          }
          const completion = await lock.acquire(key, options);
          if (completion.type !== "ok" && options.waitMs > 0) waitedFor.add(key);
          return completion;
        },
        release: (grant) => lock.release(grant),
        [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
      };
    },
  };
  expect(await breaking(driver, "deadlock-freedom", plain)).toEqual(["not waited for"]);
});

test("two clients wait for a lease that nobody gives back, of whom only one may take it over", async () => {
  const takeScript = scriptOf(`
    -- KEYS[1] lock, KEYS[2] lease, ARGV[1] owner value, ARGV[2] lease in ms, ARGV[3] whether a lock without a lease is taken over.
    if redis.call('EXISTS', KEYS[2]) == 1 and ARGV[3] == 'no' then return 'held' end
    if redis.call('EXISTS', KEYS[1]) == 1 and ARGV[3] == 'no' then return 'lapsed' end
    redis.call('SET', KEYS[1], ARGV[1])
    redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
    return 'taken'`);
  const giveScript = scriptOf(`
    -- KEYS[1] lock, KEYS[2] lease, ARGV[1] owner value.
    if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1], KEYS[2]) - 1 end
    return 0`);
  const takenOver: Protocol = {
    async acquire(server, { key, owner, ttlMs }) {
      const take = (over: string) => server.run(takeScript, [key, `${key}:lease`], owner, ttlMs, over);
      const first = await take("no");
      if (first.type !== "ok" || first.value !== "lapsed")
        return map(first, (found) => ({ granted: found === "taken" }));
      await new Promise((resolve) => setTimeout(resolve, 100));
      // The bug: nobody looks again whether the lease is still over.
      return map(await take("yes"), () => ({ granted: true }));
    },
    async release(server, { key, owner }) {
      return map(await server.run(giveScript, [key, `${key}:lease`], owner), isOne);
    },
  };
  const driver = composeLock({ protocol: takenOver });
  expect(await breaking(driver, "lease-exclusion", plain)).toEqual(["never released, and waited for by two"]);
});

test("two clients wait from one moment on, and find the key free in their later tries together", async () => {
  const driver: LockDriver = {
    async connect(environment) {
      let tries = 0;
      const checkedFirst: Protocol = {
        ...ownedKey,
        async acquire(server, request) {
          tries += 1;
          if (tries <= 3) return ownedKey.acquire(server, request);
          // The bug: between the check and the command that sets the key, another client may set it.
          const there = await server.command("EXISTS", request.key);
          if (there.type !== "ok" || there.value === 1) return map(there, () => ({ granted: false }));
          const set = await server.command("SET", request.key, request.owner, "PX", request.ttlMs);
          return map(set, () => ({ granted: true }));
        },
      };
      const lock = await composeLock({ protocol: checkedFirst }).connect(environment);
      return {
        async acquire(key, options) {
          const giveUpAtMs = performance.now() + options.waitMs;
          tries = 0;
          for (;;) {
            const completion = await lock.acquire(key, { ...options, waitMs: 0 });
            const isOver = options.signal.aborted || performance.now() >= giveUpAtMs;
            if (completion.type !== "fail" || isOver) return completion;
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
        },
        release: (grant) => lock.release(grant),
        [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
      };
    },
  };
  const broken = await breaking(driver, "lease-exclusion", plain, { seed: 3 });
  expect(broken).toEqual(["waited for by two from one moment on"]);
});

test("a client that comes back has a shorter lease than before", async () => {
  const driver: LockDriver = {
    async connect(environment) {
      const lock = await composeLock({ protocol: ownedKey }).connect(environment);
      const ends = new Map<string, number>();
      return {
        async acquire(key, options) {
          const completion = await lock.acquire(key, options);
          if (completion.type !== "ok") return completion;
          const { validForMs = 0, validFromMs = 0 } = completion.value;
          // The bug: the end of the lease before is remembered, if it is later.
          const endMs = Math.max(ends.get(key) ?? 0, validFromMs + validForMs);
          ends.set(key, endMs);
          return { ...completion, value: { ...completion.value, validForMs: endMs - validFromMs } };
        },
        release: (grant) => lock.release(grant),
        [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
      };
    },
  };
  expect(await breaking(driver, "lease-exclusion", plain, { outlives: true })).toEqual(["a longer lease before"]);
});

test("a client takes two keys, one after the other", async () => {
  const remembering = (): Protocol => {
    let last = 0;
    const acquire: Protocol["acquire"] = async (server, request) => {
      const answer = await fencedKey.acquire(server, request);
      if (answer.type !== "ok" || !answer.value.granted) return answer;
      // The bug: one memory of the largest token for all keys.
      last = Math.max(last, answer.value.fence ?? 0);
      return { ...answer, value: { granted: true, fence: last } };
    };
    return { ...fencedKey, acquire };
  };
  expect(await breaking(perClient(remembering), "fencing-tokens", plain)).toEqual(["two keys"]);
});

test("of two clients that wait, the first gives up", async () => {
  const queue: string[] = [];
  const driver: LockDriver = {
    async connect(environment) {
      queue.length = 0;
      const lock = await composeLock({ protocol: ownedKey }).connect(environment);
      return {
        async acquire(key, options) {
          const ticket = `${key} ${performance.now()} ${Math.random()}`;
          const isFirst = (): boolean => queue.every((other) => !other.startsWith(key) || other === ticket);
          queue.push(ticket);
          const giveUpAt = performance.now() + options.waitMs;
          while (!isFirst() && performance.now() < giveUpAt) await new Promise((resolve) => setTimeout(resolve, 50));
          // The bug: who gives up leaves the ticket in the queue.
          if (!isFirst()) return { type: "fail", kind: "contended", reason: "another one is first" };
          const completion = await lock.acquire(key, { ...options, waitMs: Math.max(0, giveUpAt - performance.now()) });
          if (completion.type === "ok") return { ...completion, value: { ...completion.value, ticket } };
          return completion;
        },
        async release(grant) {
          const { ticket } = grant as typeof grant & { readonly ticket: string };
          const completion = await lock.release(grant);
          queue.splice(queue.indexOf(ticket), 1);
          return completion;
        },
        [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
      };
    },
  };
  const broken = await breaking(driver, "deadlock-freedom", plain);
  expect(broken).toContain("waited for by two, of whom one gives up");
});

test("a lease is extended to a longer one", async () => {
  const asFirst = (): Protocol => {
    const askedMs = new Map<string, number>();
    return {
      ...ownedKey,
      acquire(server, request) {
        askedMs.set(request.owner, request.ttlMs);
        return ownedKey.acquire(server, request);
      },
      extend: (server, request) =>
        ownedKey.extend(server, { ...request, ttlMs: askedMs.get(request.owner) ?? request.ttlMs }),
    };
  };
  const broken = await breaking(perClient(asFirst), "lease-exclusion", { ...plain, extends: true });
  expect(broken).toEqual(["extended to a longer lease"]);
});

test("a lease is extended early, which a lock may take for too early to ask", async () => {
  const driver: LockDriver = {
    async connect(environment) {
      const lock = await composeLock({ protocol: ownedKey }).connect(environment);
      return {
        acquire: (key, options) => lock.acquire(key, options),
        release: (grant) => lock.release(grant),
        async extend(grant, ttlMs) {
          const now = performance.now();
          const leftMs = (grant.validFromMs ?? now) + (grant.validForMs ?? 0) - now;
          // The bug: the lease of the server ends as before.
          if (leftMs > ttlMs / 2) return { type: "ok", value: { ...grant, validForMs: ttlMs, validFromMs: now } };
          return lock.extend!(grant, ttlMs);
        },
        [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
      };
    },
  };
  const skills = { ...plain, extends: true };
  expect(await breaking(driver, "lease-exclusion", skills, { outlives: true })).toEqual([
    "extended twice, and then beyond the lease",
  ]);
});

test("a release comes when the lease of another one is about to end", async () => {
  const protocol: Protocol = {
    ...ownedKey,
    async release(server, request) {
      const left = await server.command("PTTL", request.key);
      const isAlmostOver = left.type === "ok" && Number(left.value) > 0 && Number(left.value) < 150;
      if (isAlmostOver) await server.command("DEL", request.key);
      return ownedKey.release(server, request);
    },
  };
  const broken = await breaking(composeLock({ protocol }), "lease-exclusion", plain, { outlives: true });
  expect(broken).toEqual(["released at the end of another's lease"]);
});

test("a lease is extended to a shorter one", async () => {
  const protocol: Protocol = { ...ownedKey, extend: (server, request) => ownedKey.extend(server, shorter(request)) };
  const broken = await breaking(
    composeLock({ protocol }),
    "lease-exclusion",
    { ...plain, extends: true },
    { outlives: true },
  );
  expect(broken).toEqual(["extended to a shorter lease"]);
});

/** What is asked of the server when a lease that would become shorter than the usual one becomes much shorter. */
function shorter<T extends { readonly ttlMs: number }>(request: T): T {
  return request.ttlMs < 1000 ? { ...request, ttlMs: request.ttlMs / 2 } : request;
}

test("an extension that comes too late makes the lease of another one shorter", async () => {
  const protocol: Protocol = {
    ...ownedKey,
    async extend(server, request) {
      await server.command("PEXPIRE", request.key, request.ttlMs);
      return ownedKey.extend(server, request);
    },
  };
  const broken = await breaking(
    composeLock({ protocol }),
    "lease-exclusion",
    { ...plain, extends: true },
    { outlives: true },
  );
  expect(broken).toEqual(["extended to a shorter lease, too late"]);
});

test("a client enters again when its lease is about to end", async () => {
  const driver: LockDriver = {
    async connect(environment) {
      const lock = await composeLock({ protocol: ownedKey }).connect(environment);
      let held:
        | { readonly grant: object & { readonly owner: string; readonly key: string }; depth: number }
        | undefined;
      return {
        async acquire(key, options) {
          if (held !== undefined) {
            held.depth += 1;
            return { type: "ok", value: { ...held.grant, validForMs: options.ttlMs, validFromMs: performance.now() } };
          }
          const completion = await lock.acquire(key, options);
          if (completion.type === "ok") held = { grant: completion.value, depth: 1 };
          return completion;
        },
        async release(grant) {
          if (held !== undefined && --held.depth > 0) return { type: "ok", value: { released: true } };
          held = undefined;
          return lock.release(grant);
        },
        [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
      };
    },
  };
  const broken = await breaking(driver, "lease-exclusion", { ...plain, reenters: true });
  expect(broken).toEqual(["entered again before the end of the lease"]);
});

test("a client holds for several leases if the lock tells that it renews them, though none is to outlive its lease", () => {
  const names = (skills: Partial<Skills>): readonly string[] =>
    smallWorkloads(
      { lock: "./mine.ts", topology, fencing: true, seed: 1, outlives: false },
      { ...plain, ...skills },
    ).map(({ name }) => name);
  const told = names({ renews: true, tellsRenewals: true });
  expect(told).toContain("renewed many times");
  expect(names({ renews: true })).toEqual(told.filter((name) => !name.startsWith("renewed")));
});
