import type { Command } from "./command.ts";
import { ENVIRONMENT_VARIABLES } from "./flags/environment-variables.ts";
import { commandUsage, EXIT_CODES, exitCodes, flagHelp, flagUsage } from "./help.ts";
import { settingsOf, variableOf } from "./settings.ts";
import { capital } from "../core/words/capital.ts";

/** `docs/cli.md`: the same table as the help, as Markdown. */
export function cliDocument(commands: readonly Command[]): string {
  return [
    "# Command line",
    "",
    "All commands, as `npx lockstorm <command> --help` prints them. In an installed project write `npx` before each example.",
    "",
    "| command | does |",
    "|---|---|",
    ...commands.map(({ name, summary }) => `| [\`${name}\`](#lockstorm-${name}) | ${cell(summary)} |`),
    "",
    EXIT_CODES,
    "",
    ...commands.flatMap((command) => [...section(command), ""]),
    ...configuration(commands),
    "",
    "In a clone, `npm run docs:cli` generates this page from the same table as the help.",
    "",
  ].join("\n");
}

function section(command: Command): readonly string[] {
  const { name, summary, flags, examples } = command;
  const rows = Object.entries(flags).map(
    ([flag, entry]) => `| \`${flagUsage(flag, entry)}\` | ${cell(flagHelp(entry))} |`,
  );
  return [
    `## lockstorm ${name}`,
    "",
    `${capital(summary)}.`,
    "",
    ...examples.map((example) => `    ${example}`),
    "",
    `Usage: \`${commandUsage(command)}\``,
    ...(rows.length === 0 ? [] : ["", "| flag | |", "|---|---|", ...rows]),
    "",
    "| exit code | |",
    "|---|---|",
    ...exitCodes(command.exits).map(([code, means]) => `| ${code} | ${cell(means)} |`),
  ];
}

function configuration(commands: readonly Command[]): readonly string[] {
  const hunted = commands.filter(({ name }) => name === "hunt").flatMap(settingsOf);
  const settable = [...new Set([...hunted, ...commands.flatMap(settingsOf)])];
  const of = (flag: string): string =>
    commands
      .filter((command) => settingsOf(command).includes(flag))
      .map(({ name }) => `\`${name}\``)
      .join(", ");
  const key = (flag: string): string => flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return [
    "## Configuration",
    "",
    "A flag overrides an environment variable, which overrides `lockstorm.config.ts` (or .mts, .js, .mjs) in the",
    "working directory. `lockstorm init` writes that file; its type is `Config`, from `lockstorm`. The file's",
    "`topology` and `persistence` are those of its `lock`: they do not apply where a flag or a variable names another lock.",
    "",
    "| flag | variable | in the file | used by |",
    "|---|---|---|---|",
    ...settable.map((flag) => `| \`--${flag}\` | \`${variableOf(flag)}\` | \`${key(flag)}\` | ${of(flag)} |`),
    "",
    "Further variables:",
    "",
    "| variable | what it does |",
    "|---|---|",
    ...Object.entries(ENVIRONMENT_VARIABLES).map(([name, does]) => `| \`${name}\` | ${does} |`),
  ];
}

/** A bar would end the cell. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
