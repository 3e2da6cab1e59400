import { deadlineWords } from "../core/words/duration.ts";
import type { z } from "zod";
import type { WorkerCommand } from "../../lock-impl/worker-lock.ts";
import { InvalidAnswerError, messageOf, UserError } from "../core/errors.ts";
import type { Supports } from "../core/sharing.ts";
import type { Capabilities } from "./capabilities.ts";
import {
  clockSchema,
  type Failed,
  failedSchema,
  type FirstMessage,
  messageSchema,
  readySchema,
  type WorkerMessage,
  type WorkerRequest,
} from "./protocol.ts";
import { type WorkerEnd, WorkerProcess } from "./worker-process.ts";
import { SHOWN, wrongIn } from "./wrong-line.ts";

/** A program with a virtual machine takes seconds to start on a busy machine. */
const READY_DEADLINE_MS = 50_000;
/** For the first answer of its clock: with the time to be ready, less than a client has to connect. */
const CLOCK_DEADLINE_MS = 8_000;
const CLOSE_DEADLINE_MS = 2_000;

const MILLISECOND_NS = 1_000_000n;
/** A clock that shows nanoseconds seldom shows whole milliseconds, and so many times in a row it does not. */
const READINGS_OF_COARSE = 3;

/** What a worker says of a lease by itself. */
export type WorkerEvent = Extract<WorkerMessage, { event: "lost" | "renewed" | "queued" }>;

/** A worker's answer: what was asked for, or why not. */
export type WorkerAnswer<T> = ({ readonly ok: true } & T) | Failed;

type Line = Readonly<Record<string, unknown>> & { readonly ok: boolean };

export interface WorkerSessionOptions {
  readonly command: WorkerCommand;
  readonly first: FirstMessage;
  /** What is stated of its lock elsewhere. A worker that states something else cannot be used. */
  readonly supports?: Supports | undefined;
  /** What errors call it: the lock. */
  readonly name: string;
  /** Gets what it writes to its standard error. */
  readonly log: (text: string) => void;
  /** Whether it leads a process group, which ends with it; otherwise it stays in that of this process. */
  readonly ownGroup: boolean;
  /** How long it may take to be ready. Default: most of a minute. */
  readonly readyDeadlineMs?: number;
  /** How long its first answer to `clock` may take. Default: some seconds. */
  readonly clockDeadlineMs?: number;
  readonly onEvent?: (event: WorkerEvent) => void;
  /** Called when it was ready and ends although nobody asked it to; what it was asked for is then never answered. */
  readonly onEnd?: (end: WorkerEnd) => void;
}

/** A conversation with a worker, from its first line to its end. */
export class WorkerSession implements AsyncDisposable {
  readonly #process: WorkerProcess;
  readonly #name: string;
  readonly #onEvent: (event: WorkerEvent) => void;
  readonly #ready = Promise.withResolvers<string>();
  readonly #pending = new Map<number, PromiseWithResolvers<Line>>();
  #capabilities: Capabilities | undefined;
  #sequence = 0;
  /** Whether its first line was read. */
  #hasSpoken = false;
  #isOpen = false;
  #closing = false;
  /** Why nothing that it says is believed any more. */
  #wrong: string | undefined;
  /** What to do about a program that could not be started. */
  #notStarted: string | undefined;

