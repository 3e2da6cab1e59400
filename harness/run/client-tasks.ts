import { type ClientPlan, tasksOf } from "../core/plan.ts";
import { ClientSession, type SessionOptions } from "./client-session.ts";
import { ReleasedOwners } from "./released-owners.ts";

/** What the tasks of a client have in common. */
export type ClientOptions = Omit<SessionOptions, "task" | "released">;

/**
 * Drives one client through its plan. Its tasks run at the same time, each under process numbers of its own: those of a client
 * differ by multiples of `clients`, so that a history shows whose they are. What the lock reports by itself is recorded under the
 * number of the task that it concerns, if that can be told, and else under that of the first.
 */
export class ClientTasks {
  readonly #options: ClientOptions;
  readonly #released = new ReleasedOwners();
  #sessions: readonly ClientSession[];

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#sessions = [this.#session(0, 1)];
    const { client } = options;
    client.onLost((lost) => {
      for (const session of this.#sessions) session.hearLost(lost);
      this.#concerned(lost)?.recordLost(lost);
    });
    client.onRenewed((renewed) => this.#concerned(renewed)?.recordRenewed(renewed));
    client.onQueued((queued) => this.#concerned(queued)?.recordQueued(queued));
  }

  /** The number under which each task acts now. */
  get processes(): readonly number[] {
    return this.#sessions.map(({ process }) => process);
  }

  /** How many sections have ended by now, granted or not. */
  get sectionsDone(): number {
    return this.#sessions.reduce((sum, { sectionsDone }) => sum + sectionsDone, 0);
  }

  /** Runs all sections of all tasks. To be called once. Rejects only with the signal's reason, when the run ends first. */
  async run(plan: ClientPlan): Promise<void> {
    const tasks = tasksOf(plan);
    if (tasks.length > 1) this.#sessions = tasks.map((_, index) => this.#session(index, tasks.length));
    await Promise.all(tasks.map(async (sections, index) => this.#sessions[index]?.run(sections)));
  }

  #session(index: number, of: number): ClientSession {
    return new ClientSession({ ...this.#options, task: { index, of }, released: this.#released });
  }

  /** The task that uses this grant, or else one that asks for the key: it may have been granted it just now. */
  #concerned({ key, owner }: { readonly key: string; readonly owner?: string }): ClientSession | undefined {
    const holder = owner === undefined ? undefined : this.#sessions.find((session) => session.holdsAs(owner));
    return holder ?? this.#sessions.find((session) => session.isAskingFor(key)) ?? this.#sessions[0];
  }
}
