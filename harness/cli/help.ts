import type { Command, Flag } from "./command.ts";

/** What every command's exit code means. */
export const EXIT_CODES =
  "Exit codes: 0 valid, 1 invalid, 2 unknown, 130 interrupted, 254 usage or bad input, 255 the harness failed.";

/** The help of the whole program. */
export function programHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    "lockstorm: does your distributed lock on Redis hold?",
    "",
    "Usage: lockstorm <command> [flags]",
    "",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
    "lockstorm <command> --help says more about each.",
    "",
    "What is not given by a flag: LOCKSTORM_... in the environment, then lockstorm.config.ts, then the default.",
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

/** How a command is written: `lockstorm check <history.jsonl> [flags]`. */
export function commandUsage({ name, operands, flags }: Command): string {
  const rest = Object.keys(flags).length > 0 ? "[flags]" : "";
  return `lockstorm ${[name, operands, rest].filter((part) => part !== "").join(" ")}`;
}

/** How a flag is written: `--seed <number>`. */
export function flagUsage(flag: string, { value }: Flag): string {
  return value === undefined ? `--${flag}` : `--${flag} <${value}>`;
}

/** What a flag does, with its default. */
export function flagHelp({ help, default: preset }: Flag): string {
  return preset === undefined ? help : `${help} (default: ${preset})`;
}
