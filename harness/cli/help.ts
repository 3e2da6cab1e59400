import type { Command } from "./command.ts";

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
    "Exit codes: 0 valid, 1 invalid, 2 unknown, 130 interrupted, 254 usage or bad input, 255 the harness failed.",
  ].join("\n");
}

/** The help of one command. */
export function commandHelp({ name, summary, operands, flags, examples }: Command): string {
  const rows = Object.entries(flags).map(([flag, { value, help, default: preset }]) => ({
    left: value === undefined ? `--${flag}` : `--${flag} <${value}>`,
    right: preset === undefined ? help : `${help} (default: ${preset})`,
  }));
  const width = Math.max(0, ...rows.map(({ left }) => left.length));
  return [
    `lockstorm ${name}: ${summary}`,
    "",
    `Usage: lockstorm ${[name, operands, rows.length > 0 ? "[flags]" : ""].filter((part) => part !== "").join(" ")}`,
    ...(rows.length === 0 ? [] : ["", ...rows.map(({ left, right }) => `  ${left.padEnd(width)}  ${right}`)]),
    "",
    "Examples:",
    ...examples.map((example) => `  ${example}`),
  ].join("\n");
}
