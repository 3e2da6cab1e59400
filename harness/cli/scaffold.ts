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
 * @throws UserError when the folder cannot be written
 */
export function scaffold(folder: string): readonly ScaffoldedFile[] {
  const extension = moduleExtension(folder);
  const fit = (text: string): string => text.replaceAll("./my-lock.ts", `./my-lock.${extension}`);
  const write = (path: string, template: string): ScaffoldedFile =>
    writeNew(folder, path, fit(readFileSync(new URL(template, templates), "utf8")));
  try {
    return [
      write(`lockstorm.config.${extension}`, "lockstorm.config.ts"),
      write(`my-lock.${extension}`, "my-lock.ts"),
      ...(has(folder, "vitest") ? [write(`my-lock.test.${extension}`, "my-lock.test.ts.txt")] : []),
      write(join(".github", "workflows", "lockstorm.yml"), "lockstorm.yml"),
      ignoreRuns(folder),
    ];
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
  const { type } = JSON.parse(readFileSync(file, "utf8")) as { readonly type?: unknown };
  return type === "module" ? "ts" : "mts";
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
