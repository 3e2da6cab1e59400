/** A whole command as a client sent it. */
export interface RequestFrame {
  readonly argv: readonly string[];
  readonly bytes: Buffer;
}

const CR_LF = 2;

/**
 * Cuts the bytes that a client sends to a Redis server into commands: arrays of bulk strings, and inline commands (Redis
 * documentation, "RESP protocol specification"). Every byte comes out again, in order.
 */
export class RequestReader {
  #rest: Buffer = Buffer.alloc(0);
  #isBroken = false;

  /** The commands that are complete with these bytes. What follows a break of the protocol comes without words. */
  push(bytes: Uint8Array): readonly RequestFrame[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const frames: RequestFrame[] = [];
    for (;;) {
      const found = this.#isBroken || this.#rest.length === 0 ? undefined : read(this.#rest);
      if (found === "broken") this.#isBroken = true;
      else if (found === undefined) break;
      else {
        frames.push({ argv: found.argv, bytes: this.#rest.subarray(0, found.end) });
        this.#rest = this.#rest.subarray(found.end);
      }
    }
    // The server answers with an error and closes: it must see all of it.
    if (this.#isBroken && this.#rest.length > 0) {
      frames.push({ argv: [], bytes: this.#rest });
      this.#rest = Buffer.alloc(0);
    }
    return frames;
  }
}

/** The first command; undefined when it is not complete. */
function read(bytes: Buffer): { readonly argv: readonly string[]; readonly end: number } | "broken" | undefined {
  const lineEnd = bytes.indexOf("\n");
  if (lineEnd === -1) return undefined;
  const line = bytes.subarray(0, lineEnd).toString("utf8").trim();
  if (bytes[0] !== "*".charCodeAt(0)) {
    return { argv: line === "" ? [] : line.split(/\s+/), end: lineEnd + 1 };
  }
  const count = Number(line.slice(1));
  if (!Number.isInteger(count)) return "broken";
  const argv: string[] = [];
  let at = lineEnd + 1;
  for (let word = 0; word < count; word += 1) {
    const headEnd = bytes.indexOf("\n", at);
    if (headEnd === -1) return undefined;
    const length = Number(
      bytes
        .subarray(at + 1, headEnd)
        .toString("latin1")
        .trim(),
    );
    if (bytes[at] !== "$".charCodeAt(0) || !Number.isInteger(length) || length < 0) return "broken";
    const end = headEnd + 1 + length + CR_LF;
    if (bytes.length < end) return undefined;
    argv.push(bytes.subarray(headEnd + 1, end - CR_LF).toString("utf8"));
    at = end;
  }
  return { argv, end: at };
}