  private constructor({ command, name, log, ownGroup, onEvent, onEnd }: WorkerSessionOptions) {
    this.#name = name;
    this.#onEvent = onEvent ?? (() => {});
    this.#ready.promise.catch(() => {});
    this.#process = new WorkerProcess(command, {
      onLine: (line) => this.#receive(line),
      onUnreadable: (how) => this.#break(how),
      onMute: () => this.#break("it closed its standard output"),
      log,
      ownGroup,
    });
    void this.#process.end.then((end) => {
      this.#notStarted = end.mend;
      const how = end.mend === undefined ? `it ended before it was ready: ${end.how}` : end.how;
      this.#ready.reject(new Error(how));
      // Who hears of its end gets no answers: an answer could be seen before the end is.
      if (this.#isOpen && !this.#closing && onEnd !== undefined) onEnd(end);
      else for (const { reject } of this.#pending.values()) reject(new Error(`the worker ended: ${end.how}`));
    });
  }

  /**
   * Starts a worker and waits until it is ready.
   * @throws UserError when it does not get ready: it cannot be started, ends, hangs, refuses, or says something else
   */
  static async open(options: WorkerSessionOptions): Promise<WorkerSession> {
    const session = new WorkerSession(options);
    try {
      await session.#start(options);
      session.#isOpen = true;
      return session;
    } catch (error) {
      session.#closing = true;
      session.#process.kill();
      await session.#process.end;
      const why = (error instanceof InvalidAnswerError ? session.#wrong : undefined) ?? messageOf(error);
      const mend = session.#notStarted ?? "see docs/protocol.md for what a worker says";
      throw new UserError(`the worker of ${options.name} cannot be used: ${why}`, mend, { cause: error });
    }
  }

  /** What the worker says that its lock can do. */
  get capabilities(): Capabilities {
    if (this.#capabilities === undefined) throw new Error("the worker is not ready yet");
    return this.#capabilities;
  }

  /**
   * Asks for one thing. The answer may come late or never.
   * @throws InvalidAnswerError when what it answers is not what the protocol says
   */
  async ask<T>(request: WorkerRequest, schema: z.ZodType<T>): Promise<WorkerAnswer<T>> {
    if (this.#wrong !== undefined) throw this.#refusal(this.#wrong);
    const id = (this.#sequence += 1);
    const pending = Promise.withResolvers<Line>();
    this.#pending.set(id, pending);
    this.#process.send({ id, ...request });
    const line = await pending.promise;
    const parsed = line.ok ? schema.safeParse(line) : failedSchema.safeParse(line);
    if (parsed.success) return line.ok ? { ...(parsed.data as T), ok: true } : (parsed.data as Failed);
    const [issue] = parsed.error.issues;
    const field = issue?.path.join(".");
    throw new InvalidAnswerError(`the answer of ${request.op}: \`${field}\`: ${issue?.message}`);
  }

  /**
   * The worker's clocks.
   * @throws InvalidAnswerError when its monotonic clock is not this machine's: the reading must lie between two of ours
   */
  async clock(): Promise<{ readonly wallMs: number; readonly monotonicNs: bigint }> {
    const before = process.hrtime.bigint();
    const answer = await this.ask({ op: "clock" }, clockSchema);
    const after = process.hrtime.bigint();
    if (!answer.ok) throw new InvalidAnswerError(`the answer of clock: ${answer.reason}`);
    const shown = BigInt(answer.monotonicNs);
    if (shown < before || shown > after) {
      const reading = `its monotonic clock shows ${shown} ns, and CLOCK_MONOTONIC was at ${before} before and ${after} after`;
      throw new InvalidAnswerError(`${reading}: leases could not be judged`);
    }
    return { wallMs: answer.wallMs, monotonicNs: shown };
  }

  /** Asks it to close its lock, and ends it if it does not in time. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#closing) {
      this.#closing = true;
      this.#process.send({ op: "close" });
      this.#process.endInput();
    }
    const timer = setTimeout(() => this.#process.kill(), CLOSE_DEADLINE_MS);
    await this.#process.end;
    clearTimeout(timer);
    // What it started may live on.
    this.#process.kill();
  }

  async #start({
    first,
    supports,
    readyDeadlineMs = READY_DEADLINE_MS,
    clockDeadlineMs = CLOCK_DEADLINE_MS,
  }: WorkerSessionOptions): Promise<void> {
    const timer = setTimeout(
      () => this.#ready.reject(new Error(`it was not ready within ${deadlineWords(readyDeadlineMs)}`)),
      readyDeadlineMs,
    );
    try {
      this.#process.send(first);
      const ready = readySchema.parse(JSON.parse(await this.#ready.promise));
      if (!ready.ready) throw new Error(ready.reason);
      const { capabilities } = ready;
      refuseContradiction(supports, capabilities.supports);
      this.#capabilities = supports === undefined ? capabilities : { ...capabilities, supports };
      // Its leases count on that clock.
      if ("client" in first) await this.#firstClock(clockDeadlineMs);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A worker that does not read on, or does not flush what it answers, is found out before anything is asked of its lock. */
  async #firstClock(deadlineMs: number): Promise<void> {
    const silence = Promise.withResolvers<never>();
    const why = `it said that it is ready, and then did not answer \`clock\` within ${deadlineWords(deadlineMs)}: each answer is one line, flushed at once`;
    const timer = setTimeout(() => silence.reject(new Error(why)), deadlineMs);
    try {
      await Promise.race([this.#refuseCoarseClock(), silence.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A clock that moves in long steps shows a time between two of ours by chance, and later does not. */
  async #refuseCoarseClock(): Promise<void> {
    for (let readings = 1; ; readings += 1) {
      const { monotonicNs } = await this.clock();
      if (monotonicNs % MILLISECOND_NS !== 0n) return;
      if (readings < READINGS_OF_COARSE) continue;
      const steps = `its monotonic clock shows ${monotonicNs} ns, and moves in steps of a millisecond or more`;
      throw new InvalidAnswerError(`${steps}: leases could not be judged`);
    }
  }

  #receive(line: string): void {
    if (this.#hasSpoken || this.#closing) return this.#hear(line);
    this.#hasSpoken = true;
    if (isReady(line)) this.#ready.resolve(line);
    else this.#ready.reject(new Error(`its first line ${wrongAtFirst(line)}`));
  }

  #hear(line: string): void {
    const message = parsed(line);
    if (message === undefined) this.#break(`it printed what is no message: ${wrongIn(messageSchema, line)}`);
    else if (isEvent(message)) this.#onEvent(message);
    else if ("id" in message) {
      const pending = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (pending === undefined) {
        const isSecond = message.id >= 1 && message.id <= this.#sequence;
        this.#break(`it answered ${message.id}${isSecond ? " a second time" : ", which nobody had asked"}`);
      } else pending.resolve(message);
    }
  }

  #break(how: string): void {
    this.#wrong ??= how;
    this.#ready.reject(new Error(how));
    for (const { reject } of this.#pending.values()) reject(this.#refusal(this.#wrong));
    this.#pending.clear();
  }

  #refusal(how: string): InvalidAnswerError {
    return new InvalidAnswerError(`the worker of ${this.#name}: ${how}`);
  }
}

/**
 * A worker that does not know `limit`, `permits`, `mode` or `alsoKeys` would ignore them, and one that answers one request at a
 * time would let others wait until their deadlines: its lock would be accused.
 */
function refuseContradiction(stated: Supports | undefined, said: Supports | undefined): void {
  if (said === undefined || stated === undefined) return;
  for (const what of ["permits", "modes", "severalKeys", "concurrent"] as const)
    if (stated[what] === true && said[what] !== true)
      throw new Error(`its file states that the lock supports ${what}, and the worker says that it does not`);
}

/** .NET writes a byte order mark unless it is told not to. */
function wrongAtFirst(line: string): string {
  const marked = line.startsWith("\uFEFF") ? line.slice(1) : undefined;
  if (marked !== undefined) return `begins with a byte order mark, which JSON does not have: ${marked.slice(0, SHOWN)}`;
  return `says neither ready nor why not: ${wrongIn(readySchema, line)}`;
}

function isEvent(message: WorkerMessage): message is WorkerEvent {
  return "event" in message && !("id" in message);
}

function isReady(line: string): boolean {
  try {
    return readySchema.safeParse(JSON.parse(line)).success;
  } catch {
    return false;
  }
}

function parsed(line: string): WorkerMessage | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
