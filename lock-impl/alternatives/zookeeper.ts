import type { AcquireOptions, Address, Completion, Grant, LockClient, LockDriver } from "../driver.ts";
import { freshOwnerValue } from "../owner-value.ts";
import type { Reply } from "./zookeeper/connection.ts";
import { awaitTurn, enqueue, leave, nameOf, queueOf } from "./zookeeper/queue.ts";
import { type CreatedZnode, getData, NO_NODE } from "./zookeeper/requests.ts";
import { Session } from "./zookeeper/session.ts";

/**
 * The lock of ZooKeeper's documentation ("ZooKeeper Recipes and Solutions", Locks): ephemeral sequential znodes queue
 * under the key, the first one holds, each of the others watches the one before it.
 *
 * A lease is a session: it lasts as long as the client is heard from, and is lost with all other leases of its session.
 * Since the server keeps one time-out for a session, a client has one session for each TTL that it is asked for. The
 * server may grant another time-out than that (`minSessionTimeout`, `maxSessionTimeout`); what it grants counts.
 *
 * The fencing token is the zxid of the transaction that created the znode, which only grows: later in the queue is later
 * in the order of transactions. The owner value is the znode's name, a fresh GUID and the place in the queue.
 */
export const driver: LockDriver = {
  async connect({ servers }) {
    if (servers.kind !== "zookeeper") throw new Error("this lock needs a ZooKeeper server: topology zookeeper");
    return new ZooKeeperLock(servers.address);
  },
};

/** More than a timer can wait. */
const FOR_EVER_MS = 2 ** 31 - 1;
/** Time-out of a session that is opened only to ask something. */
const ASKING_MS = 1_000;
const GONE = "the lease is lost: its znode is gone";

interface Hold {
  readonly key: string;
  readonly session: Session;
}
type LostListener = (lost: { readonly key: string; readonly owner: string }) => void;

class ZooKeeperLock implements LockClient {
  readonly #address: Address;
  /** By the TTL that was asked for, in milliseconds. */
  readonly #sessions = new Map<number, Session>();
  /** By owner value. */
  readonly #holds = new Map<string, Hold>();
  readonly #lostListeners = new Set<LostListener>();

  constructor(address: Address) {
    this.#address = address;
  }

  async acquire(key: string, { ttlMs, waitMs, signal }: AcquireOptions): Promise<Completion<Grant>> {
    const session = this.#sessionFor(ttlMs);
    // A server that is away for as long as a lease lasts is away.
    const patience = AbortSignal.any([signal, timeout(Math.max(waitMs, ttlMs))]);
    const budget = waitMs > 0 ? AbortSignal.any([signal, timeout(waitMs)]) : AbortSignal.abort();
    if (!(await session.connected(patience))) return failed("no session with ZooKeeper, nothing was sent");
    const queue = queueOf(key);
    const queued = await enqueue(session, queue, freshOwnerValue(), patience);
    if (queued.type !== "ok") return queued;
    const turn = await awaitTurn(session, queue, queued.value, budget);
    if (turn === "first") return this.#grant(key, session, queued.value);
    if (turn === "gone") return failed("its znode was gone before its turn came");
    const left = await leave(session, queue, queued.value);
    if (turn === "behind" && isGone(left)) return { type: "fail", kind: "contended", reason: "held by another" };
    return { type: "info", reason: "the connection was lost in the queue" };
  }

  /** A heartbeat, and a look at the znode. It cannot change the session's time-out: the lease is as long as it was granted. */
  async extend(grant: Grant): Promise<Completion<Grant>> {
    const { key, owner } = grant;
    const session = this.#holds.get(owner)?.session;
    if (session === undefined) return failed("the lease is lost: its session has ended");
    const reply = await session.request(getData(`${queueOf(key)}/${owner}`, { watch: false }));
    if (reply.type === "done") return prolonged(grant, session);
    if (reply.type === "unsent") return failed("no connection to ZooKeeper, nothing was sent");
    if (reply.type === "unknown") return { type: "info", reason: "the connection was lost" };
    if (reply.code === NO_NODE) this.#lost(owner);
    return failed(reply.code === NO_NODE ? GONE : `ZooKeeper answered with error ${reply.code}`);
  }

