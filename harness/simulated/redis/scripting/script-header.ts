import { fail } from "../arguments.ts";
import { splitArguments } from "../protocol/split-arguments.ts";

/**
 * The declarations in a script's first line. Without such a line it is `compatible`: it may do anything, and each
 * command is checked as it runs.
 */
export interface ScriptFlags {
  readonly compatible: boolean;
  readonly noWrites: boolean;
  readonly allowOom: boolean;
  readonly allowStale: boolean;
}

const KNOWN = new Set(["no-writes", "allow-oom", "allow-stale", "no-cluster", "allow-cross-slot-keys"]);

/**
 * Parses a script's header, `#!lua flags=no-writes,allow-stale`. The source keeps its line numbers.
 * @throws ReplyError when there is a header that cannot be understood
 */
export function readScriptHeader(body: string): { flags: ScriptFlags; source: string } {
  const declared = new Set<string>();
  const flagsOf = (compatible: boolean): ScriptFlags => ({
    compatible,
    noWrites: declared.has("no-writes"),
    allowOom: declared.has("allow-oom"),
    allowStale: declared.has("allow-stale"),
  });
  if (!body.startsWith("#!")) return { flags: flagsOf(true), source: body };
  const end = body.indexOf("\n");
  if (end < 0) return fail("ERR Invalid script shebang");
  const [engine, ...options] = splitArguments(body.slice(0, end)) ?? [];
  if (engine === undefined) return fail("ERR Invalid engine in script shebang");
  if (engine !== "#!lua") return fail(`ERR Unexpected engine in script shebang: ${engine}`);
  for (const option of options) {
    if (!option.startsWith("flags=")) return fail(`ERR Unknown lua shebang option: ${option}`);
    const list = option.slice("flags=".length);
    for (const flag of list === "" ? [] : list.split(",")) {
      if (!KNOWN.has(flag)) return fail(`ERR Unexpected flag in script shebang: ${flag}`);
      declared.add(flag);
    }
  }
  return { flags: flagsOf(false), source: body.slice(end) };
}
