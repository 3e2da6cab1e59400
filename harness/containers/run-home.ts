import { randomBytes } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runLabels } from "./labels.ts";
import { startWatchdog, type Watchdog } from "./watchdog.ts";

/**
 * What everything of one topology is known by, to be opened before anything else: disposing it takes away all that
 * carries its labels, lies in its folder or was adopted. When this process dies instead, a watchdog does the same.
 */
export class RunHome implements AsyncDisposable {
  readonly runId: string;
  /** A folder for the files of this topology. */
  readonly folder: string;
  readonly #watchdog: Watchdog;

  private constructor(runId: string, folder: string, watchdog: Watchdog) {
    this.runId = runId;
    this.folder = folder;
    this.#watchdog = watchdog;
  }

  static async open(): Promise<RunHome> {
    const runId = randomBytes(6).toString("hex");
    const watchdog = await startWatchdog(runId);
    const folder = await mkdtemp(join(tmpdir(), `lockstorm-${runId}-`));
    watchdog.adoptPath(folder);
    return new RunHome(runId, folder, watchdog);
  }

  /** For every container and network. */
  get labels(): Readonly<Record<string, string>> {
    return runLabels(this.runId);
  }

  /** Has a process end with the rest, even when it is stopped. */
  adopt(pid: number): void {
    this.#watchdog.adopt(pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watchdog[Symbol.asyncDispose]();
  }
}
