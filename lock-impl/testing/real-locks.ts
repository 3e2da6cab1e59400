import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { Locks, type LocksOptions } from "../reference/locks.ts";
import { type RealRedis, RealServers } from "./real-redis.ts";

/** How tests wait for what must come to pass. */
export const waits = { timeout: 5_000, interval: 5 };

/**
 * Gives the tests of a file locks on real servers, which are empty before each test, and any number of clients, which
 * are closed after it.
 */
export class RealLocks {
  #real: RealServers | undefined;
  readonly #opened: Locks[] = [];

  /** To be called at the top of a test file. */
  static forThisFile(servers = 1): RealLocks {
    const real = new RealLocks();
    beforeAll(async () => {
      real.#real = await RealServers.start(servers, { "notify-keyspace-events": "Kgx" });
    });
    afterAll(async () => {
      await real.#real?.[Symbol.asyncDispose]();
    });
    beforeEach(async () => {
      await Promise.all(real.servers.servers.map(({ redis }) => redis.flushall()));
    });
    afterEach(async () => {
      await Promise.all(real.#opened.splice(0).map((locks) => locks[Symbol.asyncDispose]()));
    });
    return real;
  }

  get servers(): RealServers {
    if (this.#real === undefined) throw new Error("no server was started");
    return this.#real;
  }

  /** The first server, which the locks use unless another place is named. */
  get first(): RealRedis {
    return this.servers.first;
  }

  async connect(options: Partial<LocksOptions> = {}): Promise<Locks> {
    const locks = await Locks.connect({ servers: { kind: "single", address: this.first.address }, ...options });
    this.#opened.push(locks);
    return locks;
  }

  /** The owner value under which the key `k` is held. */
  holder(): Promise<string | null> {
    return this.first.redis.get("k");
  }

  /** How many clients listen on the channel: by default the one that announces the release of `k`. */
  async subscribers(channel = "{k}:freed"): Promise<number> {
    const reply = await this.first.redis.call("PUBSUB", "NUMSUB", channel);
    return Array.isArray(reply) ? Number(reply[1]) : -1;
  }
}
