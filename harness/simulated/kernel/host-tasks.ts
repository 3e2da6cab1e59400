import { current } from "./current-context.ts";
import type { Host } from "./host.ts";

/** A program started in a host, as seen from outside. */
export interface Task<T> {
  readonly state: "running" | "done" | "failed" | "killed";
  /** What it returned, once it is `done`. */
  readonly value?: T;
  /** What it threw, once it has `failed`. */
  readonly error?: unknown;
}

/** The called host is dead, or died before it answered. */
export class HostDiedError extends Error {
  override readonly name = "HostDiedError";
}

interface MutableTask<T> {
  state: Task<T>["state"];
  value?: T;
  error?: unknown;
}

/** The programs that run in a host, and the calls that it has not answered yet. */
export class HostTasks {
  readonly #host: Host;
  /** For each pending task, what to do when the host dies. */
  readonly #onDeath = new Set<() => void>();

  constructor(host: Host) {
    this.#host = host;
  }

  spawn<T>(label: string, program: () => T | Promise<T>): Task<T> {
    const host = this.#host;
    const task: MutableTask<T> = { state: "running" };
    const kill = (): void => {
      task.state = "killed";
    };
    if (host.state === "dead") kill();
    this.#onDeath.add(kill);
    this.#start(
      label,
      program,
      (value) => {
        if (!this.#onDeath.delete(kill)) return;
        task.state = "done";
        task.value = value;
      },
      (error) => {
        if (!this.#onDeath.delete(kill)) return;
        task.state = "failed";
        task.error = error;
        host.fail(label, error);
      },
    );
    return task;
  }

  call<T>(label: string, program: () => T | Promise<T>): Promise<T> {
    const host = this.#host;
    const caller = current.host;
    if (caller === null) throw new Error(`only a program in a host can call ${host.name} (${label})`);
    return new Promise<T>((resolve, reject) => {
      const died = (): void => {
        caller.post(`no answer to ${label}`, () => reject(new HostDiedError(`${host.name} is dead (${label})`)));
      };
      if (host.state === "dead") {
        died();
        return;
      }
      this.#onDeath.add(died);
      const answer = (settle: () => void): void => {
        if (!this.#onDeath.delete(died)) return;
        caller.post(`answer to ${label}`, settle);
      };
      this.#start(
        label,
        program,
        (value) => answer(() => resolve(value)),
        (error) => answer(() => reject(error)),
      );
    });
  }

  /** The host died. */
  die(): void {
    const listeners = [...this.#onDeath];
    this.#onDeath.clear();
    for (const listener of listeners) listener();
  }

  #start<T>(
    label: string,
    program: () => T | Promise<T>,
    onValue: (value: T) => void,
    onError: (error: unknown) => void,
  ): void {
    this.#host.post(label, () => {
      let result: T | Promise<T>;
      try {
        result = program();
      } catch (error) {
        onError(error);
        return;
      }
      if (result instanceof Promise) result.then(onValue, onError);
      else onValue(result);
    });
  }
}
