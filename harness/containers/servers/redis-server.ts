import { awaitCondition } from "../engine/await-condition.ts";
import { NodeConnection } from "../nodes/node-connection.ts";
import { dataNodeConfiguration, REDIS_PORT } from "./redis-configuration.ts";
import type { Evidence } from "../../core/system.ts";
import { COMMAND_TIMEOUT_MS, type DataServer, type Probe, type ServerAccess } from "./server-kind.ts";
import { seeStepByTime } from "./clock-step.ts";

/** An inline command of Redis; Sentinels answer it too. */
export const PING: Probe = { name: "PING", bytes: "PING\r\n" };

/** Redis 7 and Valkey write the first; Redis 8 takes an unknown directive for one of a module. */
export const BAD_REDIS_CONFIGURATION = /FATAL CONFIG FILE ERROR|Unresolved Configuration/;

/** A Redis server: master, replica or guarded resource. */
export const redisServer: DataServer = {
  role: "data",
  port: REDIS_PORT,
  probe: PING,
  renewable: true,
  badConfiguration: BAD_REDIS_CONFIGURATION,
  command: ["server"],
  image: (redisImage) => redisImage,
  configuration: dataNodeConfiguration,
  syncsLate: ({ persistence }) => persistence === "everysec",
  access: (name, address) => Promise.resolve(new RedisAccess(name, new NodeConnection(name, address))),
};

class RedisAccess implements ServerAccess {
  readonly #name: string;
  readonly #connection: NodeConnection;

  constructor(name: string, connection: NodeConnection) {
    this.#name = name;
    this.#connection = connection;
  }

  open(): void {
    this.#connection.open();
  }

  command(...args: readonly (string | number)[]): Promise<unknown> {
    return this.#connection.command(...args);
  }

  async ready(): Promise<void> {
    // A server that is still loading answers it with the error LOADING, and so is not ready.
    await this.command("DBSIZE");
  }

  async role(): Promise<"master" | "slave"> {
    const [role] = (await this.command("ROLE")) as ["master" | "slave"];
    return role;
  }

  async contents(): Promise<string> {
    return `${String(await this.command("DBSIZE"))} keys`;
  }

  async configuration(): Promise<string> {
    const flat = (await this.command("CONFIG", "GET", "*")) as readonly string[];
    // Their order changes from one start to the next.
    return flat
      .flatMap((name, index) => (index % 2 === 0 ? [`${name} ${flat[index + 1]}`] : []))
      .sort()
      .join("\n");
  }

  async clean(master?: string): Promise<void> {
    await this.#follow(master);
    await this.#forgetClients();
    await this.command("SCRIPT", "FLUSH");
    // A replica takes its data from its master, and refuses other writes.
    if (master !== undefined) return;
    await this.command("FLUSHALL");
    await this.command("FUNCTION", "FLUSH");
  }

  seeStep(ms: number, step: () => Promise<void>): Promise<Evidence> {
    return seeStepByTime(this.#name, ms, { nowMs: () => this.#nowMs(), step });
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }

  /** Undoes a failover, whose Sentinel had the server write its new master into its configuration file. */
  async #follow(master: string | undefined): Promise<void> {
    const [role, host] = (await this.command("ROLE")) as [string, string?];
    if (master === undefined ? role === "master" : role === "slave" && host === master) return;
    await (master === undefined
      ? this.command("REPLICAOF", "NO", "ONE")
      : this.command("REPLICAOF", master, REDIS_PORT));
    await this.command("CONFIG", "REWRITE");
  }

  /**
   * Ends all connections but the harness's own and those of replication, until none is left: one may still have been
   * opening.
   */
  async #forgetClients(): Promise<void> {
    await awaitCondition(`${this.#name} is left by its clients`, COMMAND_TIMEOUT_MS, async (saw) => {
      await this.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      await this.command("CLIENT", "KILL", "TYPE", "pubsub");
      const lists = [
        await this.command("CLIENT", "LIST", "TYPE", "normal"),
        await this.command("CLIENT", "LIST", "TYPE", "pubsub"),
      ];
      const clients = lists.flatMap((list) => String(list).trim().split("\n")).filter((line) => line !== "");
      saw(`${clients.length - 1} clients`);
      return clients.length === 1 ? true : undefined;
    });
  }

  async #nowMs(): Promise<number> {
    const [seconds, microseconds] = (await this.command("TIME")) as [string, string];
    return Number(seconds) * 1000 + Number(microseconds) / 1000;
  }
}
