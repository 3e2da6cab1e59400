import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import { isMainThread, workerData } from "node:worker_threads";
import { UserError } from "../core/errors.ts";
import { printable, printableLines, withoutUnseen } from "../core/printable.ts";
import { hyperlink, showsHyperlinks } from "./links/hyperlink.ts";

const OUTPUT = 1;
const ERRORS = 2;
/** The styles of reports (`TextStyle`): no other text may begin with an escape. */
// oxlint-disable-next-line no-control-regex -- an escape begins with one
const OWN_STYLE = /(\u001b\[(?:[129]|22|3[0-79])m)/;
/** The lines that `renderAnnotations` writes: the only ones that may be commands to a CI. */
const OWN_COMMAND = /^::(?:error|warning|notice) title=[^:,]+(?:,file=[^:,]+,line=\d+)?::/;
/** How long to wait for a reader that is slower than this program, in milliseconds. */
const PATIENCE_MS = 5;
/** The fewest columns that a picture of a run needs. */
const NARROWEST = 40;
/** An unfinished line from a driver or a library is printed once it has more than this many characters. */
const LONGEST_OPEN_LINE = 65_536;

/** What the starting thread tells the program's thread about the terminal. */
export interface TerminalFacts {
  readonly columns: number | undefined;
}

/** What text goes to: the process's own streams, or what a test reads. */
export interface TerminalDevice {
  /** @param stream 1 for standard output, 2 for standard error */
  isTerminal(stream: number): boolean;
  /** The width of the terminal; undefined where there is none. */
  readonly columns: number | undefined;
  /**
   * Writes some of the bytes, and says how many.
   * @throws the system's error
   */
  write(stream: number, bytes: Uint8Array): number;
}

const ownStreams: TerminalDevice = {
  isTerminal: isatty,
  get columns() {
    return isMainThread ? process.stdout.columns : (workerData as TerminalFacts | null)?.columns;
  },
  write: writeSync,
};

let device = ownStreams;

/** Has everything go to another device until the end of the `using` block. */
export function useDevice(other: TerminalDevice): Disposable {
  const former = device;
  device = other;
  return { [Symbol.dispose]: () => void (device = former) };
}

/** The target of standard output, with its width: that of the terminal; in a pipe what `COLUMNS` says, if it is set. */
export function outputTerminal(): {
  readonly isTerminal: boolean;
  readonly isStyled: boolean;
  readonly columns: number | undefined;
} {
  const isTerminal = device.isTerminal(OUTPUT);
  // A terminal that does not know its width, as some CIs and containers have, says 0.
  const columns = isTerminal ? Math.max(NARROWEST, device.columns || 80) : columnsWanted(process.env);
  return { isTerminal, isStyled: isStyled(OUTPUT), columns };
}

/** The width that `COLUMNS` asks for where there is no terminal, as other programs take it; no less than can be drawn. */
function columnsWanted({ COLUMNS }: NodeJS.ProcessEnv): number | undefined {
  const columns = Number(COLUMNS);
  return Number.isInteger(columns) && columns > 0 ? Math.max(NARROWEST, columns) : undefined;
}

/**
 * Whether text for this stream has colours: on a terminal, unless `NO_COLOR` is set or the terminal is dumb; with
 * `FORCE_COLOR` anywhere, and with `FORCE_COLOR=0` nowhere (no-color.org, force-color.org).
 */
function isStyled(stream: number, { FORCE_COLOR, NO_COLOR, TERM }: NodeJS.ProcessEnv = process.env): boolean {
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return device.isTerminal(stream) && !NO_COLOR && TERM !== "dumb";
}

/**
 * Prints a result on standard output. Only our own styles pass, and only to a terminal.
 * @throws UserError when it cannot be written, unless the reader has gone
 */
export function print(text: string): void {
  write(OUTPUT, plain(text, isStyled(OUTPUT)));
}

/**
 * A path for `print`: a hyperlink where standard output is a terminal that has them, never in a pipe.
 */
export function linkTo(path: string): string {
  if (!device.isTerminal(OUTPUT) || !showsHyperlinks(process.env)) return printable(path);
  const link = hyperlink(path);
  ownLinks.add(link);
  return link;
}

/** What `linkTo` made, which passes the filter as it is; a link that anybody else writes does not. */
const ownLinks = new Set<string>();
// oxlint-disable-next-line no-control-regex -- an escape begins with one
const LINK = /(\u001b\]8;;[^\u001b]+\u001b\\[^\u001b]*\u001b\]8;;\u001b\\)/;

/** Prints annotations: lines of our own that the CI takes for commands. @throws as `print` does */
export function printAnnotations(text: string): void {
  const lines = text.split("\n").map((line) => (OWN_COMMAND.test(line) ? withoutUnseen(line) : printableLines(line)));
  write(OUTPUT, lines.join("\n"));
}

/** Prints whole lines on standard error. A failed write is ignored, because there is nobody to tell. */
export function tell(text: string): void {
  try {
    write(ERRORS, plain(text, isStyled(ERRORS)));
  } catch {
    // As above.
  }
}

/** Standard error as `Progress` needs it. */
export const progressStream = {
  get isTTY(): boolean {
    return device.isTerminal(ERRORS);
  },
  get columns(): number {
    return device.columns || 80;
  },
  write: tell,
  /** Erases the last line. */
  clearLine(): void {
    if (device.isTerminal(ERRORS)) write(ERRORS, "\r\u001b[K");
  },
};

/**
 * From now on all other output of this process, from a driver or a library, goes to standard error, line by line
 * through the same filter: standard output is reserved for results.
 */
export function guardStreams(): void {
  for (const stream of [process.stdout, process.stderr]) stream.write = foreignWriter();
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => {
    if (name !== "ExperimentalWarning")
      tell(`(node) ${name}: ${withoutUnseen(message.replaceAll(/\s*\n\s*/g, " "))}\n`);
  });
}

function foreignWriter(): typeof process.stdout.write {
  let open = "";
  return (chunk: Uint8Array | string, ...rest: readonly unknown[]): boolean => {
    open += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    const end = open.length > LONGEST_OPEN_LINE ? open.length : open.lastIndexOf("\n") + 1;
    if (end > 0) tell(`${open.slice(0, end).replace(/\n$/, "")}\n`);
    open = open.slice(end);
    const done = rest.find((argument) => typeof argument === "function") as (() => void) | undefined;
    if (done !== undefined) queueMicrotask(done);
    return true;
  };
}

function plain(text: string, styled: boolean): string {
  return text
    .split(LINK)
    .map((part) => (ownLinks.has(part) ? part : withoutLinks(part, styled)))
    .join("");
}

function withoutLinks(text: string, styled: boolean): string {
  if (!styled) return printableLines(text);
  return text
    .split(OWN_STYLE)
    .map((part) => (OWN_STYLE.test(part) ? part : printableLines(part)))
    .join("");
}

const closed = new Set<number>();

/** Writes everything before it returns. When nobody reads the pipe any more, only the output ends. */
function write(target: number, text: string): void {
  let bytes: Uint8Array = Buffer.from(text);
  while (bytes.length > 0 && !closed.has(target)) {
    try {
      bytes = bytes.subarray(device.write(target, bytes));
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EAGAIN") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PATIENCE_MS);
      else if (code === "EPIPE") closed.add(target);
      else throw unwritable(code, error);
    }
  }
}

function unwritable(code: unknown, cause: unknown): UserError {
  const why = code === "ENOSPC" ? "there is no space left" : code === "EBADF" ? "it is closed" : String(code);
  return new UserError(`standard output cannot be written: ${why}`, "send it elsewhere", { cause });
}
