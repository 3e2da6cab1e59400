/** A reply from a connection that speaks RESP2. Text is binary: one UTF-16 unit per byte. */
export type ReceivedReply =
  | { readonly type: "status" | "error" | "bulk"; readonly text: string }
  | { readonly type: "integer"; readonly value: number }
  | { readonly type: "null" }
  | { readonly type: "array"; readonly items: readonly ReceivedReply[] };

interface Parsed {
  readonly reply: ReceivedReply;
  readonly end: number;
}

/** Takes a connection's bytes in any portions and returns its replies. */
export class ReplyParser {
  #buffer = "";

  push(text: string): void {
    this.#buffer += text;
  }

  /**
   * The next reply, or undefined while it is incomplete.
   * @throws Error when the peer does not speak RESP2
   */
  next(): ReceivedReply | undefined {
    if (this.#buffer === "") return undefined;
    const parsed = parse(this.#buffer, 0);
    if (parsed === undefined) return undefined;
    this.#buffer = this.#buffer.slice(parsed.end);
    return parsed.reply;
  }
}

function parse(buffer: string, start: number): Parsed | undefined {
  const lineEnd = buffer.indexOf("\r\n", start);
  if (lineEnd < 0) return undefined;
  const line = buffer.slice(start + 1, lineEnd);
  const end = lineEnd + 2;
  switch (buffer[start]) {
    case "+":
      return { reply: { type: "status", text: line }, end };
    case "-":
      return { reply: { type: "error", text: line }, end };
    case ":":
      return { reply: { type: "integer", value: Number(line) }, end };
    case "$":
      return parseBulk(buffer, end, Number(line));
    case "*":
      return parseArray(buffer, end, Number(line));
    default:
      throw new Error(`no reply of RESP2: ${JSON.stringify(buffer.slice(start, start + 40))}`);
  }
}

function parseBulk(buffer: string, start: number, length: number): Parsed | undefined {
  if (length < 0) return { reply: { type: "null" }, end: start };
  const end = start + length;
  if (buffer.length < end + 2) return undefined;
  return { reply: { type: "bulk", text: buffer.slice(start, end) }, end: end + 2 };
}

function parseArray(buffer: string, start: number, count: number): Parsed | undefined {
  if (count < 0) return { reply: { type: "null" }, end: start };
  const items: ReceivedReply[] = [];
  let end = start;
  for (let index = 0; index < count; index += 1) {
    const item = parse(buffer, end);
    if (item === undefined) return undefined;
    items.push(item.reply);
    end = item.end;
  }
  return { reply: { type: "array", items }, end };
}
