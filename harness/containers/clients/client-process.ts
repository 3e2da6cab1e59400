import { deadlineWords } from "../../core/words/duration.ts";
import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Crash } from "../../core/crash.ts";
import { HarnessError, UnusableClientError, UserError } from "../../core/errors.ts";
import type { ResourceChecks } from "../../core/plan.ts";
import type {
  ClientHandle,
  ClientReply,
  ClientRequest,
  Evidence,
  ProcessState,
  RenewedLease,
} from "../../core/system.ts";
import type { Address, Queued, Servers } from "../../core/lock-driver.ts";
import { lookFor } from "../engine/await-condition.ts";
import { cacheFolder } from "../../core/cache-folder.ts";
import { clientMark, killMarked } from "../cleanup/marked-processes.ts";
import type { ControlDirectory } from "../nodes/control.ts";
import { groupState, signalGroup } from "../nodes/process-group.ts";
import type { RunClock } from "../run-clock.ts";
import { inFigures } from "../../core/words/in-figures.ts";

export interface ClientProcessOptions {
  readonly name: string;
  /** The run that it belongs to. What it starts is found by it, wherever that has gone. */
  readonly runId: string;
  readonly clock: RunClock;
  readonly control: ControlDirectory;
  /** The library that makes its wall clock follow `control`; undefined where this machine has none. */
  readonly clockLibrary: string | undefined;
  /** The file to which its standard error and its other output are appended. */
  readonly logFile: string;
}

/** The data that a client needs to connect. */
export interface ClientConfiguration {
  /** Name of a registered lock, or path of a driver module. */
  readonly lock: string;
  readonly servers: Servers;
  readonly resource: Address;
  readonly checks: ResourceChecks;
}

type Message =
  | { readonly ready: true }
  | { readonly ready: false; readonly reason: string }
  | { readonly event: "lost"; readonly key: string; readonly owner: string }
  | ({ readonly event: "renewed" } & RenewedLease)
  | ({ readonly event: "queued" } & Queued)
  | ({ readonly event: "crashed" } & Crash)
  | { readonly id: number; readonly unusable: { readonly reason: string; readonly hint: string } }
  | (Answer & { readonly id: number });

type Answer = ClientReply & { readonly wallMs?: number };

type WorkerProcess = ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };

/** A process has to be started for it, and a busy machine may have many: only a lock that hangs takes as long. */
const READY_DEADLINE_MS = 60_000;
const SIGNAL_DEADLINE_MS = 2_000;
/** A running process answers in a millisecond; a process that a fault stops at this very moment does not. */
const CLOCK_DEADLINE_MS = 500;

/** Sources run as they are; compiled, the worker is a `.js` file. */
const worker = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../client/worker.ts" : "../../client/worker.js", import.meta.url),
);

/**
 * One client: an operating-system process that runs the lock under test, and all that it starts. It leads a process
 * group, which faults and clean-up reach as a whole.
 */
export class ClientProcess implements ClientHandle, AsyncDisposable {
  readonly name: string;
  /** A lock in another language is a process of its own. */
  readonly hasChildren = true;
  readonly #child: WorkerProcess;
  readonly #clock: RunClock;
  readonly #control: ControlDirectory;
  readonly #skewable: boolean;
  readonly #pending = new Map<number, (reply: Answer | Promise<never>) => void>();
  readonly #lostListeners: ((lost: { readonly key: string; readonly owner: string }) => void)[] = [];
  readonly #renewedListeners: ((renewed: RenewedLease) => void)[] = [];
  readonly #queuedListeners: ((queued: Queued) => void)[] = [];
  readonly #endListeners: ((how: string, crash: Crash | undefined) => void)[] = [];
  #crash: Crash | undefined;
  readonly #ready = Promise.withResolvers<void>();
  readonly #exit = Promise.withResolvers<void>();
  readonly #logFile: string;
  readonly #log: number;
  #sequence = 0;
  #ended = false;
  #expectedState: ProcessState = "running";

