import { closeSync, constants, createReadStream, lstatSync, openSync, type Stats, statSync } from "node:fs";
import { Socket } from "node:net";
import { addAbortSignal, type Readable } from "node:stream";
import { UserError } from "../core/errors.ts";
import { codeOf, systemReason } from "../core/system-reason.ts";

/** The source of a history, before any of it was read. */
export interface HistoryInput {
  /** Its name in messages: the path, or "standard input". */
  readonly source: string;
  /** Its length in bytes, if it is known. */
  readonly size: number | undefined;
  /** The file's metadata; undefined if the system reports none. */
  readonly file: Stats | undefined;
  /** The number of bytes read so far. */
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
 * Reads a named pipe without a system call that blocks until somebody writes: a process with threads that block there cannot
 * be ended.
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

/** Reads the bytes of the stream that `open` returns. */
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

/** The metadata of a file; undefined if the system reports none. */
export function look(at: () => Stats): Stats | undefined {
  try {
    return at();
  } catch {
    return undefined;
  }
}

/** The reason in plain words; the system's own message repeats the path. */
function whyUnreadable(error: unknown): string {
  return codeOf(error) === "ENOENT" ? "there is no such file" : systemReason(error);
}
