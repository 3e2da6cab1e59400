import type { Connection } from "./connection.ts";
import type { Completion } from "./driver.ts";
import type { Protocol, Taking } from "./protocol.ts";

/**
 * Delayed restarts, the second of the two mitigations that redis.io proposes: a server that crashed takes no part until
 * every lease that it may have forgotten is over. Here the clients see to it, by the server's uptime, so that it holds
 * however the server is started again. All clients of the lock must use the same `longestLeaseMs`.
 */
export class RestartDelay {
  readonly #longestLeaseMs: number;
  readonly #usable = new WeakMap<Connection, { readonly session: number; readonly atMs: number }>();

  /** @param longestLeaseMs the longest lease that any client of this lock may ask for */
  constructor(longestLeaseMs: number) {
    this.#longestLeaseMs = longestLeaseMs;
  }

  /**
   * The protocol, taking locks only on servers that have been up for long enough. Freeing and prolonging are allowed
   * everywhere; but a server that may have forgotten a lease does not know that there is none.
   */
  guard(protocol: Protocol & Required<Pick<Protocol, "prolong">>): Protocol {
    return {
      free: async (server, acquisition) => this.#witness(server, await protocol.free(server, acquisition)),
      prolong: async (server, acquisition) => this.#witness(server, await protocol.prolong(server, acquisition)),
      take: async (server, acquisition): Promise<Completion<Taking>> => {
        if (acquisition.ttlMs > this.#longestLeaseMs)
          return failed(`leases may last ${this.#longestLeaseMs} ms at most`);
        const usableInMs = await this.usableInMs(server);
        if (usableInMs.type !== "ok") return failed(usableInMs.reason);
        if (usableInMs.value > 0) return failed("the server was started too short a time ago");
        return protocol.take(server, acquisition);
      },
    };
  }

  /** What a server's answer to "is it ours" proves. */
  async #witness(server: Connection, answer: Completion<boolean>): Promise<Completion<boolean>> {
    if (answer.type !== "ok" || answer.value) return answer;
    const usableInMs = await this.usableInMs(server);
    if (usableInMs.type === "ok" && usableInMs.value <= 0) return answer;
    return { type: "info", reason: "the server was started too short a time ago to know" };
  }

  /** In how many milliseconds the server may be used; 0 or less: now. It is asked once per connection. */
  async usableInMs(server: Connection): Promise<Completion<number>> {
    const { session } = server;
    const known = this.#usable.get(server);
    if (known?.session === session) return { type: "ok", value: known.atMs - performance.now() };
    const reply = await server.command("INFO", "server");
    if (reply.type !== "ok") return reply;
    const uptime = /uptime_in_seconds:(\d+)/.exec(String(reply.value));
    if (uptime === null) return { type: "fail", kind: "error", reason: "the server does not say how long it is up" };
    // Whole seconds, of which the last may have just begun.
    const upForMs = (Number(uptime[1]) - 1) * 1_000;
    this.#usable.set(server, { session, atMs: performance.now() + this.#longestLeaseMs - upForMs });
    return this.usableInMs(server);
  }
}

function failed(reason: string): { readonly type: "fail"; readonly kind: "error"; readonly reason: string } {
  return { type: "fail", kind: "error", reason };
}
