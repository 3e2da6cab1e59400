import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf, UserError } from "../../core/errors.ts";

/** The logs of the clients of each check. At the end those remain that something found names, for the driver's author to read. */
export class ConformLogs implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "lockstorm-conform-"));
  /** The folder of each check so far, and whether it remains. */
  readonly #folders = new Map<string, boolean>();

  /** The folder for the logs of a check, which exists already if the check is tried again. */
  of(check: string): string {
    const folder = join(this.#folder, check);
    mkdirSync(folder, { recursive: true });
    this.#folders.set(folder, false);
    return folder;
  }

  /** Keeps the logs that these words name. */
  keepNamedIn(words: string): void {
    for (const folder of this.#folders.keys()) if (words.includes(folder)) this.#folders.set(folder, true);
  }

  /** Keeps the logs that the error names. */
  keepNamedBy(error: unknown): void {
    this.keepNamedIn(error instanceof UserError ? `${error.message} ${error.hint}` : messageOf(error));
  }

  [Symbol.dispose](): void {
    for (const [folder, remains] of this.#folders) if (!remains) rmSync(folder, { recursive: true, force: true });
    if (![...this.#folders.values()].includes(true)) rmdirSync(this.#folder);
  }
}
