import type { FaultEffect } from "../../harness/core/fault-traits.ts";
import type { AcquireOptions, Address, Completion, Grant, LockClient } from "../../harness/core/lock-driver.ts";
import type { Property } from "../../harness/core/verdict.ts";
import type { Claim, Limit } from "../claims.ts";
import type { LockEntry } from "../lock-entry.ts";
import { freshOwnerValue } from "../parts/owner-value.ts";
import type { Reply } from "./zookeeper/connection.ts";
import { awaitTurn, enqueue, leave, nameOf, queueOf } from "./zookeeper/queue.ts";
import { type CreatedZnode, getData, NO_NODE } from "./zookeeper/requests.ts";
import { Session } from "./zookeeper/session.ts";

const topology = "zookeeper";

/**
 * The lock of ZooKeeper's documentation ("ZooKeeper Recipes and Solutions", Locks): ephemeral sequential znodes queue
 * under the key, the first one holds, each of the others watches the one before it.
 *
 * A lease is a session: it lasts as long as the server hears from the client, and is lost together with all other
 * leases of its session. Since the server keeps one time-out per session, a client opens one session for each TTL. The
 * server may grant another time-out than the client asked for (`minSessionTimeout`, `maxSessionTimeout`); the granted
 * one counts.
 *
 * The fencing token is the zxid of the transaction that created the znode, which only grows: later in the queue is
 * later in the order of transactions. The owner value is the znode's name, a fresh GUID and the place in the queue.
 */
export const zookeeper: LockEntry = {
  name: "zookeeper",
  title: "a queue of ephemeral znodes on a ZooKeeper server, in one session per TTL; the zxid is the fencing token",
  topologies: ["zookeeper"],
  async load() {
    return {
      async connect({ servers }) {
        if (servers.kind !== "zookeeper") throw new Error("this lock needs a ZooKeeper server: topology zookeeper");
        return new ZooKeeperLock(servers.address);
      },
    };
  },
  flawed: false,
  mintsFence: true,
  renews: true,
  claims: claims(),
  limits: limits(),
  lesson: {
    shows: { property: "mutual-exclusion", topology: "zookeeper", under: "pause-client" },
    how: "A client that does not run cannot be notified. The resource can reject its late write: the zxid of a later hold is larger.",
  },
};

/** More than a timer can wait. */
const FOR_EVER_MS = 2 ** 31 - 1;
/** Time-out of a session that only serves to ask a question. */
const ASKING_MS = 1_000;
const GONE = "the lease is lost: its znode is gone";

interface Hold {
  readonly key: string;
  readonly session: Session;
}
type LostListener = (lost: { readonly key: string; readonly owner: string }) => void;

class ZooKeeperLock implements LockClient {
  readonly #address: Address;
  /** By the requested TTL, in milliseconds. */
  readonly #sessions = new Map<number, Session>();
  /** By owner value. */
  readonly #holds = new Map<string, Hold>();
  readonly #lostListeners = new Set<LostListener>();

  constructor(address: Address) {
    this.#address = address;
  }

  async acquire(key: string, { ttlMs, waitMs, signal }: AcquireOptions): Promise<Completion<Grant>> {
    const session = this.#sessionFor(ttlMs);
    // A server that cannot be reached for the length of a lease counts as away.
    const giveUp = AbortSignal.any([signal, timeout(Math.max(waitMs, ttlMs))]);
    const budget = waitMs > 0 ? AbortSignal.any([signal, timeout(waitMs)]) : AbortSignal.abort();
    if (!(await session.connected(giveUp))) return failed("no session with ZooKeeper, nothing was sent");
    const queue = queueOf(key);
    const queued = await enqueue(session, queue, freshOwnerValue(), giveUp);
    if (queued.type !== "ok") return queued;
    const turn = await awaitTurn(session, queue, queued.value, budget);
    if (turn === "first") return this.#grant(key, session, queued.value);
    if (turn === "gone") return failed("its znode was gone before its turn came");
    const left = await leave(session, queue, queued.value);
    if (turn === "behind" && isGone(left)) return { type: "fail", kind: "contended", reason: "held by another" };
    return { type: "info", reason: "the connection was lost in the queue" };
  }

  /**
   * Sends a heartbeat and checks the znode. It cannot change the session's time-out: the lease stays as long as it was
   * granted.
   */
  async extend(grant: Grant): Promise<Completion<Grant>> {
    const { key, owner } = grant;
    const session = this.#holds.get(owner)?.session;
    if (session === undefined) return failed("the lease is lost: its session has ended");
    const reply = await session.request(getData(`${queueOf(key)}/${owner}`, { watch: false }));
    if (reply.type === "done") return extended(grant, session);
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
    // The request is repeated as long as the session lasts, so even one that was not sent yet may take effect.
    return { type: "info", reason: "no connection to ZooKeeper: released when there is one, or with the session" };
  }

