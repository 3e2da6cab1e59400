import { createReadStream, fstatSync, statSync } from "node:fs";
import { addAbortSignal, type Readable } from "node:stream";
import { messageOf, UserError } from "../core/errors.ts";

/** The name under which a history comes from standard input. */
const STANDARD_INPUT = "-";

/** Where a history comes from, before any of it was read. */
export interface HistoryInput {
  /** What to call it: the path, or "standard input". */
  readonly source: string;
  /** Its length in bytes, where there is an end to see. */
  readonly size: number | undefined;
  /** How many bytes were read by now. */
  readonly bytesRead: number;
  /** The bytes as they come. @throws UserError when they cannot be read */
  chunks(): AsyncGenerator<Uint8Array>;
}

/** A file, or standard input for `-`. Nothing is opened before `chunks` is iterated. */
export function historyInput(path: string, signal?: AbortSignal): HistoryInput {
  return path === STANDARD_INPUT
    ? new Input(
        "standard input",
        sizeOf(() => fstatSync(0)),
        () => process.stdin,
        signal,
      )
    : new Input(
        path,
        sizeOf(() => statSync(path)),
        () => createReadStream(path),
        signal,
      );
}

class Input implements HistoryInput {
  readonly source: string;
  readonly size: number | undefined;
  bytesRead = 0;
  readonly #open: () => Readable;
  readonly #signal: AbortSignal | undefined;

  constructor(source: string, size: number | undefined, open: () => Readable, signal: AbortSignal | undefined) {
    this.source = source;
    this.size = size;
    this.#open = open;
    this.#signal = signal;
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
      const mend = "give a history.jsonl, or - for standard input";
      throw new UserError(`${this.source} cannot be read: ${whyUnreadable(error)}`, mend, { cause: error });
    }
  }
}

/** Of a regular file only: a pipe ends when it ends, and what cannot be looked at cannot be read either. */
function sizeOf(look: () => { isFile(): boolean; readonly size: number }): number | undefined {
  try {
    const stats = look();
    return stats.isFile() ? stats.size : undefined;
  } catch {
    return undefined;
  }
}

/** The reason in plain words; the system's own repeats the path. */
function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EISDIR") return "it is a folder";
  if (code === "EACCES" || code === "EPERM") return "permission denied";
  return messageOf(error);
}
