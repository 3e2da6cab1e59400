import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

const CHUNK_BYTES = 16_384;
const LINE_FEED = 10;

/**
 * The lines of a file, read a part at a time: a journal may be longer than a text can be. An unterminated last line is
 * left out. The file is open only while a part is read, so that a thousand may be read side by side.
 */
export function* wholeLines(path: string): Generator<string> {
  let offset = 0;
  let bytes = CHUNK_BYTES;
  for (;;) {
    const chunk = readAt(path, offset, bytes);
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end === 0) {
      if (chunk.length < bytes) return;
      // The line is longer than that.
      bytes *= 2;
      continue;
    }
    yield* chunk.toString("utf8", 0, end - 1).split("\n");
    offset += end;
  }
}

/** Where the last whole line of a file ends, in bytes; 0 when it has none. */
export function endOfWholeLines(path: string): number {
  let end = sizeOf(path);
  while (end > 0) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const last = readAt(path, start, end - start).lastIndexOf(LINE_FEED);
    if (last >= 0) return start + last + 1;
    end = start;
  }
  return 0;
}

function readAt(path: string, offset: number, bytes: number): Buffer {
  // Without blocking: a pipe that nobody writes to would keep this process from ending.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const chunk = Buffer.allocUnsafe(bytes);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes; length += read) {
      read = readSync(file, chunk, length, bytes - length, offset + length);
    }
    return chunk.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

function sizeOf(path: string): number {
  const file = openSync(path, "r");
  try {
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}
