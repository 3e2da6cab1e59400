import type { OwnGlobals } from "./own-globals.ts";
import { HarnessError, UserError } from "../../core/errors.ts";
import { randomStream, type Random } from "../../core/random.ts";
import { HostClock } from "./host-clock.ts";
import { HostTasks, type Task } from "./host-tasks.ts";
import type { HostSockets } from "./host-sockets.ts";
import type { Kernel } from "./kernel.ts";
import { SPINNING_HINT } from "./limits.ts";
import { PauseBuffer } from "./pause-buffer.ts";
import { ScheduledEvent } from "./event-queue.ts";
import { StepWork } from "./step-work.ts";

/** An error in a host's program that the program did not catch. Real Node would have ended. */
export interface HostFailure {
  readonly timeUs: number;
  /** Where it happened: the event's label, `unhandledRejection`, `uncaughtException`. */
  readonly during: string;
  readonly error: unknown;
}

export type UncaughtEvent = "uncaughtException" | "unhandledRejection";

export interface HostOptions {
  /**
   * `program`: Node code whose platform is patched; ticks, microtasks and immediates are drained after each event.
   * `service`: the simulation's own synchronous code, which receives its clock; much cheaper. Default: `program`.
   */
  readonly runs?: "program" | "service";
  /** The wall clock's initial distance from the kernel's epoch, in microseconds. Default: 0. */
  readonly offsetUs?: number;
  /** How fast both clocks run. Default: 1. */
  readonly rate?: number;
}

/** Console output lines kept per host. */
const OUTPUT_LINES = 1000;

/**
 * A machine with one process: clocks, randomness, timers and a state. Killing it removes everything that its process
 * had in progress; starting it again begins a new life.
 */
export class Host {
  readonly name: string;
  readonly kernel: Kernel;
  readonly runs: "program" | "service";
  readonly clock: HostClock;
  readonly failures: HostFailure[] = [];
  /** The text that its programs wrote to the console. */
  readonly output: string[] = [];
  readonly work = new StepWork();
  /** Set by the network when it adopts the host. */
  sockets: HostSockets | null = null;
  /** Timers by their number, for `clearTimeout(number)`; filled only when a program asks for a number. */
  readonly numberedTimers = new Map<number, Disposable>();
  nextTimerNumber = 1;
  /** Tells its program's listeners of an error that nobody caught; false without any. Set by the platform. */
  onUncaught: ((event: UncaughtEvent, error: unknown, promise: unknown) => boolean) | null = null;
  /** What its program has put on `globalThis`; null for a program that shares the modules of the process. */
  globals: OwnGlobals | null = null;
  /** Readings of its clocks in the current step. */
  clockReads = 0;
  #life = 1;
  #state: "running" | "paused" | "dead" = "running";
  #powered = true;
  /** How many things wait that must be done before this process goes on. */
  #suspensions = 0;
  readonly #tasks: HostTasks;
  readonly #pauses: PauseBuffer;
  readonly #streams = new Map<string, Random>();

  /** For `Kernel.host` only. */
  constructor(kernel: Kernel, name: string, epochUs: number, options: HostOptions) {
    this.kernel = kernel;
    this.name = name;
    this.runs = options.runs ?? "program";
    this.clock = new HostClock(
      epochUs,
      () => kernel.now,
      () => kernel.moveTimers(this),
    );
    if (options.rate !== undefined && options.rate !== 1) this.clock.setRate(options.rate);
    this.clock.jump(options.offsetUs ?? 0);
    this.#tasks = new HostTasks(this);
    this.#pauses = new PauseBuffer(this);
  }

  get state(): "running" | "paused" | "dead" {
    return this.#state;
  }

  /** True while its process executes: it runs, and nothing suspends it. */
  get executes(): boolean {
    return this.#state === "running" && this.#suspensions === 0;
  }

  /** Increases at each kill and each start. */
  get life(): number {
    return this.#life;
  }

  /** False after `powerOff`: then its network does not answer either. */
  get powered(): boolean {
    return this.#powered;
  }

  /** The host's random stream for a purpose; the same stream at each call. */
  random(purpose: string): Random {
    let stream = this.#streams.get(purpose);
    if (stream === undefined) {
      stream = randomStream(this.kernel.seed, `${this.name}:${purpose}`);
      this.#streams.set(purpose, stream);
    }
    return stream;
  }

  /**
   * Runs `run` in this host as an input event after `delayUs` of true time. While the host is paused the event is held;
   * a dead host drops it.
   * @param arrive see `ScheduledEvent.arrive`
   */
  io(delayUs: number, label: string, run: () => void, arrive: (() => boolean) | null = null): ScheduledEvent {
    return this.kernel.schedule(new ScheduledEvent(this.kernel.now + delayUs, "io", this, label, run, arrive));
  }

