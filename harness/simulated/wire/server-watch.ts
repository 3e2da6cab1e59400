import type { KeyState, ReplicationStep, SentinelVote } from "../../core/messages/wire-record.ts";
import type { RedisNode } from "../nodes/redis-node.ts";
import type { StoredValue } from "../redis/keyspace/values.ts";
import type { SimulatedSentinel } from "../sentinel/simulated-sentinel.ts";
import { shortText } from "../../core/messages/reply-words.ts";

/** Redis's default database, in which locks live. */
const DATABASE = 0;
/** A server with more keys than this holds other data than locks; no more than this are followed. */
const MOST_KEYS = 100;
/** What a value may add to a record. */
const MOST_FIELDS = 6;

/** A clock that has moved by less since a key was recorded moves the end of that key by no more than can be drawn. */
const LEAST_CLOCK_MOVE_NS = 5_000_000;

/** What a server holds under a key. */
interface Held {
  readonly value: string;
  /** Of the server's wall clock. */
  readonly expiresAtMs?: number;
  /** How far that clock was ahead when the key was recorded, in nanoseconds. */
  readonly clockAheadNs: number;
}

/** A point in the stream of writes that a server has reached. */
interface StreamPoint {
  readonly server: string;
  readonly history: string;
  readonly offset: number;
  readonly atNs: number;
}

/** What the servers of a run hold, how writes reach replicas, and how Sentinels vote. It only looks. */
export class ServerWatch {
  readonly keys: KeyState[] = [];
  readonly replication: ReplicationStep[] = [];
  readonly votes: SentinelVote[] = [];
  readonly #now: () => number;
  /** By server: the keys that it held at the last look. */
  readonly #held = new Map<string, ReadonlyMap<string, Held>>();
  /** By server: its wall clock minus true time at the first look, which means nothing. */
  readonly #clockBase = new Map<string, number>();
  readonly #stream: StreamPoint[] = [];

  /** @param now the true time of the run, once it has begun */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The run begins: what was before it does not count, except what servers hold now. */
  begin(nodes: readonly RedisNode[]): void {
    for (const kept of [this.keys, this.replication, this.votes, this.#stream]) kept.length = 0;
    this.#held.clear();
    for (const node of nodes) this.look(node);
  }

  /** For each node: after each turn of its server's loop, and after it started. */
  look(node: RedisNode): void {
    const { replication, isReplica } = node.server;
    const atNs = this.#now();
    const changed = this.#changes(node, atNs);
    if (isReplica) {
      if (changed.length === 0) return;
      const sent = this.#stream.findLast(
        ({ history, offset }) => history === replication.id && offset <= replication.offset,
      );
      if (sent === undefined || sent.server === node.name) return;
      for (const key of changed) {
        this.replication.push({ from: sent.server, to: node.name, key, sentNs: sent.atNs, appliedNs: atNs });
      }
    } else if (changed.length > 0) {
      this.#stream.push({ server: node.name, history: replication.id, offset: replication.offset, atNs });
    }
  }

  /** @param nameOf the name of the Sentinel with an identity */
  follow(sentinel: SimulatedSentinel, nameOf: (id: string) => string): void {
    sentinel.onEvent(({ channel, message }) => {
      if (channel !== "+vote-for-leader") return;
      const [candidate = "", epoch] = message.split(" ");
      const atNs = this.#now();
      this.votes.push({ sentinel: sentinel.host.name, candidate: nameOf(candidate), epoch: Number(epoch), atNs });
    });
  }

  /** Records what changed since the last look, and returns those keys. */
  #changes(node: RedisNode, atNs: number): readonly string[] {
    const { name: server, host } = node;
    const { slots, expires } = node.server.database(DATABASE);
    const wallUs = host.clock.wallUs();
    const base = this.#clockBase.get(server) ?? wallUs - host.kernel.now;
    this.#clockBase.set(server, base);
    const clockAheadNs = Math.round((wallUs - host.kernel.now - base) * 1000);
    const before = this.#held.get(server) ?? new Map<string, Held>();
    const now = new Map<string, Held>();
    for (const [key, { value }] of [...slots].slice(0, MOST_KEYS)) {
      const expiresAtMs = expires.get(key);
      now.set(key, {
        value: valueWords(value),
        clockAheadNs,
        ...(expiresAtMs === undefined ? {} : { expiresAtMs: Number(expiresAtMs) }),
      });
    }
    const gone = [...before.keys()].filter((key) => !now.has(key));
    const changed = [...now].filter(([key, held]) => !isSame(held, before.get(key)));
    for (const key of gone) this.keys.push({ server, key: shortText(key), atNs, clockAheadNs });
    const moved = [...now].filter(([key, held]) => isMoved(held, before.get(key)));
    for (const [key, { value, expiresAtMs }] of [...changed, ...moved]) {
      const expiry = expiresAtMs === undefined ? {} : { expiresInNs: Math.round((expiresAtMs * 1000 - wallUs) * 1000) };
      this.keys.push({ server, key: shortText(key), atNs, value, ...expiry, clockAheadNs });
    }
    const recorded = new Set([...changed, ...moved].map(([key]) => key));
    for (const [key, held] of before) if (now.has(key) && !recorded.has(key)) now.set(key, held);
    this.#held.set(server, now);
    return [...gone, ...changed.map(([key]) => key)].map(shortText);
  }
}

/** Whether the server's clock has moved since this key was recorded, so that the key ends at another time. */
function isMoved(held: Held, recorded: Held | undefined): boolean {
  if (held.expiresAtMs === undefined || !isSame(held, recorded)) return false;
  return Math.abs(held.clockAheadNs - (recorded?.clockAheadNs ?? 0)) >= LEAST_CLOCK_MOVE_NS;
}

function isSame(one: Held, other: Held | undefined): boolean {
  return one.value === other?.value && one.expiresAtMs === other.expiresAtMs;
}

/**
 * The beginning of a value in which a lock may keep who holds it; of other values only the type. Who stands in a list waits, and
 * who is in a sorted set holds or not, as the numbers say.
 */
export function valueWords(value: StoredValue): string {
  switch (value.type) {
    case "string":
      return shortText(value.text);
    case "hash":
      return shortText(
        [...value.fields]
          .slice(0, MOST_FIELDS)
          .map((field) => field.join(" "))
          .join(", "),
      );
    case "set":
      return shortText([...value.members].slice(0, MOST_FIELDS).join(", "));
    default:
      return value.type;
  }
}
