const BLANK = /[ \t\n\v\f\r\0]/;
const HEX = /^[0-9a-fA-F]{2}$/;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", a: "\x07" };

/**
 * Splits a line into arguments, as inline commands and script headers are split: blanks separate, double quotes with
 * escapes (`\n`, `\xff`), single quotes with `\'` only. Undefined when quotes are unbalanced.
 */
export function splitArguments(line: string): string[] | undefined {
  const found: string[] = [];
  let at = 0;
  for (;;) {
    while (at < line.length && BLANK.test(line[at] ?? "")) at += 1;
    if (at >= line.length) return found;
    const argument = readArgument(line, at);
    if (argument === undefined) return undefined;
    found.push(argument.text);
    at = argument.end;
  }
}

function readArgument(line: string, start: number): { text: string; end: number } | undefined {
  let text = "";
  let at = start;
  while (at < line.length) {
    const symbol = line[at] ?? "";
    if (BLANK.test(symbol)) break;
    if (symbol !== '"' && symbol !== "'") {
      text += symbol;
      at += 1;
      continue;
    }
    const quoted = symbol === '"' ? readDouble(line, at + 1) : readSingle(line, at + 1);
    // A closing quote must be followed by a blank or by the end.
    if (quoted === undefined || (quoted.end < line.length && !BLANK.test(line[quoted.end] ?? ""))) return undefined;
    return { text: text + quoted.text, end: quoted.end };
  }
  return { text, end: at };
}

function readDouble(line: string, start: number): { text: string; end: number } | undefined {
  let text = "";
  for (let at = start; at < line.length; at += 1) {
    const symbol = line[at] ?? "";
    if (symbol === '"') return { text, end: at + 1 };
    if (symbol !== "\\" || at + 1 >= line.length) {
      text += symbol;
      continue;
    }
    const code = line.slice(at + 2, at + 4);
    if (line[at + 1] === "x" && HEX.test(code)) {
      text += String.fromCharCode(Number.parseInt(code, 16));
      at += 3;
    } else {
      const escaped = line[at + 1] ?? "";
      text += ESCAPES[escaped] ?? escaped;
      at += 1;
    }
  }
  return undefined;
}

function readSingle(line: string, start: number): { text: string; end: number } | undefined {
  let text = "";
  for (let at = start; at < line.length; at += 1) {
    const symbol = line[at] ?? "";
    if (symbol === "'") return { text, end: at + 1 };
    if (symbol === "\\" && line[at + 1] === "'") {
      text += "'";
      at += 1;
    } else text += symbol;
  }
  return undefined;
}
