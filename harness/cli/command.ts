import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { hintFor, mostAlike } from "../core/words/did-you-mean.ts";
import { requireDurationMs, type TimeUnit } from "../core/words/duration.ts";
import { messageOf, UserError } from "../core/errors.ts";

/** One flag of a command. `value` names its value in the help; a flag without `value` is a switch. */
export interface Flag {
  readonly value?: string;
  readonly help: string;
  readonly default?: string;
  /** The values that it takes, where they are known: for shell completion. */
  readonly choices?: readonly string[];
  /** May be given several times, which is the same as one list with commas. */
  readonly repeatable?: true;
}

/** A command of the command line. Parsing, help and documentation are made from this one table. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** The operands in the help: `<slug>`. */
  readonly operands: string;
  /** The possible values of an operand, where they are known: for shell completion. */
  readonly operandChoices?: readonly string[];
  readonly flags: Readonly<Record<string, Flag>>;
  readonly examples: readonly string[];
  /** What 0, 1 and 2 mean; a command never ends with one that it leaves out. */
  readonly exits: Exits;
  /** Executes the command and returns the exit code. */
  run(input: CommandInput): Promise<number>;
}

/** The meaning of the exit codes 0, 1 and 2. The others mean the same for every command. */
export interface Exits {
  readonly valid: string;
  readonly invalid?: string;
  readonly unknown?: string;
}

export interface CommandInput {
  readonly operands: readonly string[];
  readonly flags: Flags;
  /** Imports all commands there are, and with them most of the program. */
  readonly allCommands: () => Promise<readonly Command[]>;
  /** Aborted by Ctrl-C: the command must end and keep its results so far. */
  readonly signal: AbortSignal;
}

/** The given flags, with their defaults, by name. */
export class Flags {
  readonly #values: Readonly<Record<string, string | boolean | undefined>>;

  constructor(values: Readonly<Record<string, string | boolean | undefined>>) {
    this.#values = values;
  }

  /** The value of a flag, or its default. */
  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === "string" ? value : undefined;
  }

  /** True when a switch was given. */
  on(name: string): boolean {
    return this.#values[name] === true;
  }

  /**
   * An integer.
   * `unit` may follow it, with or without a space; `example` is one that the user may give.
   * @throws UserError when the value is not an integer, below `min` or above `max`
   */
  integer(
    name: string,
    min: number,
    max = Number.MAX_SAFE_INTEGER,
    { unit = "", example = Math.max(min, 1) }: { readonly unit?: string; readonly example?: number } = {},
  ): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const bare = unit !== "" && text.endsWith(unit) ? text.slice(0, -unit.length) : text;
    const value = Number(bare);
    if (bare.trim() !== "" && Number.isSafeInteger(value) && value >= min && value <= max) return value;
    const isTooLarge = /^\d+$/.test(bare) && value > max;
    const range = max === Number.MAX_SAFE_INTEGER && !isTooLarge ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new UserError(`--${name} "${text}" is not a whole number ${range}`, `give one: --${name} ${example}`);
  }

  /**
   * A duration in milliseconds: `90s`, `5m`, or a bare number.
   * @param bare the unit of a bare number
   * @throws UserError when the value is none
   */
  durationMs(name: string, bare: TimeUnit): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : requireDurationMs(`--${name}`, text, bare);
  }

  /**
   * One of the choices.
   * @throws UserError naming them
   */
  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const found = choices.find((choice) => choice === text);
    if (found !== undefined) return found;
    throw new UserError(`--${name} cannot be "${text}"`, hintFor(text, choices));
  }

  /**
   * A comma-separated list of choices.
   * @throws UserError naming them
   */
  list<T extends string>(name: string, choices: readonly T[]): readonly T[] | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    return text.split(",").map((word) => {
      const found = choices.find((choice) => choice === word.trim());
      if (found !== undefined) return found;
      throw new UserError(
        `--${name} does not know "${word.trim()}"`,
        hintFor(word.trim(), choices, { verb: "choose from" }),
      );
    });
  }
}

