import type { Completion } from "../../../harness/core/lock-driver.ts";
import type { Connection } from "../connection.ts";
import { siblingKey } from "../keys.ts";
import { isOne, map } from "../protocol.ts";
import { loadScript, type Script } from "../scripts.ts";

/** One request for a lock with a queue. */
interface QueueRequest {
  readonly key: string;
  /** Names the hold, and before it the place in the queue. */
  readonly owner: string;
  readonly ttlMs: number;
  /** Whether the caller wants a place in the queue if it is not granted the lock. */
  readonly waits: boolean;
}

/** What the server did. `queued`: the caller has a new place in the queue; `waiting`: it keeps the place that it had. */
type QueueAnswer = "refused" | "granted" | "queued" | "waiting";

/** The requests to the server of a lock with a queue, one try each. */
export interface QueueProtocol {
  /** Asks for the lock, the first time or again. */
  ask(server: Connection, request: QueueRequest): Promise<Completion<QueueAnswer>>;
  /** Gives back the lock and the place in the queue. True when the owner had the lock. */
  leave(server: Connection, request: Pick<QueueRequest, "key" | "owner">): Promise<Completion<boolean>>;
}

/**
 * How long a place is kept for a waiter that does not ask again. A waiter that is alive asks many times meanwhile; one that
 * died delays the others no longer.
 */
const PLACE_KEPT_MS = 1000;

/** By the number that the script returns. */
const ANSWERS: readonly QueueAnswer[] = ["refused", "granted", "queued", "waiting"];
const releaseScript = loadScript("release-fair");

/** A queue whose order and whose grants this script decides. */
export function queueWith(acquireScript: Script): QueueProtocol {
  return {
    async ask(server, { key, owner, ttlMs, waits }) {
      const kept = waits ? PLACE_KEPT_MS : 0;
      const reply = await server.run(acquireScript, keysOf(key), owner, ttlMs, kept);
      return map(reply, (answer) => ANSWERS[Number(answer)] ?? "refused");
    },
    async leave(server, { key, owner }) {
      return map(await server.run(releaseScript, keysOf(key), owner), isOne);
    },
  };
}

/** A ticket for each waiter, in the order in which they came; only the first may take the key. */
export const ticketQueue = queueWith(loadScript("acquire-fair"));

function keysOf(key: string): readonly string[] {
  return [key, siblingKey(key, "queue"), siblingKey(key, "kept")];
}
