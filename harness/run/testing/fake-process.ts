import { HarnessError } from "../../core/errors.ts";
import type { Evidence, NodeHandle, ProcessHandle, ProcessState } from "../../core/system.ts";

/** Records an action on the fake system and returns what is seen of it. Throws if the test wants a breakdown. */
export type Act = (action: string) => Promise<Evidence>;

/**
 * A process that exists only in its state. It is as strict as a container engine: pausing a paused process, and
 * resuming or starting a running one, are errors of the caller.
 */
export class FakeProcess implements ProcessHandle {
  readonly name: string;
  protected readonly act: Act;
  #state: ProcessState = "running";

  constructor(name: string, act: Act) {
    this.name = name;
    this.act = act;
  }

  state(): Promise<ProcessState> {
    return Promise.resolve(this.#state);
  }

  pause(): Promise<Evidence> {
    this.#turn("pause", ["running"], "paused");
    return this.act(`${this.name} pause`);
  }

  resume(): Promise<Evidence> {
    this.#turn("resume", ["paused"], "running");
    return this.act(`${this.name} resume`);
  }

  kill(): Promise<Evidence> {
    this.#turn("kill", ["running", "paused", "dead"], "dead");
    return this.act(`${this.name} kill`);
  }

  jumpClock(ms: number): Promise<Evidence> {
    this.#turn("jumpClock", ["running"], "running");
    return this.act(`${this.name} jumpClock ${ms}`);
  }

  setClockRate(rate: number): Promise<Evidence> {
    return this.act(`${this.name} setClockRate ${rate}`);
  }

  protected get current(): ProcessState {
    return this.#state;
  }

  protected revive(): void {
    this.#turn("start", ["dead"], "running");
  }

  protected end(): void {
    this.#turn("lose its power", ["running", "paused"], "dead");
  }

  /** Called after the state has changed. */
  protected changed(): void {}

  #turn(action: string, from: readonly ProcessState[], to: ProcessState): void {
    if (!from.includes(this.#state)) throw new HarnessError(`${this.name} is ${this.#state}: it cannot ${action}`);
    this.#state = to;
    this.changed();
  }
}

export class FakeNode extends FakeProcess implements NodeHandle {
  readonly role: "data" | "sentinel";
  #keys = 1;

  constructor(name: string, role: "data" | "sentinel", act: Act) {
    super(name, act);
    this.role = role;
  }

  start({ keepData }: { readonly keepData: boolean }): Promise<Evidence> {
    this.revive();
    return this.act(`${this.name} start ${keepData ? "with its data" : "empty"}`);
  }

  losePower(): Promise<Evidence> {
    this.end();
    return this.act(`${this.name} losePower`);
  }

  /** Its answer to a command. By default it holds a key, until it runs out of memory. */
  reply: (command: string) => unknown = (command) => {
    if (command.endsWith("maxmemory 1")) this.#keys = 0;
    return command === "DBSIZE" ? this.#keys : "OK";
  };

  async command(...args: readonly (string | number)[]): Promise<unknown> {
    await this.act(`${this.name} ${args.join(" ")}`);
    return this.reply(args.join(" "));
  }
}
