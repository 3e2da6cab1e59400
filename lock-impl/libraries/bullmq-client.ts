import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type * as Library from "bullmq";
import type { Redis } from "ioredis";
import type { AcquireOptions, Completion, Grant, LockClient } from "../../harness/core/lock-driver.ts";

/**
 * How often the workers look for jobs whose lock is over. By default 30 s, as long as its default lock. One that was seen
 * active before is freed; and of two looks in a row one may be skipped, since the workers share an interval.
 */
export const STALLED_INTERVAL_MS = 200;
const ASK_AGAIN_AFTER_MS = 20;

/** The job that only one worker processes at a time. */
const JOB = "lock";

type Released = { readonly released: boolean };
const RESENT: Completion<never> = {
  type: "info",
  reason: "it was sent again when a connection was lost: the first time may have taken effect",
};

/** What the library throws when a job is not locked by the worker that ends it. */
const NOT_OURS = /Missing lock|Lock mismatch|Missing key|not in the active state/;

/** The jobs of one key, and the workers that fetch them: one for each length of lock that was asked for. */
interface KeyQueue {
  readonly queue: Library.Queue;
  readonly workers: Map<number, Promise<Library.Worker>>;
}

/**
 * A worker that fetches its jobs by itself, as BullMQ documents under "Manually processing jobs". Holding a key is
 * processing the one job of its queue: whoever wants it adds the job, unless it is there, and fetches it. To release it
 * is to complete the job, which is then removed.
 */
export class BullmqClient implements LockClient {
  readonly #redis: Redis;
  readonly #library: typeof Library;
  readonly #queues = new Map<string, KeyQueue>();
  readonly #jobs = new Map<string, Library.Job>();
  /** How often its connection was lost: a pending command is sent again on the next one. */
  #reconnects = 0;

  constructor(redis: Redis, library: typeof Library) {
    this.#redis = redis;
    this.#library = library;
    redis.on("close", () => {
      this.#reconnects += 1;
    });
  }

  async acquire(key: string, options: AcquireOptions): Promise<Completion<Grant>> {
    const reconnects = this.#reconnects;
    const ttlMs = Math.floor(options.ttlMs);
    const giveUpAt = performance.now() + options.waitMs;
    const { queue, workers } = this.#queueOf(key);
    try {
      const worker = await this.#workerOf(workers, queue.name, ttlMs);
      for (;;) {
        const owner = randomUUID();
        await queue.add(JOB, {}, { jobId: JOB, removeOnComplete: true, removeOnFail: true });
        const validFromMs = performance.now();
        const job = await worker.getNextJob(owner, { block: false });
        if (job !== undefined) {
          this.#jobs.set(owner, job);
          return { type: "ok", value: { key, owner, validForMs: ttlMs, validFromMs } };
        }
        if (reconnects !== this.#reconnects) return RESENT;
        if (performance.now() >= giveUpAt || options.signal.aborted) {
          return { type: "fail", kind: "contended", reason: "another worker has the job" };
        }
        await sleep(ASK_AGAIN_AFTER_MS);
      }
    } catch (error) {
      return { type: "info", reason: String(error) };
    }
  }

  async extend({ key, owner }: Grant, ttlMs: number): Promise<Completion<Grant>> {
    const reconnects = this.#reconnects;
    const validForMs = Math.floor(ttlMs);
    const validFromMs = performance.now();
    try {
      const extended = await this.#jobOf(owner).extendLock(owner, validForMs);
      if (extended === 1) return { type: "ok", value: { key, owner, validForMs, validFromMs } };
      if (reconnects !== this.#reconnects) return RESENT;
      return { type: "fail", kind: "contended", reason: "the job is not locked by this worker" };
    } catch (error) {
      return { type: "info", reason: String(error) };
    }
  }

  async release({ owner }: Grant): Promise<Completion<Released>> {
    const reconnects = this.#reconnects;
    try {
      await this.#jobOf(owner).moveToCompleted("done", owner, false);
      return { type: "ok", value: { released: true } };
    } catch (error) {
      if (reconnects !== this.#reconnects) return RESENT;
      return NOT_OURS.test(String(error))
        ? { type: "ok", value: { released: false } }
        : { type: "info", reason: String(error) };
    } finally {
      this.#jobs.delete(owner);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const workers = [...this.#queues.values()].flatMap((queue) => [...queue.workers.values()]);
    // Closed by force: a worker that waits for its jobs waits for the server, which may be down.
    await Promise.allSettled(workers.map(async (worker) => (await worker).close(true)));
    this.#redis.disconnect();
  }

  #jobOf(owner: string): Library.Job {
    const job = this.#jobs.get(owner);
    if (job === undefined) throw new Error(`no job is locked as ${owner}`);
    return job;
  }

  #queueOf(key: string): KeyQueue {
    const known = this.#queues.get(key);
    if (known !== undefined) return known;
    // The library refuses a colon in the name of a queue.
    const queue = new this.#library.Queue(encodeURIComponent(key), { connection: this.#redis });
    queue.on("error", () => {});
    const made: KeyQueue = { queue, workers: new Map() };
    this.#queues.set(key, made);
    return made;
  }

  #workerOf(workers: KeyQueue["workers"], name: string, lockDuration: number): Promise<Library.Worker> {
    const known = workers.get(lockDuration);
    if (known !== undefined) return known;
    const worker = this.#startWorker(name, lockDuration, workers.size > 0);
    workers.set(lockDuration, worker);
    return worker;
  }

  /** One worker of a client and queue is enough to look for stalled jobs. */
  async #startWorker(name: string, lockDuration: number, skipStalledCheck: boolean): Promise<Library.Worker> {
    const worker = new this.#library.Worker(name, null, {
      connection: this.#redis,
      lockDuration,
      stalledInterval: STALLED_INTERVAL_MS,
      skipStalledCheck,
    });
    worker.on("error", () => {});
    await worker.startStalledCheckTimer();
    return worker;
  }
}
