import { closeSync } from "node:fs";
import { COMMANDS_FORMAT } from "../../core/messages/commands-format.ts";
import type { TopologySpec } from "../../core/topology.ts";
import type { SeenCommand } from "../../live/live-servers.ts";
import { appendWhole, openForLines, unwritable } from "../../run/output-file.ts";

/**
 * What programs outside sent and were answered, and which faults came when, as lines of JSON: docs/serve.md has their fields. No
 * history, since nobody says what the programs believe.
 */
export class WireRecording implements Disposable {
  readonly #numbers = new WeakMap<object, number>();
  readonly #path: string;
  readonly #nowMs: () => number;
  #file: number | undefined;
  #count = 0;

  /**
   * @param path replaced if it exists
   * @param nowMs milliseconds since the servers joined real time
   * @throws UserError when it cannot be written
   */
  constructor(path: string, scene: { readonly topology: TopologySpec; readonly seed: number }, nowMs: () => number) {
    this.#path = path;
    this.#file = openForLines(path, true);
    this.#nowMs = nowMs;
    this.#write({ format: COMMANDS_FORMAT, version: 1, topology: scene.topology.kind, seed: scene.seed });
  }

  /** A command was sent, or its reply has come. */
  command({ moment, exchange, ...seen }: SeenCommand): void {
    if (moment === "sent") {
      this.#count += 1;
      this.#numbers.set(exchange, this.#count);
      const { server, connection, words } = exchange;
      this.#write({ id: this.#count, sentMs: seen.atMs, client: seen.client, server, connection, words });
      return;
    }
    const id = this.#numbers.get(exchange);
    if (id !== undefined) this.#write({ id, repliedMs: seen.atMs, reply: exchange.reply });
  }

  /** Something happened: a fault, its healing, a promotion. */
  event(words: string): void {
    this.#write({ atMs: this.#nowMs(), event: words });
  }

  [Symbol.dispose](): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** @throws UserError when it cannot be written */
  #write(line: object): void {
    if (this.#file === undefined) return;
    try {
      appendWhole(this.#file, `${JSON.stringify(line)}\n`);
    } catch (error) {
      throw unwritable(this.#path, error);
    }
  }
}
