import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { codeOf } from "../core/system-reason.ts";

/** More than any plan, verdict or journal that lockstorm writes, in bytes. */
const MOST_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 65_536;
const PATIENCE_MS = 10;

/**
 * Reads a whole file, or a pipe, as text no longer than a plan or a verdict may be. Bytes that are not UTF-8 are an
 * error, as in a history; a byte order mark at the beginning is left out.
 * @throws Error that says in a few words what is wrong, without the path
 */
export function readTextFile(path: string): string {
  // Without blocking: a pipe that nobody writes to would keep this process from ending.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (stats.isDirectory()) throw new Error("it is a folder");
    if (!stats.isFile() && !stats.isFIFO()) throw new Error("it is not a file");
    const chunks: Uint8Array[] = [];
    let length = 0;
    for (let chunk = read(file); chunk.length > 0; chunk = read(file)) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MOST_BYTES) throw new Error(`it is longer than ${MOST_BYTES / 1024 / 1024} MiB`);
    }
    return decode(Buffer.concat(chunks));
  } finally {
    closeSync(file);
  }
}

function read(file: number): Uint8Array {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (;;) {
    try {
      return chunk.subarray(0, readSync(file, chunk));
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PATIENCE_MS);
    }
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("it is not UTF-8 text");
  }
}
