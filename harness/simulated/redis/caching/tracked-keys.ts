import { PushReply } from "../protocol/reply.ts";
import type { Session } from "../session.ts";

/** How a connection has the keys that it reads tracked: all of them, those it asks for, or all but those it excludes. */
export type TrackingMode = "all" | "optin" | "optout";

/** What a connection asked for by CLIENT TRACKING ON. */
export interface Tracking {
  readonly mode: TrackingMode;
  /** Its own changes are not told to it. */
  readonly noLoop: boolean;
  /** CLIENT CACHING was said: the next command is an exception from `mode`. */
  isException: boolean;
}

/**
 * Which connections may have a key in a cache of theirs. Whoever read a key is told once when it changes, and has to read it
 * again to be told again. Databases are not told apart.
 */
export class TrackedKeys {
  readonly #readers = new Map<string, Set<Session>>();

  /** Whether a change of a key may concern anybody. */
  get isInUse(): boolean {
    return this.#readers.size > 0;
  }

  /** A command of this connection read these keys. */
  remember(session: Session, tracking: Tracking, keys: readonly string[]): void {
    if (tracking.mode === "all" ? false : (tracking.mode === "optin") !== tracking.isException) return;
    for (const key of keys) {
      const readers = this.#readers.get(key);
      if (readers === undefined) this.#readers.set(key, new Set([session]));
      else readers.add(session);
    }
  }

  /** @param by the connection whose command changed the key, if any did */
  changed(key: string, by: Session | undefined): void {
    const readers = this.#readers.get(key);
    if (readers === undefined) return;
    this.#readers.delete(key);
    for (const reader of readers) {
      if (reader.tracking !== undefined && !(reader === by && reader.tracking.noLoop)) tell(reader, [key]);
    }
  }

  /** Everything was deleted. All who track anything are told, whatever they read, and at once. */
  flushed(sessions: Iterable<Session>): void {
    this.#readers.clear();
    for (const session of sessions) {
      if (session.tracking !== undefined && session.resp === 3) session.pushNow(invalidation(null));
    }
  }
}

/** Before RESP3 there is no way to tell a connection anything but its replies. */
function tell(session: Session, keys: readonly string[]): void {
  if (session.resp === 3) session.pushAfterReply(invalidation(keys));
}

function invalidation(keys: readonly string[] | null): PushReply {
  return new PushReply(["invalidate", keys]);
}
