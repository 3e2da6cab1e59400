/** A whole value that a server sent: a reply, or a message that nobody asked for. */
export interface ReplyFrame {
  /** The first byte of RESP: `+`, `*`, `>`; empty after a break of the protocol. */
  readonly type: string;
  /** The first word of an array or a push, in small letters: `message`, `subscribe`. */
  readonly kind: string | undefined;
  readonly bytes: Buffer;
}

const CR_LF = 2;
/** Aggregates, with the number of values of each element. */
const AGGREGATES: Readonly<Record<string, number>> = { "*": 1, "~": 1, ">": 1, "%": 2, "|": 2 };
const BULKS = "$=!";
const SIMPLE = "+-:_#,(";

/**
 * Cuts the bytes that a Redis server sends, in version 2 or 3 of the protocol, into whole values (Redis documentation,
 * "RESP protocol specification"). Every byte comes out again, in order; attributes come out with the value that they
 * belong to.
 */
export class ReplyReader {
  #rest: Buffer = Buffer.alloc(0);
  #isBroken = false;

  /** The values that are complete with these bytes. What follows a break of the protocol has no type. */
  push(bytes: Uint8Array): readonly ReplyFrame[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const frames: ReplyFrame[] = [];
    while (!this.#isBroken && this.#rest.length > 0) {
      const start = afterAttributes(this.#rest, 0);
      const end = typeof start === "number" ? endOf(this.#rest, start) : start;
      if (end === "broken") this.#isBroken = true;
      if (typeof end !== "number" || typeof start !== "number") break;
      const type = String.fromCharCode(this.#rest[start] ?? 0);
      frames.push({ type, kind: kindOf(this.#rest, start), bytes: this.#rest.subarray(0, end) });
      this.#rest = this.#rest.subarray(end);
    }
    if (this.#isBroken && this.#rest.length > 0) {
      frames.push({ type: "", kind: undefined, bytes: this.#rest });
      this.#rest = Buffer.alloc(0);
    }
    return frames;
  }
}

type Place = number | "broken" | undefined;

function afterAttributes(bytes: Buffer, start: number): Place {
  let at: Place = start;
  while (typeof at === "number" && bytes[at] === "|".charCodeAt(0)) at = endOf(bytes, at);
  return at;
}

/** Where the value that begins at `start` ends; undefined when it is not complete. */
function endOf(bytes: Buffer, start: number): Place {
  const lineEnd = bytes.indexOf("\n", start);
  if (lineEnd === -1) return undefined;
  const type = String.fromCharCode(bytes[start] ?? 0);
  if (SIMPLE.includes(type)) return lineEnd + 1;
  const length = Number(
    bytes
      .subarray(start + 1, lineEnd)
      .toString("latin1")
      .trim(),
  );
  const each = AGGREGATES[type];
  if (!Number.isInteger(length) || (each === undefined && !BULKS.includes(type))) return "broken";
  if (length < 0) return lineEnd + 1;
  if (each === undefined) return bytes.length < lineEnd + 1 + length + CR_LF ? undefined : lineEnd + 1 + length + CR_LF;
  let at: Place = lineEnd + 1;
  for (let left = length * each; left > 0 && typeof at === "number"; left -= 1) at = endOf(bytes, at);
  return at;
}

/** The first word of an array or push that is complete. */
function kindOf(bytes: Buffer, start: number): string | undefined {
  if (!"*>".includes(String.fromCharCode(bytes[start] ?? 0))) return undefined;
  const first = bytes.indexOf("\n", start) + 1;
  const lineEnd = bytes.indexOf("\n", first);
  const type = String.fromCharCode(bytes[first] ?? 0);
  if (type === "+")
    return bytes
      .subarray(first + 1, lineEnd)
      .toString("latin1")
      .trim()
      .toLowerCase();
  if (type !== "$") return undefined;
  const length = Number(
    bytes
      .subarray(first + 1, lineEnd)
      .toString("latin1")
      .trim(),
  );
  return bytes
    .subarray(lineEnd + 1, lineEnd + 1 + Math.max(0, length))
    .toString("latin1")
    .toLowerCase();
}
