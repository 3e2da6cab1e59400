import { wrap } from "../../reports/text-style.ts";
import { EXIT } from "../core/verdict.ts";
import type { Command, Exits, Flag } from "./command.ts";
import { grouped } from "./flags/flag-groups.ts";

/** The exit codes in short, for all commands together. */
export const EXIT_CODES =
  "Exit codes: 0 valid, 1 invalid, 2 unknown, 130 interrupted, 254 usage or bad input, 255 the harness failed.";

/** The exit code after Ctrl-C and after the signals that ask a process to end. */
export const INTERRUPTED = 130;

/** Lines longer than this are hard to read; shorter ones break every phrase. */
const WIDEST = 100;
const NARROWEST = 40;
/** In less width there is no room for two columns: a meaning stands below its name. */
const TWO_COLUMNS = 64;
/** A longer usage of a flag has a line of its own. */
const WIDEST_USAGE = 26;

/** The width of help on a terminal of this many columns, or where there is none. */
export function helpWidth(columns: number | undefined): number {
  return Math.min(WIDEST, Math.max(NARROWEST, columns ?? WIDEST));
}

/** The help of the whole program. */
export function programHelp(commands: readonly Command[], width: number): string {
  return [
    ...wrap("lockstorm tests distributed locks on Redis under faults.", width),
    "",
    "Usage: lockstorm <command> [flags]",
    "",
    "Examples:",
    "  lockstorm                                  a lock that breaks in a failover, simulated and drawn",
    "  lockstorm hunt --lock ./my-lock.ts         search for a schedule that breaks your lock",
    "  lockstorm reproduce --list                 the catalogue of known counterexamples",
    "  lockstorm explain fencing-tokens           a property, a fault, a lock or a term in plain words",
    "",
    "Commands:",
    ...table(
      commands.map(({ name, summary }) => [name, summary]),
      width,
    ),
    "",
    ...wrap("lockstorm help <command> describes a command; lockstorm --version prints the version.", width),
    "",
    ...wrap("Defaults: LOCKSTORM_... in the environment, then lockstorm.config.ts, then the built-in default.", width),
    "",
    ...wrap(EXIT_CODES, width),
  ].join("\n");
}

/** The help of one command. */
export function commandHelp(command: Command, width: number): string {
  const { name, summary, flags, examples } = command;
  const groups = grouped(Object.keys(flags)).flatMap(([heading, names]) => [
    "",
    `${heading}:`,
    ...table(
      Object.entries(flags)
        .filter(([flag]) => names.includes(flag))
        .map(([flag, entry]) => [flagUsage(flag, entry), flagHelp(entry)]),
      width,
    ),
  ]);
  return [
    ...wrap(`lockstorm ${name}: ${summary}`, width),
    "",
    "Examples:",
    ...examples.map((example) => `  ${example}`),
    "",
    ...wrap(`Usage: ${commandUsage(command)}`, width),
    ...groups,
    "",
    "Exit codes:",
    ...table(exitCodes(command.exits), width),
  ].join("\n");
}

/** The exit codes of a command, with what each means. */
export function exitCodes({ valid, invalid, unknown }: Exits): readonly (readonly [string, string])[] {
  const meanings: readonly (readonly [number, string | undefined])[] = [
    [EXIT.valid, valid],
    [EXIT.invalid, invalid],
    [EXIT.unknown, unknown],
    [INTERRUPTED, "interrupted"],
    [EXIT.usage, "usage or bad input"],
    [EXIT.harness, "the harness failed"],
  ];
  return meanings.flatMap(([code, means]) => (means === undefined ? [] : [[String(code), means] as const]));
}

/** Names with their meanings in two columns, or below each other, wrapped. */
function table(rows: readonly (readonly [string, string])[], width: number): readonly string[] {
  const column = width < TWO_COLUMNS ? 0 : Math.min(WIDEST_USAGE, Math.max(...rows.map(([left]) => left.length)));
  const gap = " ".repeat(column === 0 ? 6 : column + 4);
  return rows.flatMap(([left, right]) => {
    const lines = wrap(right, width - gap.length);
    if (left.length > column) return [`  ${left}`, ...lines.map((line) => gap + line)];
    return lines.map((line, index) => (index === 0 ? `  ${left.padEnd(column)}  ${line}` : gap + line));
  });
}

/** The usage of a command: `lockstorm check <history.jsonl> [flags]`. */
export function commandUsage({ name, operands, flags }: Command): string {
  const rest = Object.keys(flags).length > 0 ? "[flags]" : "";
  return `lockstorm ${[name, operands, rest].filter((part) => part !== "").join(" ")}`;
}

/** The usage of a flag: `--seed <number>`. */
export function flagUsage(flag: string, { value }: Flag): string {
  return value === undefined ? `--${flag}` : `--${flag} <${value}>`;
}

/** What a flag does, with its default. */
export function flagHelp({ help, default: preset }: Flag): string {
  return preset === undefined ? help : `${help} (default: ${preset})`;
}
