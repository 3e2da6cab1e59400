import type { TouchedBy } from "../keyspace/database.ts";
import { PushReply } from "../protocol/reply.ts";
import type { Session } from "../session.ts";

/**
 * How a connection has keys tracked: all that it reads, those it asks for, all but those it excludes, or, whoever reads them, those
 * that begin with one of its prefixes.
 */
export type TrackingMode = "all" | "optin" | "optout" | "bcast";

/** What a connection asked for by CLIENT TRACKING ON. */
export interface Tracking {
  readonly mode: TrackingMode;
  /** Its own changes are not told to it. */
  readonly noLoop: boolean;
  /** With mode `bcast`: what the keys begin with, in order. */
  readonly prefixes: readonly string[];
  /** The connection that is told in its place; 0: none. */
  readonly redirectTo: number;
  /** That connection was gone when it should have been told. */
  isRedirectBroken: boolean;
  /** CLIENT CACHING was said: the next command is an exception from `mode`. */
  isException: boolean;
}

/** The channel on which connections without RESP3 are told what others have redirected to them. */
const CHANNEL = "__redis__:invalidate";
/** Null is written in the protocol of who redirects. */
const EVERYTHING_IN_RESP2 = ">2\r\n$10\r\ninvalidate\r\n$-1\r\n";

/**
 * Which connections may have a key in a cache of theirs. Whoever read a key is told once when it changes, and has to read it
 * again to be told again. Whoever asked for broadcasts is told of each change. Databases are not told apart.
 */
export class TrackedKeys {
  readonly #readers = new Map<string, Set<Session>>();
  /** Who asked for broadcasts; some may have ended them since. */
  readonly #listeners = new Set<Session>();
  /** The keys that changed since the last broadcast, and who changed each first. */
  readonly #changed = new Map<string, Session | undefined>();

  /** Whether a change of a key may concern anybody. */
  get isInUse(): boolean {
    return this.#readers.size > 0 || this.#listeners.size > 0;
  }

  /** A command of this connection read these keys. */
  remember(session: Session, tracking: Tracking, keys: readonly string[]): void {
    if (tracking.mode === "bcast") return;
    if (tracking.mode === "all" ? false : (tracking.mode === "optin") !== tracking.isException) return;
    for (const key of keys) {
      const readers = this.#readers.get(key);
      if (readers === undefined) this.#readers.set(key, new Set([session]));
      else readers.add(session);
    }
  }

  /** This connection asked for broadcasts. */
  listen(session: Session): void {
    this.#listeners.add(session);
  }

  /**
   * A broadcast of what the server itself deleted is also told to a connection that leaves out its own changes, whose command may
   * have come upon it; what it read is not.
   * @param current the connection whose command is being executed, if any is
   */
  changed(key: string, by: TouchedBy, current: Session | undefined): void {
    if (this.#listeners.size > 0 && !this.#changed.has(key)) {
      this.#changed.set(key, by === "command" ? current : undefined);
    }
    const readers = this.#readers.get(key);
    if (readers === undefined) return;
    this.#readers.delete(key);
    for (const reader of readers) {
      const { tracking } = reader;
      if (tracking === undefined || tracking.mode === "bcast" || (reader === current && tracking.noLoop)) continue;
      tell(reader, tracking, [key]);
    }
  }

  /** Everything that came at one time was executed: who asked for broadcasts is told of what it changed. */
  broadcast(): void {
    if (this.#changed.size === 0) return;
    const changed = new Map([...this.#changed].sort(([one], [other]) => (one < other ? -1 : 1)));
    this.#changed.clear();
    const listeners = [...this.#listeners].flatMap((session) => {
      const { tracking } = session;
      if (tracking?.mode === "bcast") return tracking.prefixes.map((prefix) => ({ prefix, session, tracking }));
      this.#listeners.delete(session);
      return [];
    });
    listeners.sort((one, other) => (one.prefix === other.prefix ? 0 : one.prefix < other.prefix ? -1 : 1));
    for (const { prefix, session, tracking } of listeners) {
      const keys = [...changed].filter(([key, by]) => key.startsWith(prefix) && !(tracking.noLoop && by === session));
      if (keys.length > 0)
        tell(
          session,
          tracking,
          keys.map(([key]) => key),
        );
    }
  }

  /** Everything was deleted. All who track anything are told, whatever they read, and at once. */
  flushed(sessions: Iterable<Session>): void {
    this.#readers.clear();
    for (const session of sessions) if (session.tracking !== undefined) tell(session, session.tracking, null);
  }
}

/**
 * Tells a connection, or the one to which it redirects, that keys have changed, or all of them (null). Before RESP3 there is no
 * way to tell a connection anything but its replies and what it subscribed to.
 */
function tell(session: Session, tracking: Tracking, keys: readonly string[] | null): void {
  if (tracking.redirectTo === 0) {
    if (session.resp !== 3) return;
    if (keys === null) session.pushNow(invalidation(keys));
    else session.pushAfterReply(invalidation(keys));
    return;
  }
  const told = session.server.sessions.get(tracking.redirectTo);
  if (told === undefined) {
    tracking.isRedirectBroken = true;
    if (session.resp === 3) session.pushAfterReply(new PushReply(["tracking-redir-broken", tracking.redirectTo]));
  } else if (told.resp === 3 && keys === null && session.resp === 2) told.sendRaw(EVERYTHING_IN_RESP2);
  else if (told.resp === 3) told.pushNow(invalidation(keys));
  else if (told.isSubscriber) told.pushNow(new PushReply(["message", CHANNEL, keys]));
}

function invalidation(keys: readonly string[] | null): PushReply {
  return new PushReply(["invalidate", keys]);
}
