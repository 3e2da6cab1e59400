// @module-tag long
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { zookeeperServer } from "../../harness/containers/servers/zookeeper-server.ts";
import { describeWithEngine } from "../../harness/containers/testing/engine-required.ts";
import type { Address, Completion, Grant, LockClient } from "../../harness/core/lock-driver.ts";
import { RealZooKeeper } from "../testing/real-zookeeper.ts";
import { Relay } from "../testing/relay.ts";
import { PacketSplitter } from "./zookeeper/jute.ts";
import { getChildren } from "./zookeeper/requests.ts";
import { queueOf } from "./zookeeper/queue.ts";
import { Session } from "./zookeeper/session.ts";
import { zookeeper as lock } from "./zookeeper.ts";

const AWHILE = { timeout: 20_000, interval: 10 };
const never = new AbortController().signal;
/** Long enough that no session ends by itself, however busy the machine is. */
const calm = { ttlMs: 30_000, waitMs: 0, signal: never };
const patient = { ...calm, waitMs: 30_000 };
/** Short enough to wait for its end, long enough for a busy machine to keep it. */
const short = { ...calm, ttlMs: 2_000 };

let zookeeper: RealZooKeeper;
let observer: Session;
let stack: AsyncDisposableStack;
let key: string;
let tests = 0;

beforeAll(async () => {
  zookeeper = await RealZooKeeper.start();
  observer = new Session(zookeeper.address, 60_000, () => {});
});
afterAll(async () => {
  await observer[Symbol.asyncDispose]();
  await zookeeper[Symbol.asyncDispose]();
});
beforeEach(() => {
  tests += 1;
  key = `key-${tests}`;
  stack = new AsyncDisposableStack();
});
afterEach(() => stack.disposeAsync());

async function client(address: Address = zookeeper.address): Promise<LockClient> {
  return stack.use(await (await lock.load()).connect({ client: "client-0", servers: { kind: "zookeeper", address } }));
}

async function relay(): Promise<Relay> {
  return stack.use(await Relay.to(zookeeper.address));
}

/** The content of the key's queue, as another client sees it. */
async function queue(): Promise<readonly string[]> {
  await observer.connected();
  const reply = await observer.request(getChildren(queueOf(key)));
  if (reply.type === "done") return reply.value;
  if (reply.type === "refused") return [];
  return ["nobody knows"];
}

const length = async (): Promise<number> => (await queue()).length;

function granted(completion: Completion<Grant>): Grant & { readonly fence: number; readonly validForMs: number } {
  if (completion.type !== "ok") throw new Error(completion.reason);
  const { fence, validForMs } = completion.value;
  if (fence === undefined || validForMs === undefined) throw new Error("a grant without a fencing token or a validity");
  return { ...completion.value, fence, validForMs };
}

/** So that the client is connected, and the queue there. */
async function useOnce(client: LockClient): Promise<void> {
  await client.release(granted(await client.acquire(key, calm)));
}

/** Numbers of operations: create2, getChildren, getData, ping. */
const [CREATE, GET_CHILDREN, GET_DATA, PING] = [15, 8, 4, 11];

/** The requests of clients through the relay from now on, except heartbeats; call it before they connect. */
function operationsSent(between: Relay): readonly number[] {
  const operations: number[] = [];
  const packets = new PacketSplitter();
  let handshakes = 1;
  between.onSent = (bytes) => {
    for (const record of packets.push(bytes)) {
      if (handshakes > 0) handshakes -= 1;
      else if (record.readInt32BE(4) !== PING) operations.push(record.readInt32BE(4));
    }
  };
  return operations;
}

