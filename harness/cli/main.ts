// First: others rely on it.
import "./resource-management-polyfill.ts";
import { inspect } from "node:util";
import { printable } from "../core/printable.ts";
import { hintFor, mostAlike } from "../core/words/did-you-mean.ts";
import { blamedOnBuiltIns } from "../client/built-ins.ts";
import { HarnessError, messageOf, UserError } from "../core/errors.ts";
import { EXIT } from "../core/verdict.ts";
import { type Command, type CommandInput, readArguments } from "./command.ts";
import { allCommands, commandNamed } from "./commands/registry.ts";
import { firstError } from "../core/first-error.ts";
import { ownedError } from "./foreign-error.ts";
import { commandHelp, helpWidth, INTERRUPTED, programHelp } from "./help.ts";
import { readSettings, type Setting } from "./settings.ts";
import { outputTerminal, print, tell } from "./terminal.ts";
import { version } from "./version.ts";

/**
 * The command line: finds the command, runs it, and returns its exit code. Every error becomes one line on standard
 * error; `LOCKSTORM_DEBUG=1` adds the stack for developers of lockstorm.
 */
export async function run(words: readonly string[], signal: AbortSignal): Promise<number> {
  try {
    const code = await dispatch(words, signal);
    return signal.aborted ? INTERRUPTED : code;
  } catch (error) {
    return explain(error, signal);
  }
}

async function dispatch([name, ...rest]: readonly string[], signal: AbortSignal): Promise<number> {
  if (name === undefined) return (await import("./first-minute.ts")).showFailover(signal);
  if (name === "--version" || name === "-V") {
    print(`${version()}\n`);
    return EXIT.valid;
  }
  if (name === "--help" || name === "-h") return help([]);
  if (name === "help") return help(rest);
  const command = await findCommand(name);
  if (readArguments(command, rest).flags.on("help")) return help([name]);
  return runWithSettings(command, rest, { signal, allCommands });
}

/** Prints the help of the program, or of the command that is named. @throws UserError when there is none */
async function help([name]: readonly string[]): Promise<number> {
  const width = helpWidth(outputTerminal().columns);
  const text =
    name === undefined ? programHelp(await allCommands(), width) : commandHelp(await findCommand(name), width);
  print(`${text}\n`);
  return EXIT.valid;
}

async function findCommand(name: string): Promise<Command> {
  const command = await commandNamed(name);
  if (command !== undefined) return command;
  const names = (await allCommands()).map((candidate) => candidate.name);
  if (!name.startsWith("-")) {
    const hint = mostAlike(name, ["version"]) === undefined ? hintFor(name, names) : "did you mean --version?";
    throw new UserError(`there is no command "${name}"`, hint);
  }
  const flag = mostAlike(name, ["--help", "--version"]);
  const hint = flag === undefined ? "see lockstorm --help" : `did you mean ${flag}?`;
  throw new UserError(`there is no flag "${name}" without a command`, hint);
}

/**
 * Runs a command with the flags that the environment and the configuration file add; an error names where they come
 * from.
 */
async function runWithSettings(
  command: Command,
  words: readonly string[],
  run: Pick<CommandInput, "signal" | "allCommands">,
): Promise<number> {
  const settings = await readSettings(command, words);
  const added = settings.map(({ flag, value }) => `--${flag}=${value}`);
  try {
    return await command.run({ ...readArguments(command, [...added, ...words]), ...run });
  } catch (error) {
    throw withOrigin(error, settings);
  }
}

function withOrigin(error: unknown, settings: readonly Setting[]): unknown {
  if (!(error instanceof UserError)) return error;
  const setting = settings.find(({ flag }) => error.message.startsWith(`--${flag} `));
  if (setting === undefined) return error;
  const message = `${setting.origin}${error.message.slice(`--${setting.flag}`.length)}`;
  return new UserError(message, error.hint, { cause: error });
}

/** Prints the error on standard error, and returns the exit code. */
export function explain(problem: unknown, signal: AbortSignal): number {
  const thrown = blamedOnBuiltIns(problem);
  if (process.env["LOCKSTORM_DEBUG"] !== undefined) tell(`${inspect(thrown)}\n`);
  const error = ownedError(firstError(thrown));
  if (signal.aborted) return INTERRUPTED;
  if (error instanceof UserError) {
    tell(`lockstorm: ${printable(`${error.message}; ${error.hint}`)}\n`);
    return EXIT.usage;
  }
  const kind = error instanceof HarnessError ? "" : "unexpected: ";
  tell(`lockstorm: ${kind}${printable(messageOf(error))}\n`);
  return EXIT.harness;
}
