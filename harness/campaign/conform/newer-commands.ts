import type { Conformity } from "./conformity.ts";

/** The first versions that have these commands. Source: the release notes of Redis 8.4 and of Valkey 9.0. */
const SINCE: ReadonlyMap<string, string> = new Map([
  ["DELEX", "Redis has it since 8.4"],
  ["DIGEST", "Redis has it since 8.4"],
  ["MSETEX", "Redis has it since 8.4"],
  ["DELIFEQ", "Valkey has it since 9.0"],
]);

const UNKNOWN_COMMAND = /unknown command [`'"]?([A-Za-z][\w.-]*)/gi;
const SYNTAX_ERROR = /\bsyntax error\b/i;

/**
 * What to know of the servers where they did not know a command, or an argument of one: the mistakes that follow from it are
 * not the driver's. One sentence each; none where the servers knew everything.
 */
export function newerCommands(checks: readonly Pick<Conformity, "details">[]): readonly string[] {
  const told = checks.flatMap(({ details }) => details).join("\n");
  const names = [...told.matchAll(UNKNOWN_COMMAND)].flatMap(([, name]) => name?.toUpperCase() ?? []);
  const commands = [...new Set(names)].map((name) => {
    const since = SINCE.get(name);
    return `The servers, Redis 8.0, have no command ${name}${since === undefined ? "" : `: ${since}`}.`;
  });
  if (!SYNTAX_ERROR.test(told)) return commands;
  return [
    ...commands,
    "A syntax error may be of an argument that the servers, Redis 8.0, do not know: IFEQ of SET is in Redis since 8.4, and in Valkey since 8.1 (hunt with --backend containers --server valkey).",
  ];
}
