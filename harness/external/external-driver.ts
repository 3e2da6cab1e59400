import { setTimeout } from "node:timers/promises";
import { InvalidAnswerError } from "../core/errors.ts";
import { boundedLog } from "./bounded-log.ts";
import type { WorkerLock } from "../../lock-impl/worker-lock.ts";
import type {
  AcquireOptions,
  Completion,
  Grant,
  LockClient,
  LockDriver,
  LockEnvironment,
  Queued,
  Renewed,
} from "../core/lock-driver.ts";
import { statedSharing, type Supports } from "../core/sharing.ts";
import type { z } from "zod";
import type { Failed } from "./protocol.ts";
import { grantedSchema, PROTOCOL_VERSION, releasedSchema } from "./protocol.ts";
import type { WorkerEnd } from "./worker-process.ts";
import { type WorkerEvent, WorkerSession } from "./worker-session.ts";

/** A worker that does not wait is asked again after this many milliseconds. */
const BETWEEN_TRIES_MS = 50;

/**
 * A lock in any language as a driver: each client is a process of the worker's. For real time only. The process stays in the
 * process group of this one, so that a signal to the group reaches it too.
 */
export function externalDriver(worker: WorkerLock): LockDriver {
  return { leases: worker.leases, connect: (environment) => ExternalClient.connect(worker, environment) };
}

class ExternalClient implements LockClient {
  readonly #session: WorkerSession;
  readonly #origin: bigint;
  readonly #lost: ((lost: { readonly key: string; readonly owner: string }) => void)[];
  readonly #renewed: ((renewed: Renewed) => void)[];
  readonly #queued: ((queued: Queued) => void)[];
  readonly supports: Supports;
  /** Absent where the lock cannot extend. */
  readonly extend?: (grant: Grant, ttlMs: number) => Promise<Completion<Grant>>;

  private constructor(session: WorkerSession, origin: bigint, listeners: Listeners) {
    this.#session = session;
    this.#origin = origin;
    this.#lost = listeners.lost;
    this.#renewed = listeners.renewed;
    this.#queued = listeners.queued;
    this.supports = session.capabilities.supports ?? {};
    if (session.capabilities.extend !== "none") {
      this.extend = async ({ key, owner }, ttlMs) =>
        this.#granted(key, await session.ask({ op: "extend", key, owner, ttlMs }, grantedSchema));
    }
  }

  static async connect(
    { name, command, supports }: WorkerLock,
    { client, servers }: LockEnvironment,
  ): Promise<ExternalClient> {
    const origin = process.hrtime.bigint();
    const listeners: Listeners = { lost: [], renewed: [], queued: [] };
    const session = await WorkerSession.open({
      command,
      name,
      supports,
      first: { protocol: PROTOCOL_VERSION, client, origin: String(origin), servers },
      log: boundedLog((text) => void process.stderr.write(text)),
      ownGroup: false,
      onEvent: (event) => tell(listeners, origin, event),
      onEnd: endLikewise,
    });
    return new ExternalClient(session, origin, listeners);
  }

  /** A worker that does not wait is asked again until the wait is over. */
  async acquire(key: string, { ttlMs, waitMs, signal, ...asked }: AcquireOptions): Promise<Completion<Grant>> {
    const { waits } = this.#session.capabilities;
    const request = { op: "acquire", key, ttlMs, waitMs: waits ? waitMs : 0, ...statedSharing(asked) } as const;
    const lastTry = waits ? Number.NEGATIVE_INFINITY : performance.now() + waitMs - BETWEEN_TRIES_MS;
    for (;;) {
      const answer = await this.#session.ask(request, grantedSchema);
      const isRefused = !answer.ok && answer.kind === "contended";
      if (!isRefused || performance.now() >= lastTry || signal.aborted) return this.#granted(key, answer);
      await setTimeout(BETWEEN_TRIES_MS);
    }
  }

  async release({ key, owner }: Grant): Promise<Completion<{ readonly released: boolean }>> {
    const answer = await this.#session.ask({ op: "release", key, owner }, releasedSchema);
    return answer.ok ? { type: "ok", value: { released: answer.released } } : notDone(answer);
  }

  onLost(listener: (lost: { readonly key: string; readonly owner: string }) => void): void {
    this.#lost.push(listener);
  }

  onRenewed(listener: (renewed: Renewed) => void): void {
    this.#renewed.push(listener);
  }

  onQueued(listener: (queued: Queued) => void): void {
    this.#queued.push(listener);
  }

  async wallMs(): Promise<number> {
    return (await this.#session.clock()).wallMs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]();
  }

  #granted(key: string, answer: ({ readonly ok: true } & z.infer<typeof grantedSchema>) | Failed): Completion<Grant> {
    if (!answer.ok) return notDone(answer);
    const { owner, fence, place, validForMs, grantedAt } = answer;
    if (grantedAt > Number(process.hrtime.bigint() - this.#origin))
      throw new InvalidAnswerError("`grantedAt` is still to come: it counts nanoseconds from `origin`");
    const validity = validForMs === undefined ? {} : { validForMs, validFromMs: readingAt(this.#origin, grantedAt) };
    return { type: "ok", value: { key, owner, fence, place, ...validity } };
  }
}

interface Listeners {
  readonly lost: ((lost: { readonly key: string; readonly owner: string }) => void)[];
  readonly renewed: ((renewed: Renewed) => void)[];
  readonly queued: ((queued: Queued) => void)[];
}

function tell({ lost, renewed, queued }: Listeners, origin: bigint, event: WorkerEvent): void {
  const { key } = event;
  switch (event.event) {
    case "lost":
      for (const listener of lost) listener({ key, owner: event.owner });
      return;
    case "renewed": {
      const { owner, validForMs } = event;
      const validFromMs = readingAt(origin, event.grantedAt);
      for (const listener of renewed) listener({ key, owner, validForMs, validFromMs });
      return;
    }
    case "queued":
      for (const listener of queued) listener({ key });
  }
}

/** The reading of `performance.now()` at the given number of nanoseconds after `origin`. */
function readingAt(origin: bigint, grantedAt: number): number {
  return performance.now() - (Number(process.hrtime.bigint() - origin) - grantedAt) / 1e6;
}

function notDone({ kind, reason }: Failed): Completion<never> {
  if (kind === "indeterminate") return { type: "info", reason };
  // What a lock does not support it has not done.
  return { type: "fail", kind: kind === "contended" ? kind : "error", reason };
}

/** Signals by which the system ends a program for what the program itself did. */
const OF_ITS_OWN = new Set<NodeJS.Signals>([
  "SIGABRT",
  "SIGBUS",
  "SIGFPE",
  "SIGILL",
  "SIGPIPE",
  "SIGSEGV",
  "SIGSYS",
  "SIGTRAP",
]);

/**
 * A client without its worker is a client that died: of the same signal if somebody sent it, or of an error that nobody
 * caught.
 */
function endLikewise({ signal, how }: WorkerEnd): void {
  if (signal !== undefined && !OF_ITS_OWN.has(signal)) process.kill(process.pid, signal);
  else
    setImmediate(() => {
      throw new Error(`the worker ended: ${how}`);
    });
}
