import { inspect } from "node:util";
import { UserError } from "../core/errors.ts";
import { PROPERTIES } from "../core/verdict.ts";
import { hintFor } from "../core/words/did-you-mean.ts";
import type { VerifyOptions } from "./verify-options.ts";

/** What a value must be, and the words for that. */
type Rule = readonly [is: (value: unknown) => boolean, words: string];

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isWhole = (value: unknown, min: number): boolean => Number.isSafeInteger(value) && Number(value) >= min;
const among = (words: readonly unknown[]): Rule => [
  (value) => Array.isArray(value) && value.every((each) => words.includes(each)),
  `a list of some of ${words.join(", ")}`,
];
const PERSISTENCE = ["none", "everysec", "always"];
const TEXT: Rule = [isText, "a text that is not empty"];

/** Every option, by its name. Topologies and kinds of faults are looked up elsewhere. */
const RULES: Readonly<Record<keyof VerifyOptions, Rule>> = {
  lock: [
    (value) => isText(value) || value instanceof URL || typeof value === "function",
    "the path of a driver, its URL, a function, or the name of a lock",
  ],
  title: [(value) => typeof value === "string", "a text"],
  topology: TEXT,
  persistence: [(value) => PERSISTENCE.includes(String(value)), `one of ${PERSISTENCE.join(", ")}`],
  faults: [(value) => Array.isArray(value) && value.every(isText), "a list of kinds of faults"],
  require: among(PROPERTIES),
  runs: [(value) => isWhole(value, 1), "a whole number of at least 1"],
  shrinkRuns: [(value) => isWhole(value, 0), "a whole number of at least 0"],
  budgetMs: [(value) => typeof value === "number" && value > 0, "a number of milliseconds above 0"],
  seed: [Number.isSafeInteger, "a whole number"],
  path: [
    (value) => typeof value === "string" && /^\d{1,7}(:\d{1,7})*$/.test(value),
    "the path that a verification with this seed printed, such as 7:0:1",
  ],
  store: TEXT,
  replayCommand: TEXT,
};

/**
 * Refuses what the types forbid: tests in JavaScript have none, and there a mistyped option would have no effect, or an
 * unclear one.
 * @throws UserError that names the option
 */
export function refuseWrong(options: unknown): asserts options is VerifyOptions {
  if (typeof options !== "object" || options === null)
    throw new UserError("there are no options", "give an object with at least the lock");
  const known = Object.keys(RULES);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UserError(`there is no option "${unknown}"`, hintFor(unknown, known));
  const given: Readonly<Record<string, unknown>> = { ...options };
  for (const [name, [is, words]] of Object.entries(RULES)) {
    const value = given[name];
    // An option that is undefined has its default, except for the lock.
    if ((value === undefined && name !== "lock") || is(value)) continue;
    const what =
      value === undefined ? "is missing" : `cannot be ${inspect(value, { depth: 0, breakLength: Infinity })}`;
    throw new UserError(`the option ${name} ${what}`, `give ${words}`);
  }
}