  onLost(listener: LostListener): void {
    this.#lostListeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#sessions.values().map((session) => session[Symbol.asyncDispose]()));
  }

  /** A session that is connected, or will be soon, to ask about a hold that is no longer known here. */
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

  /** The session ended, and with it all its holds. */
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
 * ensemble reaches that with the 2,097,152nd election of a leader.
 */
export function fenceOf({ czxid }: Pick<CreatedZnode, "czxid">): number | undefined {
  const fence = Number(czxid);
  return Number.isSafeInteger(fence) ? fence : undefined;
}

function extended(grant: Grant, session: Session): Completion<Grant> {
  const validFromMs = performance.now();
  const validForMs = session.remainingMs;
  if (validForMs <= 0) return { type: "info", reason: "answered too late to be of use" };
  return { type: "ok", value: { ...grant, validForMs, validFromMs } };
}

/** Whether the znode certainly does not exist. */
function isGone(left: Reply<undefined>): boolean {
  return left.type === "done" || (left.type === "refused" && left.code === NO_NODE);
}

function timeout(ms: number): AbortSignal {
  return AbortSignal.timeout(Math.ceil(Math.min(ms, FOR_EVER_MS)));
}

function failed(reason: string): Completion<never> {
  return { type: "fail", kind: "error", reason };
}

/** What a lock of ephemeral sequential znodes promises on a ZooKeeper server that keeps its data. */
function claims(): readonly Claim[] {
  const CLIENT: readonly FaultEffect[] = ["kills-client", "pauses-client"];
  const LINK: readonly FaultEffect[] = ["holds-messages", "holds-client-messages", "resets-connections"];
  const FROZEN: readonly FaultEffect[] = ["pauses-node"];
  /** The server dies and comes back with its disk. Each transaction is in its log before the server acknowledges it. */
  const CRASH: readonly FaultEffect[] = ["kills-node", "loses-memory"];
  const CLOCK: readonly FaultEffect[] = ["steps-clock", "steps-client-clock"];
  const KEPT: readonly FaultEffect[] = [...CLIENT, ...LINK, ...FROZEN, ...CRASH, ...CLOCK];
  const heard =
    "the server keeps a session for its time-out after the last message from its client, by a monotonic clock, and for the whole time-out again after a restart; the client counts from before it sent its last answered request (ZooKeeper Programmer's Guide, Sessions)";
  const zxid =
    "the zxid orders all transactions, and the queue is in the order of its transactions (ZooKeeper Programmer's Guide, Time in ZooKeeper; Kleppmann 2016)";
  const told = "notified a tenth of the time-out before the server can end the session";
  return [
    ...(["lease-exclusion", "linearizability"] as const).flatMap((property) => kept(property, KEPT, heard)),
    ...kept("fencing-tokens", KEPT, zxid),
    ...kept("mutual-exclusion", ["kills-client", ...LINK, ...FROZEN, ...CRASH, ...CLOCK], told),
    {
      property: "owner-release",
      topology,
      under: [...KEPT, "loses-unsynced", "loses-disk"],
      because: "each acquire has its own znode and deletes no other",
    },
    {
      property: "deadlock-freedom",
      topology,
      under: [...KEPT, "loses-unsynced", "loses-disk"],
      because: "an ephemeral znode is deleted with its session (ZooKeeper Programmer's Guide, Ephemeral Nodes)",
    },
    // Not where transactions are counted from zero again: the resource then refuses rightful holders too.
    ...kept(
      "stale-writes",
      KEPT,
      "the resource itself rejects smaller fencing tokens, and equal ones of another owner, and tokens grow with the zxid",
    ),
  ];
}

/** How it is lost all the same. */
function limits(): readonly Limit[] {
  return [
    {
      property: "mutual-exclusion",
      topology,
      under: "pause-client",
      cause: "overrun",
      source: "pause-past-lease; Kleppmann 2016",
    },
    {
      property: "lease-exclusion",
      topology,
      under: "disk-loss",
      cause: "lost-in-restart",
      source: "a standalone server has the only copy",
    },
    {
      property: "fencing-tokens",
      topology,
      under: "disk-loss",
      cause: "token-rollback",
      source: "without its log a server counts transactions from the beginning",
    },
  ];
}

function kept(property: Property, under: readonly FaultEffect[], because: string): readonly Claim[] {
  const synced = "with forceSync each transaction is on disk before it is acknowledged";
  return [
    { property, topology, under, because },
    {
      property,
      topology,
      under: [...under, "loses-unsynced"],
      persistence: ["always"],
      because: `${because}; ${synced}`,
    },
  ];
}
