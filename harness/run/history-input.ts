import { closeSync, constants, createReadStream, lstatSync, openSync, type Stats, statSync } from "node:fs";
import { Socket } from "node:net";
import { addAbortSignal, type Readable } from "node:stream";
import { messageOf, UserError } from "../core/errors.ts";

/** The source of a history, before any of it was read. */
export interface HistoryInput {
  /** What to call it: the path, or "standard input". */
  readonly source: string;
  /** Its length in bytes, if it is known. */
  readonly size: number | undefined;
  /** What the system says of it; undefined if it says nothing. */
  readonly file: Stats | undefined;
  /** How many bytes were read by now. */
  readonly bytesRead: number;
  /** The bytes as they come. @throws UserError when they cannot be read */
  chunks(): AsyncGenerator<Uint8Array>;
}

/** A file, or a named pipe. Nothing is opened before `chunks` is iterated. */
export function fileInput(path: string, signal?: AbortSignal): HistoryInput {
  const file = look(() => statSync(path));
  return new OpenedInput(path, { file, open: () => openFile(path), signal });
}

/**
 * Reads a named pipe without blocking in the system until somebody writes to it: a process whose threads block there
 * cannot be ended.
 */
function openFile(path: string): Readable {
  if (!isPipe(path)) return createReadStream(path);
  const stream = new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), readable: true });
  // A pipe that nobody writes to yet would end at once.
  const writer = lstatSync(path).isFIFO() ? openSync(path, constants.O_WRONLY | constants.O_NONBLOCK) : undefined;
  if (writer !== undefined) stream.once("readable", () => closeSync(writer));
  return stream;
}

function isPipe(path: string): boolean {
  try {
    return statSync(path).isFIFO();
  } catch {
    return false;
  }
}

/** The bytes that `open` gives. */
export class OpenedInput implements HistoryInput {
  readonly source: string;
  readonly file: Stats | undefined;
  bytesRead = 0;
  readonly #open: () => Readable;
  readonly #signal: AbortSignal | undefined;

  constructor(
    source: string,
    {
      file,
      open,
      signal,
    }: {
      readonly file: Stats | undefined;
      readonly open: () => Readable;
      readonly signal: AbortSignal | undefined;
    },
  ) {
    this.source = source;
    this.file = file;
    this.#open = open;
    this.#signal = signal;
  }

  /**
   * Only for a regular file: the end of a pipe is unknown, and a file whose metadata cannot be read cannot be read
   * either.
   */
  get size(): number | undefined {
    return this.file?.isFile() === true ? this.file.size : undefined;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      const stream = this.#open();
      if (this.#signal !== undefined) addAbortSignal(this.#signal, stream);
      for await (const chunk of stream as AsyncIterable<Uint8Array>) {
        this.bytesRead += chunk.length;
        yield chunk;
      }
    } catch (error) {
      const hint = "give a history.jsonl, or - for standard input";
      throw new UserError(`${this.source} cannot be read: ${whyUnreadable(error)}`, hint, { cause: error });
    }
  }
}

/** What the system says of a file; undefined if it says nothing. */
export function look(at: () => Stats): Stats | undefined {
  try {
    return at();
  } catch {
    return undefined;
  }
}

/** The reason in plain words; the system's own message repeats the path. */
function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EISDIR") return "it is a folder";
  if (code === "EACCES" || code === "EPERM") return "permission denied";
  return messageOf(error);
}
