import type {
  Completion,
  Grant,
  LockClient,
  LockDriver,
  LockEnvironment,
  Address,
  Queued,
} from "../core/lock-driver.ts";
import { InvalidAnswerError, messageOf, UnusableClientError } from "../core/errors.ts";
import { inFigures } from "../core/words/in-figures.ts";
import { lacking, statedSharing, SUPPORT_WORDS, type Supports } from "../core/sharing.ts";
import type { ResourceChecks } from "../core/plan.ts";
import { SerialQueue } from "../core/serial-queue.ts";
import type { ClientReply, ClientRequest, RenewedLease } from "../core/system.ts";
import {
  grantProblem,
  lostProblem,
  queuedProblem,
  renewedProblem,
  refuseNoClient,
  releaseProblem,
  shortReason,
} from "./driver-answers.ts";
import { ClientTimers, type Timers, withoutFakingTimers } from "./fake-timers.ts";
import { GuardedResource } from "./guarded-resource.ts";

/** How long an operation may take beyond its `waitMs` before it is given up as indeterminate. */
export const OPERATION_GRACE_MS = 10_000;
const RESOURCE_TIMEOUT_MS = 5_000;

export interface ClientProgramOptions {
  readonly driver: LockDriver;
  readonly environment: LockEnvironment;
  readonly resource: Address;
  readonly checks: ResourceChecks;
  /** The true clock: integer nanoseconds since the start of the run, independent of this client's own clocks. */
  readonly trueNow: () => number;
  /** The timers of the client's process (default: those of this one). */
  readonly timers?: Timers | undefined;
}

/**
 * The program inside a client, on either backend: it performs requests with the lock under test and on the guarded
 * resource, and turns every outcome into a reply. Operations of the lock are called one after another, unless its driver
 * declares `concurrent`. A driver that throws leaves the operation indeterminate, because it is unknown how far it got.
 */
export class ClientProgram implements AsyncDisposable {
  readonly #lock: LockClient;
  readonly #supports: Supports;
  readonly #resource: GuardedResource;
  readonly #trueNow: () => number;
  readonly #timers: Timers;
  #mistake: ClientReply | undefined;
  readonly #queue = new SerialQueue();
  /** The driver's grants, also those that were released: a client may ask once more. */
  readonly #grants = new Map<string, Grant>();

  private constructor(
    lock: LockClient,
    resource: GuardedResource,
    { driver, trueNow }: Pick<ClientProgramOptions, "driver" | "trueNow">,
    timers: Timers,
  ) {
    this.#lock = lock;
    this.#supports = lock.supports ?? driver.supports ?? {};
    this.#resource = resource;
    this.#trueNow = trueNow;
    this.#timers = timers;
  }

  /** Connects the lock and the guarded resource. @throws what the driver throws, or when the resource cannot be reached */
  static async start(options: ClientProgramOptions): Promise<ClientProgram> {
    const { driver, environment, checks, timers = new ClientTimers() } = options;
    const faked = Promise.withResolvers<never>();
    const connecting = withoutFakingTimers(timers, () => driver.connect(environment));
    connecting.catch((error: unknown) => error instanceof UnusableClientError && faked.reject(error));
    // Without timers the resource may never be reached.
    const [lock, resource] = await Promise.race([
      Promise.allSettled([
        connecting,
        GuardedResource.connect(options.resource, { checks, timeoutMs: RESOURCE_TIMEOUT_MS }),
      ]),
      faked.promise,
    ]);
    if (lock.status === "fulfilled" && resource.status === "fulfilled") {
      refuseNoClient(lock.value);
      return new ClientProgram(lock.value, resource.value, options, timers);
    }
    // The one that did connect would keep the process alive.
    if (lock.status === "fulfilled") await closeLock(lock.value);
    if (resource.status === "fulfilled") await resource.value[Symbol.asyncDispose]();
    throw lock.status === "rejected" ? lock.reason : (resource as PromiseRejectedResult).reason;
  }

