import { errorReply, ReplyError } from "../protocol/reply.ts";
import { splitArguments } from "../protocol/split-arguments.ts";

const NAME = /^[a-zA-Z0-9_]+$/;

/** The first line of a function library, `#!lua name=locks`, read. */
export interface LibraryHeader {
  readonly name: string;
  /** The code without that line, whose end stays: lines keep their numbers. */
  readonly source: string;
}

/** @throws ReplyError when the code has no header, or one that cannot be understood */
export function readLibraryHeader(code: string): LibraryHeader {
  if (!code.startsWith("#!")) return fail("ERR Missing library metadata");
  const end = code.search(/[\n\0]/);
  const parts = code[end] === "\n" ? splitArguments(code.slice(0, end)) : undefined;
  if (parts === undefined) return fail("ERR Invalid library metadata");
  const [engine = "", ...options] = parts;
  const name = nameAmong(options);
  requireName(name, fail);
  if (engine.toLowerCase() !== "#!lua") return fail(`ERR Engine '${engine.slice(2)}' not found`);
  return { name, source: code.slice(end) };
}

function nameAmong(options: readonly string[]): string {
  let name: string | undefined;
  for (const option of options) {
    if (!/^name=/i.test(option)) return fail(`ERR Invalid metadata value given: ${option}`);
    if (name !== undefined) return fail("ERR Invalid metadata value, name argument was given multiple times");
    name = option.slice("name=".length);
  }
  return name ?? fail("ERR Library name was not given");
}

/** Calls `refuse` with the server's message unless this can be the name of a library or a function. */
export function requireName(name: string, refuse: (text: string) => never): void {
  if (NAME.test(name)) return;
  refuse(
    "ERR Library names can only contain letters, numbers, or underscores(_) and must be at least one character long",
  );
}

function fail(text: string): never {
  throw new ReplyError(errorReply(text));
}
