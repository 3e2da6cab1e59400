import { MASTER_NAME } from "../../core/topologies/sentinel.ts";
import { lookFor } from "../engine/await-condition.ts";
import { NodeConnection } from "../nodes/node-connection.ts";
import { SENTINEL_PORT } from "./redis-configuration.ts";
import { HarnessError } from "../../core/errors.ts";
import type { Evidence } from "../../core/system.ts";
import { BAD_REDIS_CONFIGURATION, PING } from "./redis-server.ts";
import { COMMAND_TIMEOUT_MS, type ServerAccess, type ServerKind } from "./server-kind.ts";
import { inFigures } from "../../core/words/in-figures.ts";

/** A Sentinel whose clock steps back, or forward by more than this, enters TILT (Redis documentation, Sentinel, "TILT mode"). */
const TILT_TRIGGER_MS = 2_000;

/**
 * A Redis Sentinel. All that it remembers of failovers and of others belongs to its master, except the epoch, which
 * all Sentinels share, and a disturbed clock.
 */
export const sentinelServer: ServerKind = {
  role: "sentinel",
  port: SENTINEL_PORT,
  probe: PING,
  renewable: true,
  badConfiguration: BAD_REDIS_CONFIGURATION,
  image: (redisImage) => redisImage,
  access: (name, address) => Promise.resolve(new SentinelAccess(name, new NodeConnection(name, address))),
};

class SentinelAccess implements ServerAccess {
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
    await this.command("PING");
  }

  role(): Promise<"master" | "slave"> {
    return this.#holdsNoData();
  }

  contents(): Promise<string> {
    return Promise.resolve("");
  }

  configuration(): Promise<string> {
    return Promise.resolve("");
  }

  async clean(): Promise<void> {
    if (String(await this.command("INFO", "sentinel")).includes("sentinel_tilt:1"))
      throw new HarnessError(`${this.#name} is in TILT`);
    const masters = (await this.command("SENTINEL", "MASTERS")) as readonly unknown[];
    if (masters.length > 0) await this.command("SENTINEL", "REMOVE", MASTER_NAME);
  }

  /** It has no command that returns the time; a jump shows as TILT. */
  async seeStep(ms: number, step: () => Promise<void>): Promise<Evidence> {
    await step();
    if (ms >= 0 && ms <= TILT_TRIGGER_MS) {
      return { observed: false, detail: `${this.#name} stepped by ${inFigures(ms)} ms, too little to show` };
    }
    const tilted = await lookFor(COMMAND_TIMEOUT_MS, async () =>
      String(await this.command("INFO", "sentinel")).includes("sentinel_tilt:1") ? true : undefined,
    );
    return { observed: tilted === true, detail: `${this.#name} ${tilted ? "entered" : "did not enter"} TILT` };
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }

  #holdsNoData(): Promise<never> {
    return Promise.reject(new HarnessError(`${this.#name} is a Sentinel: it holds no data`));
  }
}
