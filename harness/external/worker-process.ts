import { isUtf8 } from "node:buffer";
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { WorkerCommand } from "../../lock-impl/worker-lock.ts";
import { LastWords } from "./last-words.ts";
import { LONGEST_LINE } from "./protocol.ts";
import { startProblem } from "./start-problem.ts";
import { SHOWN } from "./wrong-line.ts";

type Child = ChildProcess & { readonly stdin: Writable; readonly stdout: Readable; readonly stderr: Readable };

const NEWLINE = 10;

/** For the last lines of a process that has ended. */
const OUTPUT_ENDS_MS = 500;

/** How a worker's process ended. */
export interface WorkerEnd {
  /** The signal that ended it, if one did. */
  readonly signal: NodeJS.Signals | undefined;
  /** In words, with the line of its standard error that says why. */
  readonly how: string;
  /** Present if it never started: what to do about it. */
  readonly mend?: string | undefined;
}

/**
 * The process of a worker, as lines in and lines out. It stays in the process group of the process that starts it, or leads one
 * of its own. Its standard error is passed on to `log`.
 */
export class WorkerProcess {
  readonly #child: Child;
  readonly #end = Promise.withResolvers<WorkerEnd>();
  readonly #ownGroup: boolean;
  /** What was read of a line that has not ended. */
  #open: Buffer[] = [];
  readonly #lastWords = new LastWords();

  constructor(
    command: WorkerCommand,
    {
      onLine,
      onUnreadable,
      onMute,
      log,
      ownGroup,
    }: {
      readonly onLine: (line: string) => void;
      /** Called with what is wrong when a line is longer than any message, or is no text; nothing is read after it. */
      readonly onUnreadable: (how: string) => void;
      /** Called when it has closed its standard output, and goes on. */
      readonly onMute: () => void;
      readonly log: (text: string) => void;
      readonly ownGroup: boolean;
    },
  ) {
    this.#ownGroup = ownGroup;
    const { program, arguments: words, environment, directory } = command;
    this.#child = spawn(program, [...words], {
      cwd: directory,
      env: { ...process.env, ...environment },
      stdio: ["pipe", "pipe", "pipe"],
      detached: ownGroup,
    });
    const { stdin, stdout, stderr } = this.#child;
    // The end of the process says more.
    stdin.on("error", () => {});
    stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#lastWords.add(text);
      log(text);
    });
    stdout.on("data", (read: Buffer) => {
      const how = this.#receive(read, onLine);
      if (how === undefined) return;
      stdout.removeAllListeners("data").resume();
      onUnreadable(how);
    });
    this.#child.on("error", (error) => {
      const { what, mend } = startProblem(command, error.message);
      this.#end.resolve({ signal: undefined, how: `it could not be started: ${what}`, mend });
    });
    const ended = (code: number | null, signal: NodeJS.Signals | null): void =>
      this.#end.resolve({ signal: signal ?? undefined, how: this.#how(code, signal) });
    this.#child.on("close", ended);
    // At its end its output ends too, and first.
    stdout.on("end", () => setTimeout(() => setImmediate(() => this.#livesOn && onMute()), OUTPUT_ENDS_MS).unref());
    // What it started may keep its output open.
    this.#child.on("exit", (code, signal) => {
      if (ownGroup) this.kill();
      setTimeout(() => ended(code, signal), OUTPUT_ENDS_MS).unref();
    });
  }

  /** Resolves when the process has ended, or could not be started. */
  get end(): Promise<WorkerEnd> {
    return this.#end.promise;
  }

  get #livesOn(): boolean {
    return this.#child.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Closes its standard input: a worker ends then. */
  endInput(): void {
    this.#child.stdin.end();
  }

  /** Ends it, and what it started if it has a process group of its own. */
  kill(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(this.#ownGroup ? -pid : pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }

  /** What is wrong with the first line that cannot be read, if there is one. */
  #receive(read: Buffer, onLine: (line: string) => void): string | undefined {
    let begin = 0;
    for (let end = read.indexOf(NEWLINE); end >= 0; end = read.indexOf(NEWLINE, begin)) {
      const line = this.#openedBy(read.subarray(begin, end));
      this.#open = [];
      begin = end + 1;
      const how = unreadable(line);
      if (how !== undefined) return how;
      const text = line.toString();
      if (text.trim() !== "") onLine(text);
    }
    if (begin === read.length) return undefined;
    this.#open.push(read.subarray(begin));
    const isLong = this.#open.reduce((sum, { length }) => sum + length, 0) > LONGEST_LINE;
    return isLong ? unreadable(this.#openedBy(Buffer.alloc(0))) : undefined;
  }

  /** The line that is open, with its last part. */
  #openedBy(last: Buffer): Buffer {
    return this.#open.length === 0 ? last : Buffer.concat([...this.#open, last]);
  }

  #how(code: number | null, signal: NodeJS.Signals | null): string {
    const last = this.#lastWords.line.slice(0, SHOWN);
    return `${signal ?? `exit code ${code}`}${last === "" ? "" : `: ${last}`}`;
  }
}

/** Owner values that differ in bytes that are no text would become one. */
function unreadable(line: Buffer): string | undefined {
  const shown = (): string => line.toString().slice(0, SHOWN);
  if (line.length > LONGEST_LINE) return `it printed a line that is longer than any message: ${shown()}...`;
  return isUtf8(line) ? undefined : `it printed a line that is not UTF-8: ${shown()}`;
}