  /** Runs `run` in this host as soon as possible, as input from outside. */
  post(label: string, run: () => void): ScheduledEvent {
    return this.io(0, label, run);
  }

  /** Runs `run` in this host after `delayUs` on its monotonic clock. */
  timer(delayUs: number, label: string, run: () => void): ScheduledEvent {
    const dueUs = this.clock.monotonicUs() + delayUs;
    const timeUs = this.clock.trueTimeOf(dueUs);
    return this.kernel.schedule(new ScheduledEvent(timeUs, "timer", this, label, run, null, dueUs));
  }

  /** Starts a program. An error that it throws or rejects with is a failure of the host, and of the task. */
  spawn<T>(label: string, program: () => T | Promise<T>): Task<T> {
    return this.#tasks.spawn(label, program);
  }

  /**
   * Runs `program` in this host and answers in the calling host, by events: the two share no promise. The values that
   * cross should be plain data. Failures of `program` reject in the caller and are no failures of this host.
   * @throws HostDiedError by rejection, when this host is dead, or dies before it has answered
   */
  call<T>(label: string, program: () => T | Promise<T>): Promise<T> {
    return this.#tasks.call(label, program);
  }

  /** Stops executing; connections stay. With `us`, resumes by itself after that much true time. */
  pause(us?: number): void {
    if (this.#state === "dead") return;
    this.#state = "paused";
    this.kernel.traceState(this);
    this.#pauses.begin(us);
  }

  /** Resumes; held events happen now, input first or timers first as this host's random stream decides. */
  resume(): void {
    if (this.#state !== "paused") return;
    this.#state = "running";
    this.kernel.traceState(this);
    this.#pauses.end();
  }

  /**
   * Keeps the process from going on until the returned function is called: what it sends from now on and its next
   * events wait, in their order. It is no pause: nobody sees it, and a pause or a death meanwhile has its effect.
   */
  suspend(): () => void {
    const life = this.#life;
    let over = false;
    this.#suspensions += 1;
    return () => {
      if (over || life !== this.#life) return;
      over = true;
      this.#suspensions -= 1;
      if (this.executes) this.#pauses.goOn();
    };
  }

  /** Ends the process, as SIGKILL does. The machine's network closes its connections. */
  kill(): void {
    this.#die();
  }

  /** Ends everything at once: this machine's network is gone as well, and its peers receive nothing. */
  powerOff(): void {
    this.#powered = false;
    this.#die();
  }

  /** Begins a new life of a dead host, with nothing running in it. */
  start(): void {
    if (this.#state !== "dead") return;
    this.#life += 1;
    this.#state = "running";
    this.#powered = true;
    this.kernel.traceState(this);
  }

  /** Its program did not catch an error: it fails, unless it listens for such errors. */
  uncaught(during: string, error: unknown, event: UncaughtEvent = "uncaughtException", promise?: unknown): void {
    try {
      if (!(error instanceof HarnessError) && this.onUncaught?.(event, error, promise) === true) return;
    } catch (thrown) {
      if (this.#state !== "dead") this.fail(during, thrown);
      return;
    }
    this.fail(during, error);
  }

  /** Records that its program failed. */
  fail(during: string, error: unknown): void {
    if (this.failures.length < this.kernel.limits.failuresPerHost) {
      this.failures.push({ timeUs: this.kernel.now, during, error });
    }
    this.kernel.reportFailure(this, during, error);
  }

  /** Counts a reading of a clock. @throws UserError when the program spins */
  countClockRead(): void {
    this.clockReads += 1;
    if (this.clockReads <= this.kernel.limits.clockReadsPerStep) return;
    const error = new UserError(
      `the program of ${this.name} read its clock ${this.clockReads} times without waiting for anything: it spins ` +
        "until a time is reached, but in a simulation time passes only while a program waits",
      SPINNING_HINT,
    );
    this.kernel.abort(error);
    throw error;
  }

  /** Keeps a line that a program wrote to its console. */
  print(line: string): void {
    if (this.output.length < OUTPUT_LINES) this.output.push(line);
    this.kernel.trace(`${this.name} prints ${line}`);
  }

  /** For the kernel: an event came due while this host does not execute. */
  hold(event: ScheduledEvent): void {
    this.#pauses.hold(event);
  }

  /** For the network: does `send` now, or, if the host was stopped in the middle of a step, when it goes on. */
  sendWhenRunning(send: () => void): void {
    if (this.executes) send();
    else if (this.#state !== "dead") this.#pauses.holdSending(send);
  }

  #die(): void {
    if (this.#state === "dead") return;
    this.#state = "dead";
    this.#life += 1;
    this.#suspensions = 0;
    this.#pauses.clear();
    this.work.clear();
    this.numberedTimers.clear();
    this.onUncaught = null;
    this.kernel.traceState(this);
    this.#tasks.die();
  }
}