describeWithEngine("a lock on a real ZooKeeper", () => {
  test("is granted with a fencing token and the session's validity, refused to another, and free after its release", async () => {
    const [a, b] = [await client(), await client()];
    const first = granted(await a.acquire(key, calm));
    expect(first.validForMs).toBeLessThanOrEqual(calm.ttlMs);
    expect(first.validForMs).toBeGreaterThan(0);
    expect(await queue()).toEqual([first.owner]);
    expect(await b.acquire(key, calm)).toEqual({ type: "fail", kind: "contended", reason: "held by another" });
    expect(await a.release(first)).toEqual({ type: "ok", value: { released: true } });
    const second = granted(await b.acquire(key, calm));
    expect(second.fence).toBeGreaterThan(first.fence);
  });

  test("passes to the next in the queue, who has asked nothing while it waited", async () => {
    const [a, between] = [await client(), await relay()];
    const b = await client(between.address);
    const first = granted(await a.acquire(key, calm));
    const asked = operationsSent(between);
    const waiting = b.acquire(key, patient);
    await expect.poll(() => asked.includes(GET_DATA), AWHILE).toBe(true);
    expect(asked).toEqual([CREATE, GET_CHILDREN, GET_DATA]);
    await a.release(first);
    granted(await waiting);
    expect(asked).toEqual([CREATE, GET_CHILDREN, GET_DATA, GET_CHILDREN]);
  });

  test("is passed on in the order of asking, each with a larger fencing token", async () => {
    const clients = [await client(), await client(), await client(), await client()];
    const waiting: Promise<Completion<Grant>>[] = [];
    for (const [index, each] of clients.entries()) {
      waiting.push(each.acquire(key, patient));
      await expect.poll(length, AWHILE).toBe(index + 1);
    }
    const fences: number[] = [];
    for (const [index, each] of clients.entries()) {
      const grant = granted((await waiting[index]) ?? { type: "info", reason: "nobody waits" });
      fences.push(grant.fence);
      await each.release(grant);
    }
    expect(fences).toEqual([...fences].sort((a, b) => a - b));
    expect(new Set(fences).size).toBe(clients.length);
  });

  test("waited for in vain leaves no znode, nor does a wait that is aborted", async () => {
    const [a, b] = [await client(), await client()];
    const first = granted(await a.acquire(key, calm));
    expect(await b.acquire(key, { ...calm, waitMs: 50 })).toMatchObject({ type: "fail", kind: "contended" });
    expect(await queue()).toEqual([first.owner]);
    const abort = new AbortController();
    const waiting = b.acquire(key, { ...patient, signal: abort.signal });
    await expect.poll(length, AWHILE).toBe(2);
    abort.abort();
    expect(await waiting).toMatchObject({ type: "fail", kind: "contended" });
    expect(await queue()).toEqual([first.owner]);
  });

  test("is released once, and never another's", async () => {
    const [a, b] = [await client(), await client()];
    const first = granted(await a.acquire(key, calm));
    expect(await a.release(first)).toEqual({ type: "ok", value: { released: true } });
    const second = granted(await b.acquire(key, calm));
    expect(await a.release(first)).toEqual({ type: "ok", value: { released: false } });
    expect(await a.extend?.(first, calm.ttlMs)).toMatchObject({ type: "fail" });
    expect(await queue()).toEqual([second.owner]);
  });

  test("is free at once when its client takes its leave", async () => {
    const [a, b] = [await client(), await client()];
    granted(await a.acquire(key, calm));
    await a[Symbol.asyncDispose]();
    granted(await b.acquire(key, calm));
  });

  test("outlives a restart of the server, in the same session", async () => {
    const [a, b] = [await client(), await client()];
    const first = granted(await a.acquire(key, calm));
    const lost: unknown[] = [];
    a.onLost?.((loss) => lost.push(loss));
    await zookeeper.restart();
    await expect.poll(() => a.extend?.(first, calm.ttlMs), AWHILE).toMatchObject({ type: "ok" });
    expect(await b.acquire(key, { ...calm, waitMs: 1 })).toMatchObject({ type: "fail", kind: "contended" });
    const waiting = b.acquire(key, patient);
    expect(await a.release(first)).toEqual({ type: "ok", value: { released: true } });
    expect(granted(await waiting).fence).toBeGreaterThan(first.fence);
    expect(lost).toEqual([]);
  });

  test("does not depend on the server's wall clock", async () => {
    const [a, b] = [await client(), await client()];
    using access = await zookeeperServer.access("the test's ZooKeeper", zookeeper.address);
    const first = granted(await a.acquire(key, short));
    for (const byMs of [3_600_000, -7_200_000, 3_600_000]) {
      const step = async (): Promise<void> => void (await zookeeper.control.jumpClock(byMs));
      expect(await access.seeStep(byMs, step)).toMatchObject({ observed: true });
      expect(await b.acquire(key, calm)).toMatchObject({ type: "fail", kind: "contended" });
      expect(await a.extend?.(first, short.ttlMs)).toMatchObject({ type: "ok" });
    }
    expect(await a.release(first)).toEqual({ type: "ok", value: { released: true } });
  });

  test("whose znode somebody removed is lost: the next look tells", async () => {
    const [a, b] = [await client(), await client()];
    const lost: unknown[] = [];
    a.onLost?.((loss) => lost.push(loss));
    const first = granted(await a.acquire(key, calm));
    expect(await b.release(first)).toEqual({ type: "ok", value: { released: true } });
    expect(await a.extend?.(first, calm.ttlMs)).toMatchObject({ type: "fail" });
    expect(lost).toEqual([{ key, owner: first.owner }]);
  });
});

