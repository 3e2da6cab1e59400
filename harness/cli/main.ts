// First: others rely on it.
import "./disposal.ts";
import { HarnessError, messageOf, UserError } from "../core/errors.ts";
import { EXIT } from "../core/verdict.ts";
import { type Command, readArguments } from "./command.ts";
import { advise } from "./commands/advise.ts";
import { check } from "./commands/check.ts";
import { completionFor } from "./commands/completion.ts";
import { debate } from "./commands/debate.ts";
import { doctor } from "./commands/doctor.ts";
import { headline } from "./commands/headline.ts";
import { hunt } from "./commands/hunt.ts";
import { init } from "./commands/init.ts";
import { merge } from "./commands/merge.ts";
import { replay } from "./commands/replay.ts";
import { report } from "./commands/report.ts";
import { reproduce } from "./commands/reproduce.ts";
import { setup } from "./commands/setup.ts";
import { firstError } from "./first-error.ts";
import { commandHelp, programHelp } from "./help.ts";
import { readSettings, type Setting } from "./settings.ts";

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [
  hunt,
  merge,
  reproduce,
  debate,
  headline,
  replay,
  check,
  report,
  advise,
  init,
  doctor,
  setup,
  completionFor(() => commands),
];

const INTERRUPTED = 130;

/**
 * The command line: finds the command, runs it, and ends the process with its exit code. Every error becomes one line
 * on standard error; `LOCKSTORM_DEBUG=1` adds the stack for whoever mends lockstorm itself.
 */
export async function main(words: readonly string[]): Promise<void> {
  const interruption = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      // The second one does not wait; what is left behind is removed by the watchdog.
      if (interruption.signal.aborted) process.exit(INTERRUPTED);
      process.stderr.write("\nlockstorm: interrupted, cleaning up (again to leave at once)\n");
      interruption.abort(new UserError("interrupted", "what was recorded is kept"));
    });
  }
  // A pipe that is closed (`| head`) ends the output, neither the program nor its exit code.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") process.exit(EXIT.harness);
    });
  }
  // Nothing should come here; if it does, it is one line too, and the watchdog cleans up.
  process.on("uncaughtException", (error) => process.exit(explain(error, interruption.signal)));
  process.exit(await run(words, interruption.signal));
}

async function run(words: readonly string[], signal: AbortSignal): Promise<number> {
  try {
    const [name, ...rest] = words;
    if (name === undefined || name === "--help" || name === "-h" || name === "help") {
      console.log(programHelp(commands));
      return name === undefined ? EXIT.usage : EXIT.valid;
    }
    const command = commands.find((candidate) => candidate.name === name);
    if (command === undefined) {
      const names = commands.map((candidate) => candidate.name).join(", ");
      throw new UserError(`there is no command "${name}"`, `choose one of ${names}`);
    }
    if (readArguments(command, rest).flags.on("help")) {
      console.log(commandHelp(command));
      return EXIT.valid;
    }
    const code = await runWithSettings(command, rest, signal);
    return signal.aborted ? INTERRUPTED : code;
  } catch (error) {
    return explain(error, signal);
  }
}

/** Runs a command with what environment and configuration file add to its flags; an error names where they come from. */
async function runWithSettings(command: Command, words: readonly string[], signal: AbortSignal): Promise<number> {
  const settings = await readSettings(command, words);
  const added = settings.map(({ flag, value }) => `--${flag}=${value}`);
  try {
    return await command.run({ ...readArguments(command, [...added, ...words]), signal });
  } catch (error) {
    throw withOrigin(error, settings);
  }
}

function withOrigin(error: unknown, settings: readonly Setting[]): unknown {
  if (!(error instanceof UserError)) return error;
  const setting = settings.find(({ flag }) => error.message.startsWith(`--${flag} `));
  if (setting === undefined) return error;
  const message = `${setting.origin}${error.message.slice(`--${setting.flag}`.length)}`;
  return new UserError(message, error.mend, { cause: error });
}

function explain(thrown: unknown, signal: AbortSignal): number {
  if (process.env["LOCKSTORM_DEBUG"] !== undefined) console.error(thrown);
  const error = firstError(thrown);
  if (signal.aborted) return INTERRUPTED;
  if (error instanceof UserError) {
    console.error(`lockstorm: ${error.message}; ${error.mend}`);
    return EXIT.usage;
  }
  const kind = error instanceof HarnessError ? "" : "unexpected: ";
  console.error(`lockstorm: ${kind}${messageOf(error)}`);
  return EXIT.harness;
}