  async release({ key, owner }: Grant): Promise<Completion<{ readonly released: boolean }>> {
    const session = this.#holds.get(owner)?.session ?? (await this.#sessionToAsk());
    this.#holds.delete(owner);
    const queue = queueOf(key);
    const left = await leave(session, queue, { path: `${queue}/${owner}` });
    if (isGone(left)) return { type: "ok", value: { released: left.type === "done" } };
    if (left.type === "refused") return failed(`ZooKeeper answered with error ${left.code}`);
    // It is tried again as long as the session lasts, so even what was not sent may take effect.
    return { type: "info", reason: "no connection to ZooKeeper: released when there is one, or with the session" };
  }

  onLost(listener: LostListener): void {
    this.#lostListeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#sessions.values().map((session) => session[Symbol.asyncDispose]()));
  }

  /** One that is connected, if there can be one soon, for what is not known here any more. */
  async #sessionToAsk(): Promise<Session> {
    const [timeoutMs = ASKING_MS] = this.#sessions.keys();
    const session = this.#sessionFor(timeoutMs);
    await session.connected(timeout(timeoutMs));
    return session;
  }

  #sessionFor(ttlMs: number): Session {
    const timeoutMs = Math.max(1, Math.floor(ttlMs));
    const session =
      this.#sessions.get(timeoutMs) ?? new Session(this.#address, timeoutMs, () => this.#ended(timeoutMs));
    this.#sessions.set(timeoutMs, session);
    return session;
  }

  /** The session ended, and with it all that was held in it. */
  #ended(timeoutMs: number): void {
    const session = this.#sessions.get(timeoutMs);
    this.#sessions.delete(timeoutMs);
    for (const [owner, hold] of this.#holds) if (hold.session === session) this.#lost(owner);
  }

  #lost(owner: string): void {
    const hold = this.#holds.get(owner);
    if (!this.#holds.delete(owner) || hold === undefined) return;
    for (const listener of this.#lostListeners) listener({ key: hold.key, owner });
  }

  async #grant(key: string, session: Session, znode: CreatedZnode): Promise<Completion<Grant>> {
    const owner = nameOf(znode.path);
    const fence = fenceOf(znode);
    const validFromMs = performance.now();
    const validForMs = session.remainingMs;
    if (fence === undefined || validForMs <= 0) {
      await leave(session, queueOf(key), znode);
      const reason = fence === undefined ? `zxid ${znode.czxid} is beyond 2^53` : "granted too late to be of use";
      return { type: "info", reason };
    }
    this.#holds.set(owner, { key, session });
    return { type: "ok", value: { key, owner, fence, validForMs, validFromMs } };
  }
}

/**
 * The zxid as a number; undefined beyond 2^53, where numbers are no longer exact. The epoch is in its high 32 bits: an
 * ensemble gets there with the 2,097,152nd election of a leader.
 */
export function fenceOf({ czxid }: Pick<CreatedZnode, "czxid">): number | undefined {
  const fence = Number(czxid);
  return Number.isSafeInteger(fence) ? fence : undefined;
}

function prolonged(grant: Grant, session: Session): Completion<Grant> {
  const validFromMs = performance.now();
  const validForMs = session.remainingMs;
  if (validForMs <= 0) return { type: "info", reason: "answered too late to be of use" };
  return { type: "ok", value: { ...grant, validForMs, validFromMs } };
}

/** Whether the znode is certainly not there. */
function isGone(left: Reply<undefined>): boolean {
  return left.type === "done" || (left.type === "refused" && left.code === NO_NODE);
}

function timeout(ms: number): AbortSignal {
  return AbortSignal.timeout(Math.ceil(Math.min(ms, FOR_EVER_MS)));
}

function failed(reason: string): Completion<never> {
  return { type: "fail", kind: "error", reason };
}