  /** Calls `listener` when the lock reports a lease as lost. The next reply mentions an invalid report. */
  onLost(listener: (lost: { readonly key: string; readonly owner: string }) => void): void {
    this.#lock.onLost?.((lost) => {
      const problem = lostProblem(lost);
      if (problem === undefined) listener(lost);
      else this.#mistake ??= invalidAnswer("onLost", problem);
    });
  }

  /** Calls `listener` when the lock reports that it has prolonged a lease by itself. */
  onRenewed(listener: (renewed: RenewedLease) => void): void {
    this.#lock.onRenewed?.((renewed) => {
      const problem = renewedProblem(renewed);
      if (problem !== undefined) {
        this.#mistake ??= invalidAnswer("onRenewed", problem);
        return;
      }
      const { key, owner, validForMs, validFromMs } = renewed;
      listener({ key, owner, validForMs, grantedAt: this.#counted(validFromMs) });
    });
  }

  /** Calls `listener` when a lock that supports `fair` reports that an acquire stands in its queue. */
  onQueued(listener: (queued: Queued) => void): void {
    if (this.#supports.fair !== true) return;
    this.#lock.onQueued?.((queued) => {
      const problem = queuedProblem(queued);
      if (problem === undefined) listener({ key: queued.key });
      else this.#mistake ??= invalidAnswer("onQueued", problem);
    });
  }

  /**
   * Performs one request.
   * @throws UnusableClientError if the lock fakes the timers of its process; never anything else
   */
  async perform(request: ClientRequest): Promise<ClientReply> {
    try {
      const reply = await this.#perform(request);
      const mistake = this.#mistake;
      this.#mistake = undefined;
      return mistake ?? reply;
    } catch (error) {
      if (error instanceof UnusableClientError) throw error;
      if (error instanceof InvalidAnswerError) {
        return { ok: false, kind: "invalid-answer", reason: shortReason(error.message) };
      }
      return { ok: false, kind: "indeterminate", reason: `the driver threw: ${messageOf(error)}` };
    }
  }

  /** The wall clock that the lock reads, in milliseconds since 1970. @throws InvalidAnswerError when it has no answer */
  async wallMs(): Promise<number> {
    return this.#lock.wallMs === undefined ? Date.now() : this.#lock.wallMs();
  }

  /** Closes the lock and the resource. @throws what the driver throws */
  async close(): Promise<void> {
    const [closed] = await Promise.allSettled([closeLock(this.#lock), this.#resource[Symbol.asyncDispose]()]);
    if (closed.status === "rejected") throw closed.reason;
  }

  /** The same, whatever the driver throws: nobody needs the client any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([this.close()]);
  }

  #perform(request: ClientRequest): Promise<ClientReply> {
    switch (request.op) {
      case "acquire":
        return this.#inTurn(() => this.#acquire(request));
      case "extend":
        return this.#inTurn(() => this.#extend(request));
      case "release":
        return this.#inTurn(() => this.#release(request));
      case "read":
        return this.#resource.read(request.key);
      case "write":
        return this.#resource.write(request);
    }
  }

  /** Calls an operation of the lock when the ones before it are over, if its driver knows only one at a time. */
  #inTurn(operation: () => Promise<ClientReply>): Promise<ClientReply> {
    return this.#supports.concurrent === true ? operation() : this.#queue.run(operation);
  }

  async #acquire({ key, ttlMs, waitMs, ...asked }: Extract<ClientRequest, { op: "acquire" }>): Promise<ClientReply> {
    const lacks = lacking(this.#supports, asked);
    if (lacks !== undefined)
      return { ok: false, kind: "unsupported", reason: `the driver does not support ${SUPPORT_WORDS[lacks]}` };
    const sharing = statedSharing(asked);
    const completion = await this.#withDeadline(
      waitMs + OPERATION_GRACE_MS,
      (signal) => this.#lock.acquire(key, { ttlMs, waitMs, signal, ...sharing }),
      // Nobody needs it any more, and a lock that renews its leases would keep it for ever.
      async (late) => {
        if (late.type === "ok") await this.#lock.release(late.value);
      },
    );
    return this.#granted("acquire", key, completion);
  }

  async #extend({ key, owner, ttlMs }: Extract<ClientRequest, { op: "extend" }>): Promise<ClientReply> {
    const extend = this.#lock.extend?.bind(this.#lock);
    if (extend === undefined) return { ok: false, kind: "unsupported", reason: "the driver cannot extend a lease" };
    const completion = await this.#withDeadline(OPERATION_GRACE_MS, () => extend(this.#grant(key, owner), ttlMs));
    return this.#granted("extend", key, completion);
  }

  async #release({ key, owner }: Extract<ClientRequest, { op: "release" }>): Promise<ClientReply> {
    const completion = await this.#withDeadline(OPERATION_GRACE_MS, () => this.#lock.release(this.#grant(key, owner)));
    const problem = releaseProblem(completion);
    if (problem !== undefined) return invalidAnswer("release", problem);
    if (completion.type !== "ok") return failure(completion);
    return { ok: true, released: completion.value.released };
  }

  /**
   * Runs an operation of the driver, and gives it up as indeterminate if it does not return in time. If it returns later,
   * `late` gets its answer.
   */
  async #withDeadline<T>(
    deadlineMs: number,
    operation: (signal: AbortSignal) => Promise<Completion<T>>,
    late: (completion: Completion<T>) => Promise<void> = () => Promise.resolve(),
  ): Promise<Completion<T>> {
    const controller = new AbortController();
    const expired = Promise.withResolvers<Completion<T>>();
    const running = withoutFakingTimers(this.#timers, () => operation(controller.signal));
    const callOff = this.#timers.after(deadlineMs, () => {
      // The late answer may be anything, and the release may fail: nobody needs either.
      running.then(late).catch(() => {});
      controller.abort(new Error("the operation took too long"));
      expired.resolve({ type: "info", reason: `no answer from the driver within ${inFigures(deadlineMs)} ms` });
    });
    try {
      return await Promise.race([running, expired.promise]);
    } finally {
      callOff();
      this.#timers.refuseFaking();
    }
  }

  #granted(method: string, key: string, completion: Completion<Grant>): ClientReply {
    const problem = grantProblem(completion, key);
    if (problem !== undefined) return invalidAnswer(method, problem);
    if (completion.type !== "ok") return failure(completion);
    const { owner, fence, place, validForMs, validFromMs } = completion.value;
    const grantedAt = this.#counted(validFromMs);
    this.#grants.set(grantKey(key, owner), completion.value);
    return {
      ok: true,
      owner,
      ...(fence === undefined ? {} : { fence }),
      ...(place === undefined ? {} : { place }),
      ...(validForMs === undefined ? {} : { validForMs }),
      grantedAt,
    };
  }

  /** When a validity that counts from this reading of `performance.now()`, or from now, begins on the true clock. */
  #counted(validFromMs: number | undefined): number {
    // In this order, time that passes between the two readings shortens the promise and does not prolong it.
    const seenAt = this.#trueNow();
    const agoMs = validFromMs === undefined ? 0 : Math.max(0, performance.now() - validFromMs);
    return Math.max(0, seenAt - Math.round(agoMs * 1e6));
  }

  #grant(key: string, owner: string): Grant {
    const grant = this.#grants.get(grantKey(key, owner));
    if (grant === undefined) throw new Error(`this client was never granted ${key} as ${owner}`);
    return grant;
  }
}

async function closeLock(lock: LockClient): Promise<void> {
  // A driver without types may have none.
  const close: unknown = lock[Symbol.asyncDispose];
  if (typeof close !== "function") throw new Error("the client has no method [Symbol.asyncDispose]");
  await lock[Symbol.asyncDispose]();
}

function failure(completion: Exclude<Completion<unknown>, { type: "ok" }>): ClientReply {
  const { reason } = completion;
  return {
    ok: false,
    kind: completion.type === "info" ? "indeterminate" : completion.kind,
    reason: shortReason(reason),
  };
}

/** The driver's operation may or may not have taken effect: its answer does not say. */
function invalidAnswer(method: string, problem: string): ClientReply {
  return { ok: false, kind: "invalid-answer", reason: `the answer of ${method}: ${problem}` };
}

function grantKey(key: string, owner: string): string {
  return `${key}\0${owner}`;
}
