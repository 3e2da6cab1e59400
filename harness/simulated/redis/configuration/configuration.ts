import { parseInteger } from "../numbers/integers.ts";
import { NotificationFilter } from "../notifications.ts";
import { PARAMETERS, type Parameter } from "./configuration-parameters.ts";

/** The error of a value, in the server's words. */
export type ConfigurationProblem = string;

/** Every name, aliases with old terms included, and its directive. */
const NAMES: ReadonlyMap<string, Parameter> = new Map(
  PARAMETERS.flatMap((parameter) =>
    [parameter.name, ...(parameter.alias === undefined ? [] : [parameter.alias])].map(
      (name) => [name, parameter] as const,
    ),
  ),
);
const DEFAULTS: readonly (readonly [string, string])[] = PARAMETERS.map(({ name, initial }) => [name, initial]);

/** The directives that the simulated server knows, with their values as CONFIG GET shows them. */
export class Configuration {
  readonly notifications = new NotificationFilter();
  /** The values that commands need often, kept as numbers. */
  maxMemory = 0;
  minReplicasToWrite = 0;
  readonly #values = new Map(DEFAULTS);

  constructor(initial: Readonly<Record<string, string>>) {
    for (const [name, value] of Object.entries(initial)) {
      const parameter = NAMES.get(name.toLowerCase());
      if (parameter === undefined) throw new RangeError(`the simulated server has no directive ${name}`);
      const problem = this.#assign(parameter, value);
      if (problem !== undefined) throw new RangeError(`${name} ${value}: ${problem}`);
    }
    this.#keepNumbers();
  }

  text(name: string): string {
    const value = this.#values.get(name);
    if (value === undefined) throw new RangeError(`the simulated server has no directive ${name}`);
    return value;
  }

  number(name: string): number {
    return Number(this.text(name));
  }

  enabled(name: string): boolean {
    return this.text(name) === "yes";
  }

  /** All names, aliases included, with their values. */
  *entries(): IterableIterator<readonly [string, string]> {
    for (const [name, parameter] of NAMES) yield [name, this.text(parameter.name)];
  }

  find(name: string): Parameter | undefined {
    return NAMES.get(name.toLowerCase());
  }

  /** Sets several directives at once, all or none. Returns the error reply's text when one cannot be set. */
  setAll(pairs: readonly (readonly [string, string])[]): string | undefined {
    const seen = new Set<Parameter>();
    const before = new Map(this.#values);
    const flags = this.notifications.toString();
    for (const [name] of pairs) {
      const parameter = this.find(name);
      if (parameter === undefined) return `ERR Unknown option or number of arguments for CONFIG SET - '${name}'`;
      const failed = `ERR CONFIG SET failed (possibly related to argument '${name}') - `;
      if (parameter.immutable === true) return `${failed}can't set immutable config`;
      if (seen.has(parameter)) return `${failed}duplicate parameter`;
      seen.add(parameter);
    }
    for (const [name, value] of pairs) {
      const parameter = this.find(name);
      const problem = parameter === undefined ? undefined : this.#assign(parameter, value);
      if (problem !== undefined) {
        for (const [each, old] of before) this.#values.set(each, old);
        this.notifications.set(flags);
        return `ERR CONFIG SET failed (possibly related to argument '${name}') - ${problem}`;
      }
    }
    this.#keepNumbers();
    return undefined;
  }

  #assign(parameter: Parameter, value: string): ConfigurationProblem | undefined {
    const result = normalizeValue(parameter, value);
    if (result.problem !== undefined) return result.problem;
    if (parameter.kind === "events") {
      if (!this.notifications.set(value)) {
        return "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.";
      }
      this.#values.set(parameter.name, this.notifications.toString());
    } else this.#values.set(parameter.name, result.value);
    return undefined;
  }

  #keepNumbers(): void {
    this.maxMemory = this.number("maxmemory");
    this.minReplicasToWrite = this.number("min-replicas-to-write");
  }
}

type Normalized = { readonly value: string; readonly problem?: undefined } | { readonly problem: string };

function normalizeValue(parameter: Parameter, value: string): Normalized {
  switch (parameter.kind) {
    case "yes-no": {
      const lower = value.toLowerCase();
      return lower === "yes" || lower === "no" ? { value: lower } : { problem: "argument must be 'yes' or 'no'" };
    }
    case "choice": {
      const chosen = parameter.choices?.find((choice) => choice === value.toLowerCase());
      if (chosen !== undefined) return { value: chosen };
      return { problem: `argument(s) must be one of the following: ${parameter.choices?.join(", ") ?? ""}` };
    }
    case "number": {
      const number = parseInteger(value);
      return number === undefined
        ? { problem: "argument couldn't be parsed into an integer" }
        : within(parameter, number, value);
    }
    case "memory": {
      const bytes = parseMemory(value);
      return bytes === undefined
        ? { problem: "argument must be a memory value" }
        : within(parameter, bytes, String(bytes));
    }
    case "text":
    case "events":
      return { value };
  }
}

function within(parameter: Parameter, value: number | bigint, text: string): Normalized {
  const [least, greatest] = parameter.range ?? [0, 2147483647];
  if (value < least || value > greatest) {
    return { problem: `argument must be between ${least} and ${greatest} inclusive` };
  }
  return { value: text };
}

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 1000,
  kb: 1024,
  m: 1e6,
  mb: 1024 ** 2,
  g: 1e9,
  gb: 1024 ** 3,
};

/** Reads `100mb`. Undefined when it is not an amount of memory. */
function parseMemory(text: string): number | undefined {
  const match = /^(\d+)([a-z]*)$/.exec(text.toLowerCase());
  const unit = UNITS[match?.[2] ?? "none"];
  return match === null || unit === undefined ? undefined : Number(match[1]) * unit;
}
