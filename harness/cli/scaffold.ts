import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { UserError, messageOf } from "../core/errors.ts";

/** A file of a new project. */
export interface ScaffoldedFile {
  /** From the project's folder. */
  readonly path: string;
  /** `kept`: it was there, and stays as it was. */
  readonly action: "written" | "kept" | "extended";
}

/** What is written once, and belongs in no repository. */
const IGNORED = ".lockstorm/runs/";

const templates = new URL("templates/", import.meta.url);

/**
 * Writes a configuration, an example driver, a CI workflow, and a test where the project has vitest, into a folder. What is
 * there already stays.
 * @throws UserError when the folder cannot be written, or its package.json cannot be read
 */
export function scaffold(folder: string): readonly ScaffoldedFile[] {
  const extension = moduleExtension(folder);
  const files: readonly (readonly [path: string, template: string])[] = [
    [`lockstorm.config.${extension}`, "lockstorm.config.ts"],
    [`my-lock.${extension}`, "my-lock.ts"],
    ...(has(folder, "vitest") ? [[`my-lock.test.${extension}`, "vitest.txt"] as const] : []),
    [join(".github", "workflows", "lockstorm.yml"), "lockstorm.yml"],
  ];
  const contents = files.map(([path, template]) => ({
    path,
    content: readFileSync(new URL(template, templates), "utf8").replaceAll("./my-lock.ts", `./my-lock.${extension}`),
  }));
  try {
    return [...contents.map(({ path, content }) => writeNew(folder, path, content)), ignoreRuns(folder)];
  } catch (error) {
    throw new UserError(`${folder} cannot be written: ${messageOf(error)}`, "make it writable", { cause: error });
  }
}

/** Whether a project can import a package. */
export function has(folder: string, name: string): boolean {
  const places = createRequire(join(folder, "package.json")).resolve.paths(name) ?? [];
  return places.some((place) => existsSync(join(place, name, "package.json")));
}

/** `.ts` is an ES module only where package.json says so; `.mts` always is. */
function moduleExtension(folder: string): "ts" | "mts" {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return "mts";
  try {
    const { type } = JSON.parse(readFileSync(file, "utf8")) as { readonly type?: unknown };
    return type === "module" ? "ts" : "mts";
  } catch (error) {
    throw new UserError(`package.json cannot be read: ${messageOf(error)}`, "correct it", { cause: error });
  }
}

function writeNew(folder: string, path: string, content: string): ScaffoldedFile {
  const file = join(folder, path);
  if (existsSync(file)) return { path, action: "kept" };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return { path, action: "written" };
}

/** Runs are not for the repository; regressions are. */
function ignoreRuns(folder: string): ScaffoldedFile {
  const path = ".gitignore";
  const file = join(folder, path);
  const present = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  if (present?.split(/\r?\n/).includes(IGNORED)) return { path, action: "kept" };
  const gap = present === undefined || present === "" || present.endsWith("\n") ? "" : "\n";
  appendFileSync(file, `${gap}${IGNORED}\n`);
  return { path, action: present === undefined ? "written" : "extended" };
}