  private constructor(options: ClientProcessOptions, child: WorkerProcess, log: number) {
    this.name = options.name;
    this.#child = child;
    this.#clock = options.clock;
    this.#control = options.control;
    this.#skewable = options.clockLibrary !== undefined;
    this.#logFile = options.logFile;
    this.#log = log;
    // The process may end before anybody waits for it to be ready.
    this.#ready.promise.catch(() => {});
    createInterface({ input: child.stdout })
      .on("line", (line) => this.#receive(line))
      // The exit event reports a dead process.
      .on("error", () => {});
    child.on("error", (error) => {
      this.#ready.reject(new HarnessError(`${options.name} could not be started: ${error.message}`));
      this.#end(`could not be started: ${error.message}`);
    });
    // What it started may live on.
    child.on("exit", () => {
      this.#signalAll("SIGKILL");
      killMarked(options.runId, options.name);
    });
    // The process may have sent a message just before its end: `close` waits for it.
    child.on("close", (code, signal) => {
      // Only the lock and its driver can end the process while it is at work.
      if (code !== null) this.#crash ??= { evidence: `process.exit: exit code ${code}`, stack: [] };
      const how = signal ?? `exit code ${code}`;
      // The program itself ends before it is ready only after it has said why.
      const what = `the lock of ${options.name} ended its process before it was ready: ${how}`;
      this.#ready.reject(new UserError(what, `fix its driver; what it printed is in ${options.logFile}`));
      this.#end(`${how}; what it printed is in ${options.logFile}`);
    });
    child.stdin.on("error", () => {});
  }

  /** Starts the process, which takes longest; it connects once it is told the servers' addresses. */
  static start(options: ClientProcessOptions): ClientProcess {
    const skew =
      options.clockLibrary === undefined
        ? {}
        : { LD_PRELOAD: options.clockLibrary, LOCKSTORM_CLOCK: options.control.clockFile };
    const log = openSync(options.logFile, "a");
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", worker], {
      stdio: ["pipe", "pipe", log],
      detached: true,
      // Compiling is half of what a client's start takes.
      env: {
        NODE_COMPILE_CACHE: join(cacheFolder(), "compiled"),
        ...process.env,
        ...skew,
        ...clientMark(options.runId, options.name),
      },
    }) as WorkerProcess;
    return new ClientProcess(options, child, log);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get expectedState(): ProcessState {
    return this.#expectedState;
  }

  /**
   * Makes the lock under test connect.
   * @throws UserError when its driver could not
   */
  async connect(configuration: ClientConfiguration): Promise<void> {
    this.#write({ client: this.name, origin: String(this.#clock.origin), leadsGroup: true, ...configuration });
    const timer = setTimeout(
      () =>
        this.#ready.reject(
          new UserError(
            `the lock of ${this.name} did not connect within ${deadlineWords(READY_DEADLINE_MS)}`,
            `fix its driver; what it printed is in ${this.#logFile}`,
          ),
        ),
      READY_DEADLINE_MS,
    );
    try {
      await this.#ready.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  perform(request: ClientRequest): Promise<ClientReply> {
    return this.#ask(request);
  }

  onLost(listener: (lost: { readonly key: string; readonly owner: string }) => void): void {
    this.#lostListeners.push(listener);
  }

  onRenewed(listener: (renewed: RenewedLease) => void): void {
    this.#renewedListeners.push(listener);
  }

  onQueued(listener: (queued: Queued) => void): void {
    this.#queuedListeners.push(listener);
  }

  /** Calls `listener` when the process has ended, with the reason, and with its crash where no signal ended it. */
  onEnd(listener: (how: string, crash: Crash | undefined) => void): void {
    this.#endListeners.push(listener);
  }

