/** A parsed reply: the first letter of its type, then its text or its parts. */
export type Frame =
  | { readonly type: string; readonly text: string }
  | { readonly type: string; readonly parts: Frame[] };

/** Splits a stream of replies into single ones. Text is binary: one byte per UTF-16 unit. */
export class ReplyReader {
  #buffer = "";

  push(text: string): void {
    this.#buffer += text;
  }

  /** The bytes of the next complete reply, or undefined while it is incomplete. */
  next(): string | undefined {
    const end = endOfReply(this.#buffer, 0);
    if (end === undefined) return undefined;
    const reply = this.#buffer.slice(0, end);
    this.#buffer = this.#buffer.slice(end);
    return reply;
  }
}

function endOfReply(text: string, start: number): number | undefined {
  const lineEnd = text.indexOf("\r\n", start);
  if (lineEnd < 0) return undefined;
  const type = text[start] ?? "";
  const count = Number(text.slice(start + 1, lineEnd));
  if ("$=!".includes(type)) {
    const end = count < 0 ? lineEnd + 2 : lineEnd + 2 + count + 2;
    return end <= text.length ? end : undefined;
  }
  if (!"*~>%|".includes(type)) return lineEnd + 2;
  let end: number | undefined = lineEnd + 2;
  for (let index = 0; index < count * ("%|".includes(type) ? 2 : 1); index += 1) {
    end = endOfReply(text, end);
    if (end === undefined) return undefined;
  }
  return end;
}

/** Takes one reply apart. */
export function parseFrame(reply: string): Frame {
  return parseAt(reply, 0).frame;
}

function parseAt(text: string, start: number): { frame: Frame; end: number } {
  const lineEnd = text.indexOf("\r\n", start);
  const type = text[start] ?? "";
  const count = Number(text.slice(start + 1, lineEnd));
  if ("$=!".includes(type) && count >= 0) {
    const from = lineEnd + 2;
    return { frame: { type, text: text.slice(from, from + count) }, end: from + count + 2 };
  }
  if (!"*~>%|".includes(type) || count < 0) {
    return { frame: { type, text: text.slice(start + 1, lineEnd) }, end: lineEnd + 2 };
  }
  const parts: Frame[] = [];
  let at = lineEnd + 2;
  for (let index = 0; index < count * ("%|".includes(type) ? 2 : 1); index += 1) {
    const { frame, end } = parseAt(text, at);
    parts.push(frame);
    at = end;
  }
  return { frame: { type, parts }, end: at };
}