/** For a command that takes no operands. @throws UserError when there is one */
export function refuseOperands(name: string, operands: readonly string[], hint = `see lockstorm ${name} --help`): void {
  if (operands.length > 0) throw new UserError(`${name} takes no "${operands[0]}"`, hint);
}

/**
 * Reads the arguments after a command's name.
 * @throws UserError for an unknown flag
 */
export function readArguments(
  command: Command,
  words: readonly string[],
): Omit<CommandInput, "signal" | "allCommands"> {
  const options: ParseArgsOptionsConfig = { help: { type: "boolean", short: "h" } };
  for (const [name, flag] of Object.entries(command.flags)) {
    const base = {
      ...(flag.value === undefined ? { type: "boolean" as const } : { type: "string" as const }),
      multiple: flag.repeatable ?? false,
    };
    options[name] = flag.default === undefined ? base : { ...base, default: flag.default };
  }
  try {
    const { values, positionals } = parseArgs({
      args: withNegativeValues(words, command),
      options,
      allowPositionals: true,
      strict: true,
    });
    const given = Object.fromEntries(Object.entries(values).map(joined));
    refuseEmptyNames(command, given);
    return { operands: positionals, flags: new Flags(given) };
  } catch (error) {
    if (error instanceof UserError) throw error;
    const problem = problemOf(command, messageOf(error));
    throw new UserError(`${command.name}: ${problem}`, hintForFlag(command, problem), { cause: error });
  }
}

/** A variable of a script that is not set becomes an empty name, and so the working directory. */
function refuseEmptyNames({ flags }: Command, given: Readonly<Record<string, unknown>>): void {
  for (const [name, { value }] of Object.entries(flags)) {
    if ((value !== "folder" && value !== "file") || given[name] !== "") continue;
    throw new UserError(`--${name} "" names no ${value}`, `give one, or leave out --${name}`);
  }
}

/** A negative number after a flag that takes a value is its value, wrong as it may be: no flag begins so. */
function withNegativeValues(words: readonly string[], { flags }: Command): string[] {
  return words.flatMap((word, index) => {
    const next = words[index + 1] ?? "";
    const takesValue = word.startsWith("--") && flags[word.slice(2)]?.value !== undefined;
    if (takesValue && /^-\d/.test(next)) return [`${word}=${next}`];
    const before = words[index - 1] ?? "";
    const isTaken = /^-\d/.test(word) && before.startsWith("--") && flags[before.slice(2)]?.value !== undefined;
    return isTaken ? [] : [word];
  });
}

/** What is wrong with the arguments, with the flags as the help names them. */
function problemOf({ flags }: Command, message: string): string {
  const [, name = ""] = /^Option '--([^ ']+) <value>' argument missing$/.exec(message) ?? [];
  const value = flags[name]?.value;
  if (value !== undefined) return needsValue(name, value);
  const [, before = ""] = /^Option '--([^ ']+)' argument is ambiguous/.exec(message) ?? [];
  if (before !== "") return needsValue(before, flags[before]?.value ?? "value");
  return message.replace(/\. To specify.*$/, "");
}

function needsValue(name: string, value: string): string {
  return `--${name} needs a value: --${name} <${value}>`;
}

/** More flags are no hint, but a help text. */
const MOST_FLAGS_NAMED = 6;

/** The flag that an unknown one is most like, else the flags while they are few, else where they are told. */
function hintForFlag({ name, flags }: Command, problem: string): string {
  const [, typed = ""] = /^Unknown option '--([^']*)'/.exec(problem) ?? [];
  const names = Object.keys(flags);
  const alike = mostAlike(typed, names);
  if (alike !== undefined) return `did you mean --${alike}?`;
  if (typed === "json" && flags["format"] !== undefined) return "did you mean --format json?";
  if (typed === "" || names.length === 0 || names.length > MOST_FLAGS_NAMED) return `see lockstorm ${name} --help`;
  return `choose one of ${names.map((each) => `--${each}`).join(", ")}`;
}

type ParsedValue = string | boolean | readonly (string | boolean)[] | undefined;

function joined([name, value]: readonly [string, ParsedValue]): readonly [string, string | boolean | undefined] {
  return [name, typeof value === "object" ? value.join(",") : value];
}