  async state(): Promise<ProcessState> {
    const { pid } = this.#child;
    if (this.#ended || pid === undefined) return "dead";
    return groupState(pid);
  }

  pause(): Promise<Evidence> {
    return this.#signal("SIGSTOP", "paused");
  }

  resume(): Promise<Evidence> {
    return this.#signal("SIGCONT", "running");
  }

  async kill(): Promise<Evidence> {
    if (this.#ended) return { observed: true, detail: `${this.name} was already dead` };
    this.#expectedState = "dead";
    this.#signalAll("SIGKILL");
    await this.#exit.promise;
    const { pid } = this.#child;
    const dead =
      pid === undefined || (await lookFor(SIGNAL_DEADLINE_MS, async () => groupState(pid) === "dead" || undefined));
    return { observed: dead === true, detail: `${this.name} is ${dead === true ? "" : "not "}dead` };
  }

  async jumpClock(ms: number): Promise<Evidence> {
    if (!this.#skewable)
      return { observed: false, detail: `the clock of ${this.name} cannot be skewed on this machine` };
    if ((await this.state()) !== "running") {
      await this.#control.jumpClock(ms);
      return { observed: false, detail: `${this.name} does not run: its clock could not be read` };
    }
    const before = await this.#clockErrorMs();
    await this.#control.jumpClock(ms);
    const after = await this.#clockErrorMs();
    if (before === undefined || after === undefined)
      return { observed: false, detail: `${this.name} did not say what its clock shows` };
    return {
      observed: Math.abs(after - before - ms) < 50,
      detail: `the clock of ${this.name} was ${inFigures(before)} ms off, then ${inFigures(after)} ms`,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  /** Sends a signal, and waits until it has taken effect. */
  async #signal(signal: NodeJS.Signals, state: ProcessState): Promise<Evidence> {
    if (!this.#ended) {
      this.#expectedState = state;
      this.#signalAll(signal);
    }
    const reached = await lookFor(SIGNAL_DEADLINE_MS, async () => {
      const now = await this.state();
      return now === state || now === "dead" ? now : undefined;
    });
    const detail = `process ${this.#child.pid} of ${this.name} is ${reached ?? `not ${state}`}`;
    return { observed: reached === state, detail };
  }

  #signalAll(signal: NodeJS.Signals): void {
    if (this.#child.pid !== undefined) signalGroup(this.#child.pid, signal);
  }

  #ask(message: object): Promise<Answer> {
    if (this.#ended) return Promise.resolve({ ok: false, kind: "error", reason: "the client is dead" });
    const id = (this.#sequence += 1);
    return new Promise((resolve) => {
      this.#pending.set(id, resolve);
      this.#write({ id, ...message });
    });
  }

  /** How far the client's wall clock differs from the harness's, in whole milliseconds; undefined without an answer. */
  async #clockErrorMs(): Promise<number | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), CLOCK_DEADLINE_MS);
    });
    const answer = await Promise.race([this.#ask({ op: "clock" }), late]);
    clearTimeout(timer);
    return answer?.wallMs === undefined ? undefined : Math.round(answer.wallMs - Date.now());
  }

  #receive(line: string): void {
    const message = parseMessage(line);
    if (message === undefined) {
      // Standard output of a driver, for its author to see.
      if (!this.#ended) writeSync(this.#log, `${line}\n`);
    } else if ("ready" in message) {
      if (message.ready) this.#ready.resolve();
      else
        this.#ready.reject(
          new UserError(
            `the lock of ${this.name} could not connect: ${message.reason}`,
            `fix its driver; what it printed is in ${this.#logFile}`,
          ),
        );
    } else if ("event" in message) {
      if (message.event === "crashed") this.#crash = message;
      else if (message.event === "lost") for (const listener of this.#lostListeners) listener(message);
      else if (message.event === "queued") for (const listener of this.#queuedListeners) listener(message);
      else {
        const { key, owner, validForMs } = message;
        const grantedAt = this.#clock.fromOrigin(message.grantedAt);
        for (const listener of this.#renewedListeners) listener({ key, owner, validForMs, grantedAt });
      }
    } else if ("unusable" in message) {
      const { id, unusable } = message;
      const what = `the lock of ${this.name} cannot go on: ${unusable.reason}`;
      this.#pending.get(id)?.(Promise.reject(new UnusableClientError(what, unusable.hint)));
      this.#pending.delete(id);
    } else {
      const { id, ...reply } = message;
      const grantedAt = reply.ok ? reply.grantedAt : undefined;
      this.#pending.get(id)?.(
        grantedAt === undefined ? reply : ({ ...reply, grantedAt: this.#clock.fromOrigin(grantedAt) } as typeof reply),
      );
      this.#pending.delete(id);
    }
  }

  #end(how: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#exit.resolve();
    closeSync(this.#log);
    for (const resolve of this.#pending.values())
      resolve({ ok: false, kind: "indeterminate", reason: `the client died: ${how}` });
    this.#pending.clear();
    for (const listener of this.#endListeners) listener(how, this.#crash);
  }

  #write(message: object): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }
}

/** A line from the client, unless it is not a message. */
function parseMessage(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isMessage =
      typeof value === "object" && value !== null && ("ready" in value || "event" in value || "id" in value);
    return isMessage ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}
