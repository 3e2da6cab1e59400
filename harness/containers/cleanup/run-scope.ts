import { randomBytes } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runLabels } from "./labels.ts";
import { startWatchdog, type Watchdog } from "./watchdog.ts";

/**
 * Owns everything that one topology creates. Open it before anything else: disposing it removes all containers and
 * networks with its labels, its folder, and the processes that it adopted. If this process dies, a watchdog does the
 * same.
 */
export class RunScope implements AsyncDisposable {
  readonly runId: string;
  /** A folder for the files of this topology. */
  readonly folder: string;
  readonly #watchdog: Watchdog;

  private constructor(runId: string, folder: string, watchdog: Watchdog) {
    this.runId = runId;
    this.folder = folder;
    this.#watchdog = watchdog;
  }

  /** @param usesEngine false: there will be no containers and no networks */
  static async open(usesEngine = true): Promise<RunScope> {
    const runId = randomBytes(6).toString("hex");
    const watchdog = await startWatchdog(runId, usesEngine);
    const folder = await mkdtemp(join(tmpdir(), `lockstorm-${runId}-`));
    watchdog.adoptPath(folder);
    return new RunScope(runId, folder, watchdog);
  }

  /** Labels for every container and network. */
  get labels(): Readonly<Record<string, string>> {
    return runLabels(this.runId);
  }

  /** Makes the scope kill a process when it is disposed, even a stopped one. */
  adopt(pid: number): void {
    this.#watchdog.adopt(pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watchdog[Symbol.asyncDispose]();
  }
}