describeWithEngine("when the connection is lost", () => {
  describe("before the reply to a creation", () => {
    test("the znode is found again, and the lock granted once", async () => {
      const between = await relay();
      const a = await client(between.address);
      await useOnce(a);
      between.hold("received");
      const acquiring = a.acquire(key, calm);
      await expect.poll(length, AWHILE).toBe(1);
      between.cut();
      between.free();
      const first = granted(await acquiring);
      expect(await queue()).toEqual([first.owner]);
    });

    test("and the caller gives up, nothing is left of it", async () => {
      const between = await relay();
      const a = await client(between.address);
      await useOnce(a);
      const abort = new AbortController();
      between.hold("received");
      const acquiring = a.acquire(key, { ...calm, signal: abort.signal });
      await expect.poll(length, AWHILE).toBe(1);
      abort.abort();
      between.cut();
      expect(await acquiring).toMatchObject({ type: "info" });
      expect(await length()).toBe(1);
      between.free();
      await expect.poll(length, AWHILE).toBe(0);
    });
  });

  test("before a creation arrives, it is sent again, and is one hold", async () => {
    const between = await relay();
    const a = await client(between.address);
    await useOnce(a);
    const arrived = Promise.withResolvers<void>();
    between.hold("sent");
    between.onSent = () => arrived.resolve();
    const acquiring = a.acquire(key, calm);
    await arrived.promise;
    between.cut();
    between.free();
    const first = granted(await acquiring);
    expect(await queue()).toEqual([first.owner]);
  });

  test("while it waits, it has its turn all the same", async () => {
    const between = await relay();
    const [a, b] = [await client(), await client(between.address)];
    const first = granted(await a.acquire(key, calm));
    const waiting = b.acquire(key, patient);
    await expect.poll(length, AWHILE).toBe(2);
    between.cut();
    await a.release(first);
    granted(await waiting);
  });

  test("before the reply to a release, nobody knows, and the lock comes free", async () => {
    const between = await relay();
    const a = await client(between.address);
    const first = granted(await a.acquire(key, calm));
    between.hold("sent");
    const releasing = a.release(first);
    between.cut();
    expect(await releasing).toMatchObject({ type: "info" });
    expect(await queue()).toEqual([first.owner]);
    between.free();
    await expect.poll(length, AWHILE).toBe(0);
  });

  test("for good, a try says that nothing was sent", async () => {
    const between = await relay();
    const a = await client(between.address);
    between.hold("both");
    expect(await a.acquire(key, { ...calm, ttlMs: 300 })).toMatchObject({ type: "fail", kind: "error" });
    expect(await length()).toBe(0);
  });
});

describeWithEngine("when the client is not heard from for the session's time-out", () => {
  test("its holder is told, then the next one has the lock, with a larger fencing token", async () => {
    const between = await relay();
    const [a, b] = [await client(between.address), await client()];
    const first = granted(await a.acquire(key, short));
    const events: string[] = [];
    a.onLost?.(({ owner }) => events.push(`lost ${owner}`));
    const waiting = b.acquire(key, patient);
    await expect.poll(length, AWHILE).toBe(2);
    between.hold("both");
    const second = granted(await waiting);
    events.push("granted to another");
    expect(events).toEqual([`lost ${first.owner}`, "granted to another"]);
    expect(second.fence).toBeGreaterThan(first.fence);
    expect(await a.extend?.(first, short.ttlMs)).toMatchObject({ type: "fail" });

    between.cut();
    between.free();
    expect(await a.release(first)).toEqual({ type: "ok", value: { released: false } });
    expect(await queue()).toEqual([second.owner]);
    await b.release(second);
    granted(await a.acquire(key, short));
  });

  test("only the leases of that time-out are lost", async () => {
    const between = await relay();
    const a = await client(between.address);
    const lost: string[] = [];
    a.onLost?.((loss) => lost.push(loss.key));
    granted(await a.acquire(`${key}-short`, short));
    granted(await a.acquire(`${key}-short-too`, short));
    const long = granted(await a.acquire(key, calm));
    between.hold("both");
    await expect.poll(() => lost.length, AWHILE).toBe(2);
    expect(lost.sort()).toEqual([`${key}-short`, `${key}-short-too`]);
    between.cut();
    between.free();
    await expect.poll(() => a.extend?.(long, calm.ttlMs), AWHILE).toMatchObject({ type: "ok" });
  });
});
