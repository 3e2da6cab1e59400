import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "./connection.ts";
import type { Completion } from "../../harness/core/lock-driver.ts";
import type { Protocol, AcquireAnswer } from "./protocol.ts";
import { majority } from "./quorum.ts";

/** How long a client that connects waits for servers to say how long they have been up. */
const TOLD_WITHIN_MS = 8_000;
/** Before they are asked again. */
const PAUSE_MS = 20;

/**
 * Delayed restarts, the second of the two mitigations that redis.io proposes: a crashed server takes no part until
 * every lease that it may have forgotten has ended. Here the clients enforce it by the server's uptime, so it holds
 * however the server is restarted. All clients of the lock must use the same `longestLeaseMs`.
 */
export class RestartDelay {
  readonly #longestLeaseMs: number;
  readonly #usable = new WeakMap<Connection, { readonly session: number; readonly atMs: number }>();

  /** @param longestLeaseMs the longest lease that any client of this lock may ask for */
  constructor(longestLeaseMs: number) {
    this.#longestLeaseMs = longestLeaseMs;
  }

  /**
   * The protocol, granting locks only on servers that have been up long enough. Releasing and extending are allowed
   * everywhere; but a server that may have forgotten a lease cannot say that there is none.
   */
  guard(protocol: Protocol & Required<Pick<Protocol, "extend">>): Protocol {
    return {
      release: async (server, request) => this.#witness(server, await protocol.release(server, request)),
      extend: async (server, request) => this.#witness(server, await protocol.extend(server, request)),
      acquire: async (server, request): Promise<Completion<AcquireAnswer>> => {
        if (request.ttlMs > this.#longestLeaseMs) return failed(`leases may last ${this.#longestLeaseMs} ms at most`);
        const usableInMs = await this.usableInMs(server);
        if (usableInMs.type !== "ok") return failed(usableInMs.reason);
        if (usableInMs.value > 0) return failed("the server was started too short a time ago");
        return protocol.acquire(server, request);
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

  /**
   * Resolves when a majority of the servers may be used to grant locks.
   * @throws when too few say within eight seconds how long they have been up
   */
  async untilMajorityUsable(servers: readonly Connection[]): Promise<void> {
    const startedMs = performance.now();
    let waitMs = await this.#majorityUsableInMs(servers);
    // The time limit of a command suits short leases: a slow server may answer the next question.
    while (waitMs === undefined && performance.now() - startedMs < TOLD_WITHIN_MS) {
      await sleep(PAUSE_MS);
      waitMs = await this.#majorityUsableInMs(servers);
    }
    if (waitMs === undefined) throw new Error("too few servers say how long they have been up");
    await sleep(Math.max(0, waitMs));
  }

  async #majorityUsableInMs(servers: readonly Connection[]): Promise<number | undefined> {
    const answers = await Promise.all(servers.map((server) => this.usableInMs(server)));
    const waitsMs = answers.flatMap((answer) => (answer.type === "ok" ? [answer.value] : []));
    return waitsMs.toSorted((a, b) => a - b)[majority(servers.length) - 1];
  }

  /** In how many milliseconds the server may be used; 0 or less: now. Each connection asks once. */
  async usableInMs(server: Connection): Promise<Completion<number>> {
    const { session } = server;
    const known = this.#usable.get(server);
    if (known?.session === session) return { type: "ok", value: known.atMs - performance.now() };
    const reply = await server.command("INFO", "server");
    if (reply.type !== "ok") return reply;
    const uptime = /uptime_in_seconds:(\d+)/.exec(String(reply.value));
    if (uptime === null) return { type: "fail", kind: "error", reason: "the server does not say how long it is up" };
    // Uptime is in whole seconds, and the last one may have just begun.
    const upForMs = (Number(uptime[1]) - 1) * 1_000;
    this.#usable.set(server, { session, atMs: performance.now() + this.#longestLeaseMs - upForMs });
    return this.usableInMs(server);
  }
}

function failed(reason: string): { readonly type: "fail"; readonly kind: "error"; readonly reason: string } {
  return { type: "fail", kind: "error", reason };
}
