import type { Random } from "../../core/random.ts";
import { randomStream } from "../../core/random.ts";
import { messageOf } from "../../core/errors.ts";
import { Drive } from "./drive.ts";
import { EventQueue, ScheduledEvent } from "./event-queue.ts";
import { Host, type HostOptions } from "./host.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";
import { current } from "./current-context.ts";
import type { InputListener } from "./input-listener.ts";
import { Stepper, type RunEnd, type RunOptions } from "./stepper.ts";
import { Trace } from "./trace.ts";

export interface KernelOptions {
  readonly seed: number;
  /** A correct wall clock at true time 0, in milliseconds since 1970. Default: 2025-01-01T00:00:00Z. */
  readonly epochMs?: number;
  readonly limits?: Partial<Limits>;
  /**
   * Checks at each call of a patched function, by async context, that the current host started the code. For tests of
   * code that runs on several hosts. Default: false.
   */
  readonly checkDescent?: boolean;
  /** Receives each line that goes into the hash, except bytes. */
  readonly onTrace?: ((line: string) => void) | undefined;
  /** Receives each input of each host. Listening changes nothing. */
  readonly inputs?: InputListener | undefined;
}

const DEFAULT_EPOCH_MS = Date.UTC(2025, 0, 1);

/**
 * Virtual time and its events. An event belongs to one host; the event and everything it causes there (ticks,
 * microtasks, immediates, closed handles) are one step, and time may move only after a step. The same seed and the same
 * code give the same steps.
 */
export class Kernel {
  readonly seed: number;
  readonly limits: Limits;
  readonly #epochUs: number;
  readonly #queue = new EventQueue();
  readonly #hosts = new Map<string, Host>();
  readonly #trace: Trace;
  readonly #inputs: InputListener | undefined;
  readonly #stepper: Stepper;
  readonly #drive: Drive;
  readonly #stateListeners: ((host: Host) => void)[] = [];
  readonly #failureListeners: ((host: Host, during: string, error: unknown) => void)[] = [];

  constructor(options: KernelOptions) {
    this.seed = options.seed;
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#epochUs = (options.epochMs ?? DEFAULT_EPOCH_MS) * 1000;
    this.#trace = new Trace(options.onTrace);
    this.#inputs = options.inputs;
    this.#stepper = new Stepper(this.#queue, this.limits, this.#trace, options);
    this.#drive = new Drive(this.#stepper);
  }

  /** True time in integer microseconds since the start. */
  get now(): number {
    return this.#stepper.nowUs;
  }

  /** When the next event is due, in microseconds; undefined if none waits. */
  get nextUs(): number | undefined {
    return this.#queue.peek()?.timeUs;
  }

  /** How many events have run. */
  get events(): number {
    return this.#stepper.events;
  }

  get hosts(): ReadonlyMap<string, Host> {
    return this.#hosts;
  }

  /**
   * Makes a host.
   * @throws Error when the name is taken, or when the platform of a program was not patched
   */
  host(name: string, options: HostOptions = {}): Host {
    if (options.runs !== "service" && !current.patched) {
      throw new Error("import harness/simulated/platform/install.ts before anything else: the platform is not patched");
    }
    if (this.#hosts.has(name)) throw new Error(`there is a host named ${name} already`);
    const host = new Host(this, name, this.#epochUs, options);
    this.#hosts.set(name, host);
    return host;
  }

  /** A new random stream for a purpose. Keep it: a second call starts it again. */
  random(purpose: string): Random {
    return randomStream(this.seed, purpose);
  }

  /**
   * Does something in the world, in no host, at `timeUs`.
   * @throws RangeError for a time that is past or not an integer
   */
  at(timeUs: number, label: string, run: () => void): ScheduledEvent {
    return this.schedule(new ScheduledEvent(timeUs, "world", null, label, run));
  }

  /** Does something in the world, in no host, after `delayUs`. */
  after(delayUs: number, label: string, run: () => void): ScheduledEvent {
    return this.at(this.now + delayUs, label, run);
  }

  /** For hosts: puts an event into the queue. */
  schedule(event: ScheduledEvent): ScheduledEvent {
    if (event.timeUs < this.now || !Number.isSafeInteger(event.timeUs)) {
      throw new RangeError(`${event.label} at ${event.timeUs} µs, but it is ${this.now} µs: not a later integer`);
    }
    this.#queue.push(event);
    return event;
  }

  /** For hosts: the rate of its clock changed, so its timers come due at other times. */
  moveTimers(host: Host): void {
    this.#queue.reschedule(
      (event) => event.host === host && event.kind === "timer",
      (event) => host.clock.trueTimeOf(event.dueMonotonicUs),
    );
  }

  /** How many timers keep the process of a host alive. */
  timersOf(host: Host): number {
    return this.#queue.count((event) => event.keepsAlive && event.host === host && event.life === host.life);
  }

  /** Runs code that belongs to the world, not to the host whose program calls: patched functions throw inside it. */
  asWorld<T>(run: () => T): T {
    const { host, busy } = current;
    current.host = null;
    current.busy = true;
    try {
      return run();
    } finally {
      current.host = host;
      current.busy = busy;
    }
  }

  /** Adds a line to the trace and its hash. */
  trace(line: string): void {
    this.#trace.line(line);
  }

  /** For the network: a host reads bytes. */
  traceBytes(host: Host, bytes: Uint8Array): void {
    this.#trace.bytes(bytes);
    this.#inputs?.onBytes(host.name, bytes);
  }

  /** The hash of everything that happened so far. Equal hashes mean equal runs. */
  hash(): string {
    return this.#trace.digest();
  }

  /** Calls `listener` after a host was paused, resumed, killed or started. */
  onHostState(listener: (host: Host) => void): void {
    this.#stateListeners.push(listener);
  }

  /** Calls `listener` when a host's program failed. Real Node would have ended the process. */
  onFailure(listener: (host: Host, during: string, error: unknown) => void): void {
    this.#failureListeners.push(listener);
  }

  /** For hosts: reports that the state of a host has changed. */
  traceState(host: Host): void {
    this.trace(`${this.now} ${host.name} is ${host.state}`);
    this.#inputs?.onState(host.name, host.state);
    for (const listener of this.#stateListeners) listener(host);
  }

  /** For hosts: reports that a program failed. */
  reportFailure(host: Host, during: string, error: unknown): void {
    this.trace(`${this.now} ${host.name} fails in ${during}: ${messageOf(error)}`);
    for (const listener of this.#failureListeners) listener(host, during, error);
  }

  /** Ends the present run with an error as soon as control is back in the kernel. */
  abort(error: Error): void {
    this.#stepper.abort(error);
  }

  /**
   * Lets time pass until something ends it. Can be called again to continue.
   * @throws SimulationLimitError by rejection; errors of the simulation's own code
   */
  run(options: RunOptions = {}): Promise<RunEnd> {
    this.#stepper.options = options;
    return this.#drive.run();
  }

  /**
   * Lets time pass until `untilUs`, at once and in the caller's turn; a time that is past changes nothing. Only for
   * kernels all of whose hosts are services: the step of a program takes turns of the event loop.
   * @throws SimulationLimitError; errors of the simulation's own code
   */
  advance(untilUs: number): void {
    this.asWorld(() => this.#stepper.advanceTo(untilUs));
  }
}
