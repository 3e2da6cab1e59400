import { readFileSync } from "node:fs";
import { Redis } from "ioredis";
import type { Address } from "../core/lock-driver.ts";
import { AUDIT_STREAM, RESOURCE_STATE } from "../core/audit-log.ts";
import { messageOf } from "../core/errors.ts";
import type { ResourceChecks } from "../core/plan.ts";
import type { ClientReply, ClientRequest } from "../core/system.ts";

const script = readFileSync(new URL("guarded-write.lua", import.meta.url), "utf8");

/** The hash that holds the state of one guarded key: `position`, `data`, the largest `fence` and its `owner`. */
function stateKey(key: string): string {
  return `${RESOURCE_STATE}${key}`;
}

interface GuardedRedis extends Redis {
  guardedWrite(
    state: string,
    log: string,
    key: string,
    owner: string,
    fence: number | "",
    data: string,
    basedOn: number | "",
    fencing: "1" | "0",
    versions: "1" | "0",
  ): Promise<[accepted: number, position: number, max: string]>;
}

type WriteRequest = Extract<ClientRequest, { op: "write" }>;

/**
 * A client's connection to the guarded resource: a store that refuses a write whose fencing token is lower than the
 * largest it has accepted, or equal to it from another owner (Kleppmann 2016, "Making the lock safe with fencing"), or,
 * checking versions, one that is not based on its present position: compare and set, which needs no lock to be safe.
 * A time-out or a broken connection leaves a write indeterminate; it is never sent twice.
 */
export class GuardedResource implements AsyncDisposable {
  readonly #redis: GuardedRedis;
  readonly #checks: ResourceChecks;

  private constructor(redis: GuardedRedis, checks: ResourceChecks) {
    this.#redis = redis;
    this.#checks = checks;
  }

  /** Connects. @throws when the resource cannot be reached */
  static async connect(
    address: Address,
    options: { readonly checks: ResourceChecks; readonly timeoutMs: number },
  ): Promise<GuardedResource> {
    const redis = new Redis({
      ...address,
      lazyConnect: true,
      protocol: 2,
      // A write sent again after a reconnect could be applied twice; one that waits in a queue could be applied late.
      autoResendUnfulfilledCommands: false,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: options.timeoutMs,
      connectTimeout: options.timeoutMs,
      retryStrategy: () => 20,
      scripts: { guardedWrite: { lua: script, numberOfKeys: 2 } },
    });
    // Connection errors reach the caller through the command that they fail.
    redis.on("error", () => {});
    try {
      await redis.connect();
    } catch (error) {
      redis.disconnect();
      throw error;
    }
    return new GuardedResource(redis as GuardedRedis, options.checks);
  }

  /** Number of writes applied so far. A read never changes anything, so a failed one is an `error`. */
  async read(key: string): Promise<ClientReply> {
    try {
      const position = await this.#redis.hget(stateKey(key), "position");
      return { ok: true, position: Number(position ?? 0) };
    } catch (error) {
      return { ok: false, kind: "error", reason: messageOf(error) };
    }
  }

  async write(request: WriteRequest): Promise<ClientReply> {
    const wasConnected = this.#redis.status === "ready";
    try {
      const [accepted, position, max] = await this.#redis.guardedWrite(
        stateKey(request.key),
        AUDIT_STREAM,
        request.key,
        request.owner,
        request.fence ?? "",
        request.data,
        request.basedOn ?? "",
        this.#checks.fencing ? "1" : "0",
        this.#checks.versions ? "1" : "0",
      );
      if (accepted === 1) return { ok: true, position };
      const reason =
        this.#checks.versions && request.basedOn !== undefined && request.basedOn !== position
          ? `it is based on position ${request.basedOn}, but position ${position} was written since`
          : `fencing token ${request.fence} is stale: ${max} was accepted before`;
      return { ok: false, kind: "refused", reason };
    } catch (error) {
      // An error that the resource itself returned states that nothing was applied.
      const certain = !wasConnected || (error instanceof Error && error.name === "ReplyError");
      return { ok: false, kind: certain ? "error" : "indeterminate", reason: messageOf(error) };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#redis.disconnect();
  }
}
