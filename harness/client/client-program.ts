import type { Completion, Grant, LockClient, LockDriver, LockEnvironment, Address } from "../../lock-impl/driver.ts";
import { messageOf } from "../core/errors.ts";
import type { ClientReply, ClientRequest } from "../core/system.ts";
import { GuardedResource } from "./guarded-resource.ts";

/** How long beyond its `waitMs` an operation may take before it is given up as indeterminate. */
export const OPERATION_GRACE_MS = 10_000;
const RESOURCE_TIMEOUT_MS = 5_000;

export interface ClientProgramOptions {
  readonly driver: LockDriver;
  readonly environment: LockEnvironment;
  readonly resource: Address;
  /** Whether the guarded resource checks fencing tokens. */
  readonly fencing: boolean;
  /** The true clock: integer nanoseconds since the start of the run, whatever this client's own clocks say. */
  readonly trueNow: () => number;
}

/**
 * What runs inside a client, on either backend: it performs requests with the lock under test and on the guarded
 * resource, one at a time, and turns whatever happens into a reply. A driver that throws leaves the operation
 * indeterminate, because nobody knows how far it came.
 */
export class ClientProgram implements AsyncDisposable {
  readonly #lock: LockClient;
  readonly #resource: GuardedResource;
  readonly #trueNow: () => number;
  readonly #grants = new Map<string, Grant>();

  private constructor(lock: LockClient, resource: GuardedResource, trueNow: () => number) {
    this.#lock = lock;
    this.#resource = resource;
    this.#trueNow = trueNow;
  }

  /** Connects the lock and the guarded resource. @throws what the driver throws, or when the resource cannot be reached */
  static async start(options: ClientProgramOptions): Promise<ClientProgram> {
    const [lock, resource] = await Promise.allSettled([
      options.driver.connect(options.environment),
      GuardedResource.connect(options.resource, { fencing: options.fencing, timeoutMs: RESOURCE_TIMEOUT_MS }),
    ]);
    if (lock.status === "fulfilled" && resource.status === "fulfilled") {
      return new ClientProgram(lock.value, resource.value, options.trueNow);
    }
    // Whichever did connect would keep the process alive.
    for (const end of [lock, resource]) if (end.status === "fulfilled") await end.value[Symbol.asyncDispose]();
    throw lock.status === "rejected" ? lock.reason : (resource as PromiseRejectedResult).reason;
  }

  /** Calls `listener` when the lock reports a lease as lost. */
  onLost(listener: (lost: { readonly key: string; readonly owner: string }) => void): void {
    this.#lock.onLost?.(listener);
  }

  /** Performs one request. Never rejects. */
  async perform(request: ClientRequest): Promise<ClientReply> {
    try {
      return await this.#perform(request);
    } catch (error) {
      return { ok: false, kind: "indeterminate", reason: `the driver threw: ${messageOf(error)}` };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([this.#lock[Symbol.asyncDispose](), this.#resource[Symbol.asyncDispose]()]);
  }

  #perform(request: ClientRequest): Promise<ClientReply> {
    switch (request.op) {
      case "acquire":
        return this.#acquire(request);
      case "extend":
        return this.#extend(request);
      case "release":
        return this.#release(request);
      case "read":
        return this.#resource.read(request.key);
      case "write":
        return this.#resource.write(request);
    }
  }

  async #acquire({ key, ttlMs, waitMs }: Extract<ClientRequest, { op: "acquire" }>): Promise<ClientReply> {
    const reply = await withDeadline(waitMs + OPERATION_GRACE_MS, (signal) =>
      this.#lock.acquire(key, { ttlMs, waitMs, signal }),
    );
    return this.#granted(reply);
  }

  async #extend({ key, owner, ttlMs }: Extract<ClientRequest, { op: "extend" }>): Promise<ClientReply> {
    const extend = this.#lock.extend?.bind(this.#lock);
    if (extend === undefined) return { ok: false, kind: "unsupported", reason: "the driver cannot extend a lease" };
    return this.#granted(await withDeadline(OPERATION_GRACE_MS, () => extend(this.#grant(key, owner), ttlMs)));
  }

  async #release({ key, owner }: Extract<ClientRequest, { op: "release" }>): Promise<ClientReply> {
    const completion = await withDeadline(OPERATION_GRACE_MS, () => this.#lock.release(this.#grant(key, owner)));
    if (completion.type === "ok") this.#grants.delete(grantKey(key, owner));
    return completion.type === "ok" ? { ok: true, released: completion.value.released } : failure(completion);
  }

  #granted(completion: Completion<Grant>): ClientReply {
    if (completion.type !== "ok") return failure(completion);
    const { key, owner, fence, validForMs } = completion.value;
    this.#grants.set(grantKey(key, owner), completion.value);
    return {
      ok: true,
      owner,
      ...(fence === undefined ? {} : { fence }),
      ...(validForMs === undefined ? {} : { validForMs }),
      grantedAt: this.#trueNow(),
    };
  }

  #grant(key: string, owner: string): Grant {
    const grant = this.#grants.get(grantKey(key, owner));
    if (grant === undefined) throw new Error(`this client holds no grant of ${key} as ${owner}`);
    return grant;
  }
}

/** Runs an operation of the driver, and gives it up as indeterminate when it does not come back. */
async function withDeadline<T>(
  deadlineMs: number,
  operation: (signal: AbortSignal) => Promise<Completion<T>>,
): Promise<Completion<T>> {
  const controller = new AbortController();
  const expired = Promise.withResolvers<Completion<T>>();
  const timer = setTimeout(() => {
    controller.abort(new Error("the operation took too long"));
    expired.resolve({ type: "info", reason: `no answer from the driver within ${deadlineMs} ms` });
  }, deadlineMs);
  try {
    return await Promise.race([operation(controller.signal), expired.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function failure(completion: Exclude<Completion<unknown>, { type: "ok" }>): ClientReply {
  const { reason } = completion;
  return { ok: false, kind: completion.type === "info" ? "indeterminate" : completion.kind, reason };
}

function grantKey(key: string, owner: string): string {
  return `${key}\0${owner}`;
}
