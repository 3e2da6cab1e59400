import { ErrorReply } from "../redis/protocol/reply.ts";
import type { RedisServer } from "../redis/server.ts";
import type { Session } from "../redis/session.ts";

/** A connection blocked in WAIT or WAITAOF. */
export interface Waiting {
  readonly session: Session;
  /** 0: without limit. */
  readonly timeoutMs: number;
  readonly done: () => boolean;
  readonly answer: () => void;
}

const NO_MASTER_ANY_MORE = new ErrorReply(
  "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)",
);

/** The connections that wait for replicas or for the disk. */
export class Waits {
  readonly #server: RedisServer;
  readonly #waiting = new Map<Waiting, number>();

  constructor(server: RedisServer) {
    this.#server = server;
  }

  add(waiting: Waiting): void {
    this.#waiting.set(waiting, waiting.timeoutMs === 0 ? Infinity : this.#server.nowMs + waiting.timeoutMs);
  }

  /**
   * Answers connections that have waited long enough. Call it before the server sleeps, that is after each of its
   * events and by its cron ten times a second, so a time-out comes up to 100 ms late. True when a connection was
   * answered.
   */
  settle(): boolean {
    if (this.#waiting.size === 0) return false;
    const { nowMs } = this.#server;
    let answered = false;
    for (const [waiting, deadlineMs] of this.#waiting) {
      if (waiting.session.closed) this.#waiting.delete(waiting);
      else if (waiting.done() || nowMs > deadlineMs) {
        this.#waiting.delete(waiting);
        waiting.answer();
        answered = true;
      }
    }
    return answered;
  }

  /** The server has become a replica: it can promise nothing any more, and closes those connections. */
  refuseAll(): void {
    for (const { session } of this.#waiting.keys()) {
      session.reply(NO_MASTER_ANY_MORE);
      session.closing = true;
      this.#server.willSend(session);
    }
    this.#waiting.clear();
  }
}
