import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { toEdn } from "../../check/edn-writer.ts";
import { messageOf, UserError } from "../../core/errors.ts";
import type { HistoryEvent } from "../../core/history.ts";

/**
 * Writes a history to a file as Jepsen's `history.edn`, while it is read. Lost notices and audits are left out: Jepsen
 * has no word for them.
 */
export class EdnFile {
  readonly #path: string;
  #stream: WriteStream | undefined;
  #failure: unknown;

  /** Nothing is opened before the first `write`: what cannot be read leaves other files alone. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Waits when the disk is slower than the reading. @throws UserError when it cannot be written */
  async write(events: readonly HistoryEvent[]): Promise<void> {
    const lines = events.flatMap((event) => toEdn(event) ?? []);
    if (lines.length === 0) return;
    await this.#try(async () => {
      if (!this.#open().write(`${lines.join("\n")}\n`)) await once(this.#open(), "drain");
    });
  }

  /** @throws UserError when it could not be written to its end */
  async end(): Promise<void> {
    await this.#try(async () => {
      const stream = this.#open();
      stream.end();
      await finished(stream);
    });
  }

  #open(): WriteStream {
    this.#stream ??= createWriteStream(this.#path).on("error", (error) => (this.#failure = error));
    return this.#stream;
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      if (this.#failure !== undefined) throw this.#failure;
      await work();
    } catch (error) {
      throw new UserError(`${this.#path} cannot be written: ${messageOf(error)}`, "name another file for --write-edn", {
        cause: error,
      });
    }
  }
}
