import type { Evidence } from "../core/system.ts";
import { lookFor } from "./await-condition.ts";
import type { ControlDirectory } from "./control.ts";
import { COMMAND_TIMEOUT_MS, type NodeConnection } from "./node-connection.ts";

/** A Sentinel whose clock steps back, or forward by more than this, enters TILT (Redis documentation, Sentinel, "TILT mode"). */
const TILT_TRIGGER_MS = 2_000;

/** The wall clock of one server, which remembers by how much it has been stepped. */
export class NodeClock {
  readonly #name: string;
  readonly #control: ControlDirectory;
  readonly #connection: NodeConnection;
  #offsetMs = 0;

  constructor(name: string, control: ControlDirectory, connection: NodeConnection) {
    this.#name = name;
    this.#control = control;
    this.#connection = connection;
  }

  /** Whether it shows the true time. */
  get isRight(): boolean {
    return this.#offsetMs === 0;
  }

  /** Steps it, and does not look. */
  async step(ms: number): Promise<void> {
    if (ms !== 0) this.#offsetMs = await this.#control.jumpClock(ms);
  }

  /** Undoes every step. */
  async correct(): Promise<void> {
    await this.step(-this.#offsetMs);
  }

  /** Steps it, and asks the server for the time before and after. */
  async jump(ms: number): Promise<Evidence> {
    const before = await this.#errorMs();
    await this.step(ms);
    const after = await this.#errorMs();
    const detail = `the clock of ${this.#name} was ${before} ms off, then ${after} ms`;
    // TIME has microseconds, but the answer travels: a few milliseconds either way are the harness's own.
    return { observed: Math.abs(after - before - ms) < 50, detail };
  }

  /** Steps it under a Sentinel, which has no command that tells the time; what shows is TILT. */
  async jumpUnderSentinel(ms: number): Promise<Evidence> {
    await this.step(ms);
    if (ms >= 0 && ms <= TILT_TRIGGER_MS) {
      return { observed: false, detail: `${this.#name} stepped by ${ms} ms, too little to show` };
    }
    const tilted = await lookFor(COMMAND_TIMEOUT_MS, async () =>
      String(await this.#connection.command("INFO", "sentinel")).includes("sentinel_tilt:1") ? true : undefined,
    );
    return { observed: tilted === true, detail: `${this.#name} ${tilted ? "entered" : "did not enter"} TILT` };
  }

  /** By how much the server's wall clock differs from the harness's, in whole milliseconds. */
  async #errorMs(): Promise<number> {
    const [seconds, microseconds] = (await this.#connection.command("TIME")) as [string, string];
    return Math.round(Number(seconds) * 1000 + Number(microseconds) / 1000 - Date.now());
  }
}
