import { Cluster, Redis } from "ioredis";
import { clusterOptions, connectionOptions, TIMEOUTS, type Timeouts, type Target } from "./connection-options.ts";
import type { Completion } from "../../harness/core/lock-driver.ts";
import type { Script } from "./scripts.ts";

/** An argument of a command. */
export type Argument = string | number;

/**
 * One connection to one server, or to one Redis Cluster as if it were one server. It reports the outcome of each
 * command: `ok` with the reply, `fail` when it was certainly not applied, `info` when nobody knows. It reconnects by
 * itself and never sends a command twice.
 */
export class Connection implements AsyncDisposable {
  readonly #redis: Redis | Cluster;
  readonly #timeouts: Timeouts;
  #disposed = false;
  #session = 0;
  /** The stream takes no more bytes, but ioredis has not noticed its end yet and still calls it ready. */
  #ending = false;
  #revival: NodeJS.Timeout | undefined;

  constructor(target: Target, timeouts: Timeouts = TIMEOUTS) {
    this.#timeouts = timeouts;
    this.#redis =
      target.kind === "cluster"
        ? new Cluster([...target.nodes], clusterOptions(timeouts))
        : new Redis(connectionOptions(target, timeouts));
    // Connection errors reach the caller through the commands that they fail.
    this.#redis.on("error", () => {});
    this.#redis.on("end", () => this.#revive());
    this.#redis.on("ready", () => {
      this.#session += 1;
      this.#ending = false;
    });
    this.#redis.connect().catch(() => {});
  }

  /** Grows by one with each new connection: what was said on an earlier one may not hold on this one. */
  get session(): number {
    return this.#session;
  }

  /**
   * Resolves when commands can be sent.
   * @throws when that takes longer than `withinMs`
   */
  async whenReady(withinMs: number): Promise<void> {
    if (this.#redis.status === "ready" && !this.#ending) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error(`no connection to Redis within ${withinMs} ms`)), withinMs);
    this.#redis.once("ready", resolve);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#redis.off("ready", resolve);
    }
  }

  /** Sends one command. Never rejects. */
  command(name: string, ...parameters: readonly Argument[]): Promise<Completion<unknown>> {
    return this.#settle(() => this.#redis.call(name, ...parameters));
  }

  /**
   * Runs a script by its hash, and with its text where the server does not know it: after a restart or a failover the
   * script cache is empty. NOSCRIPT proves that nothing was executed, so sending again is safe. Never rejects.
   */
  async run(script: Script, keys: readonly string[], ...parameters: readonly Argument[]): Promise<Completion<unknown>> {
    const first = await this.command("EVALSHA", script.sha, keys.length, ...keys, ...parameters);
    if (first.type !== "fail" || !first.reason.startsWith("NOSCRIPT")) return first;
    return this.command("EVAL", script.lua, keys.length, ...keys, ...parameters);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    clearTimeout(this.#revival);
    this.#redis.disconnect();
  }

  async #settle(send: () => Promise<unknown>): Promise<Completion<unknown>> {
    if (this.#redis.status !== "ready") return failed(`not connected (${this.#redis.status}), nothing was sent`);
    try {
      return { type: "ok", value: await send() };
    } catch (error) {
      const failure = classify(error);
      // A cluster stays ready when one of its nodes goes.
      if (failure.reason === NOT_SENT) this.#ending = !this.#redis.isCluster;
      return failure;
    }
  }

  /** ioredis ends for good when closing and connecting overlap; a lock's client must not. */
  #revive(): void {
    if (this.#disposed) return;
    this.#revival = setTimeout(() => {
      this.#redis.connect().catch(() => {});
    }, this.#timeouts.reconnectMs);
  }
}

/** What ioredis says when it refuses to write: the command has not left the process. */
const NOT_WRITTEN = ["Stream isn't writeable", "Cluster isn't ready"];
const NOT_SENT = "the connection has ended, nothing was sent";

/**
 * What an error proves. An error reply (READONLY, NOREPLICAS, MISCONF, OOM, MASTERDOWN, LOADING, ...) replaces the
 * effect: Redis judges before it executes, and every script here is written so that its first write decides. A time-out
 * and a broken connection prove nothing.
 */
function classify(error: unknown): Exclude<Completion<never>, { type: "ok" }> {
  if (!(error instanceof Error)) return { type: "info", reason: String(error) };
  if (error.name === "ReplyError") return failed(error.message);
  if (NOT_WRITTEN.some((words) => error.message.startsWith(words))) return failed(NOT_SENT);
  return { type: "info", reason: error.message };
}

function failed(reason: string): { readonly type: "fail"; readonly kind: "error"; readonly reason: string } {
  return { type: "fail", kind: "error", reason };
}
