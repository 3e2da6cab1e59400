import { toEdn } from "../../history/edn/edn-writer.ts";
import type { HistoryEvent } from "../../history/history.ts";
import { ReplacedFile } from "../../run/output-file.ts";

/**
 * Writes a history to a file as Jepsen's `history.edn`, while the history is read. Lost notices and audits are left
 * out, because Jepsen has no equivalent. The file appears only when it is complete.
 */
export class EdnFile implements Disposable {
  readonly #path: string;
  #file: ReplacedFile | undefined;

  /** Nothing is opened before the first `write`: an unreadable history leaves other files untouched. */
  constructor(path: string) {
    this.#path = path;
  }

  /** @throws UserError when it cannot be written */
  write(events: readonly HistoryEvent[]): void {
    const lines = events.flatMap((event) => toEdn(event) ?? []);
    if (lines.length > 0) this.#open().append(`${lines.join("\n")}\n`);
  }

  /** @throws UserError when the file could not be completed */
  end(): void {
    this.#open().finish();
  }

  [Symbol.dispose](): void {
    this.#file?.[Symbol.dispose]();
  }

  #open(): ReplacedFile {
    return (this.#file ??= new ReplacedFile(this.#path));
  }
}
