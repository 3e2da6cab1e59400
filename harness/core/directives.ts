/**
 * Directives for the servers' configuration files, as a plan gives them. Plans come from anywhere: a value that ends
 * its line could add a directive of its own.
 */

/** What a directive can be called: `min-replicas-to-write`, `max_wal_size`, `4lw.commands.whitelist`. */
export const DIRECTIVE_NAME = /^[A-Za-z0-9][\w.-]{0,99}$/;
/** A value that stays on its line in every format: no control characters, no line separators, no backslashes. */
export const DIRECTIVE_VALUE = /^[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}\\]{0,1000}$/u;

/** The Redis directives by which the harness starts its servers and reaches them. */
const HARNESS_ONLY: ReadonlySet<string> = new Set([
  "port",
  "bind",
  "unixsocket",
  "tls-port",
  "dir",
  "logfile",
  "daemonize",
  "include",
  "loadmodule",
  "replicaof",
  "slaveof",
]);

const ARGUMENT = /"([^"]*)"(?=\s|$)|'([^']*)'(?=\s|$)|([^\s"']+)(?=\s|$)/y;

/**
 * The arguments in the value of a Redis directive: words, or quoted text. Undefined if a quote is not closed, or stands
 * within a word.
 */
export function redisArguments(value: string): readonly string[] | undefined {
  const found: string[] = [];
  for (let at = 0; ;) {
    while (/\s/.test(value.charAt(at))) at += 1;
    if (at === value.length) return found;
    ARGUMENT.lastIndex = at;
    const match = ARGUMENT.exec(value);
    if (match === null) return undefined;
    found.push(match[1] ?? match[2] ?? match[3] ?? "");
    at = ARGUMENT.lastIndex;
  }
}

/** Why a plan may not set this directive for its Redis servers, in words; undefined if it may. */
export function redisDirectiveProblem(name: string, value: string): string | undefined {
  if (HARNESS_ONLY.has(name.toLowerCase())) return "is set by lockstorm itself";
  return redisArguments(value) === undefined ? "has a quote that is not closed or that is inside a word" : undefined;
}

/** The line of a Redis configuration file. No value can leave the line's arguments. */
export function redisDirective(name: string, value: string): string {
  const given = redisArguments(value) ?? [value];
  return [name, ...(given.length === 0 ? [""] : given).map(quoted)].join(" ");
}

function quoted(argument: string): string {
  if (/^[\w.:/%*+-]+$/.test(argument)) return argument;
  // Redis reads hexadecimal escapes within double quotes (sds.c, sdssplitargs).
  return `"${argument.replaceAll(/["\\\p{Cc}]/gu, (each) => `\\x${(each.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`)}"`;
}
