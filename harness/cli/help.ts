import type { Command, Flag } from "./command.ts";

/** The meaning of the exit codes, the same for every command. */
export const EXIT_CODES =
  "Exit codes: 0 valid, 1 invalid, 2 unknown, 130 interrupted, 254 usage or bad input, 255 the harness failed.";

/** The help of the whole program. */
export function programHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    "lockstorm tests distributed locks on Redis under faults.",
    "",
    "Usage: lockstorm <command> [flags]",
    "",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
    "lockstorm <command> --help describes a command.",
    "",
    "Defaults: LOCKSTORM_... in the environment, then lockstorm.config.ts, then the built-in default.",
    "",
    EXIT_CODES,
  ].join("\n");
}

/** The help of one command. */
export function commandHelp(command: Command): string {
  const { name, summary, flags, examples } = command;
  const rows = Object.entries(flags).map(([flag, entry]) => ({
    left: flagUsage(flag, entry),
    right: flagHelp(entry),
  }));
  const width = Math.max(0, ...rows.map(({ left }) => left.length));
  return [
    `lockstorm ${name}: ${summary}`,
    "",
    `Usage: ${commandUsage(command)}`,
    ...(rows.length === 0 ? [] : ["", ...rows.map(({ left, right }) => `  ${left.padEnd(width)}  ${right}`)]),
    "",
    "Examples:",
    ...examples.map((example) => `  ${example}`),
  ].join("\n");
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
