import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { hintFor } from "../core/words/did-you-mean.ts";
import { loadTypeScriptOfProjects } from "../client/typescript/typescript-hooks.ts";
import { messageOf, UserError } from "../core/errors.ts";

const NAMES = ["ts", "mts", "js", "mjs"].map((extension) => `lockstorm.config.${extension}`);

/** The settings in a configuration file. */
export interface ConfigFile {
  /** Its name, for errors. */
  readonly name: string;
  /** Its values in the form of flags, by the flag's name. */
  readonly values: ReadonlyMap<string, string>;
}

/**
 * Reads `lockstorm.config.ts` (or .mts, .js, .mjs) of a folder; undefined when there is none.
 * @param known the flags that it may set
 * @throws UserError when it cannot be loaded, or sets another flag
 */
export async function readConfigFile(folder: string, known: readonly string[]): Promise<ConfigFile | undefined> {
  const name = NAMES.find((candidate) => existsSync(join(folder, candidate)));
  if (name === undefined) return undefined;
  const exported = await load(join(folder, name), name);
  const values = Object.entries(exported)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [flagOf(key, name, known), textOf(key, value, name)] as const);
  return { name, values: new Map(values) };
}

async function load(path: string, name: string): Promise<object> {
  loadTypeScriptOfProjects();
  let loaded: { readonly default?: unknown };
  try {
    loaded = await import(pathToFileURL(path).href);
  } catch (error) {
    const hint = 'correct it; without "type": "module" in package.json it must be called lockstorm.config.mts';
    throw new UserError(`${name} cannot be loaded: ${messageOf(error)}`, hint, { cause: error });
  }
  const exported = loaded.default;
  if (typeof exported === "object" && exported !== null && !Array.isArray(exported)) return exported;
  throw new UserError(`${name} exports no configuration`, "export an object as default");
}

/** The flag for a key in camel case. */
function flagOf(key: string, name: string, known: readonly string[]): string {
  const flag = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (known.includes(flag)) return flag;
  const hint = hintFor(key, known.map(keyOf), { verb: "choose from" });
  throw new UserError(`${name} sets "${key}", which is not a setting`, hint);
}

function keyOf(flag: string): string {
  return flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function textOf(key: string, value: unknown, name: string): string {
  if (typeof value === "string" || typeof value === "number") return String(value);
  // The command line's word for an empty list of faults.
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join(",") || "none";
  throw new UserError(
    `${name} sets "${key}" to a value of the wrong type`,
    "give a string, a number or a list of strings",
  );
}
