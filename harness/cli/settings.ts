import type { Command } from "./command.ts";
import { readConfigFile } from "./config-file.ts";

/** Settings of every command that has these flags. */
const EVERYWHERE = ["server", "proxy-port", "store"];
/**
 * Settings of the hunt alone: `--lock` and others mean something else in other commands, "instead of the plan's own".
 */
const OF_THE_HUNT = [
  "lock",
  "topology",
  "persistence",
  "faults",
  "backend",
  "runs",
  "budget",
  "shrink-runs",
  "seed",
  "require",
];
/** Settings of a configuration file that describe the servers of its lock. They say nothing of another lock. */
const OF_THE_LOCK = ["topology", "persistence"];
/** The ladder's table contains lockstorm's locks, not the project's own. */
const OTHER_HUNTS = ["--ladder", "--all"];

/** The flags of a command that the environment and the configuration file can set. */
export function settingsOf({ name, flags }: Pick<Command, "name" | "flags">): readonly string[] {
  const settable = name === "hunt" ? [...OF_THE_HUNT, ...EVERYWHERE] : EVERYWHERE;
  return Object.keys(flags).filter((flag) => settable.includes(flag));
}

/** The variable that sets a flag: `LOCKSTORM_PROXY_PORT`. */
export function variableOf(flag: string): string {
  return `LOCKSTORM_${flag.toUpperCase().replaceAll("-", "_")}`;
}

/** A flag that was not given on the command line. */
export interface Setting {
  readonly flag: string;
  readonly value: string;
  /** Its source, for errors: `LOCKSTORM_SEED`, or `seed in lockstorm.config.ts`. */
  readonly origin: string;
}

/**
 * The flags that the environment and the configuration file add to a command line. Flags come first, then the
 * environment, then the file.
 * @param words the arguments after the command's name
 * @throws UserError when the configuration file is broken
 */
export async function readSettings(
  command: Command,
  words: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): Promise<readonly Setting[]> {
  const given = (flag: string): boolean => words.some((word) => word === `--${flag}` || word.startsWith(`--${flag}=`));
  const settable = settingsOf(command).filter(
    (flag) => !given(flag) && !(OF_THE_HUNT.includes(flag) && OTHER_HUNTS.some((word) => words.includes(word))),
  );
  if (settable.length === 0) return [];
  const file = await readConfigFile(process.cwd(), [...OF_THE_HUNT, ...EVERYWHERE]);
  const asked = lockOf(words) ?? environment[variableOf("lock")] ?? "";
  const isOther = file?.values.has("lock") === true && asked !== "" && asked !== file.values.get("lock");
  return settable.flatMap((flag): Setting[] => {
    const variable = variableOf(flag);
    const value = environment[variable];
    if (value !== undefined && value !== "") return [{ flag, value, origin: variable }];
    const configured = isOther && OF_THE_LOCK.includes(flag) ? undefined : file?.values.get(flag);
    return file === undefined || configured === undefined
      ? []
      : [{ flag, value: configured, origin: `${flag} in ${file.name}` }];
  });
}

/** The lock that is named on the command line. */
function lockOf(words: readonly string[]): string | undefined {
  const place = words.findLastIndex((word) => word === "--lock" || word.startsWith("--lock="));
  const word = words[place];
  return word === "--lock" ? words[place + 1] : word?.slice("--lock=".length);
}
