import { existsSync, lstatSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { UserError, messageOf } from "../core/errors.ts";
import { listed } from "../core/listed.ts";
import { systemReason } from "../core/system-reason.ts";
import { createFile, makeFolder, replaceFile } from "../run/output-file.ts";

/** A file of a new project. */
export interface ScaffoldedFile {
  /** From the project's folder. */
  readonly path: string;
  /** `kept`: the file existed and was not changed. */
  readonly action: "written" | "kept" | "extended";
}

/** What commands write belongs in no repository, except the plans that broke the lock. */
const IGNORED = [[".lockstorm/*", "!.lockstorm/regressions/"]];

/** Where vitest keeps the page of a schedule that a failed test attaches: 5 and later, and before. */
const IGNORED_WITH_VITEST = [[".vitest/"], [".vitest-attachments/"]];

const templates = new URL("templates/", import.meta.url);

/**
 * Writes a configuration, an example driver, a CI workflow, and a test where the project has vitest, into a folder.
 * Existing files stay as they are.
 * @throws UserError when the folder cannot be written, or its package.json cannot be read
 */
export function scaffold(folder: string): readonly ScaffoldedFile[] {
  const extension = moduleExtension(folder);
  const hasVitest = has(folder, "vitest");
  const files: readonly (readonly [path: string, template: string])[] = [
    [`lockstorm.config.${extension}`, "lockstorm.config.ts"],
    [`my-lock.${extension}`, "my-lock.ts"],
    ...(hasVitest ? [[`my-lock.test.${extension}`, "vitest.txt"] as const] : []),
    [join(".github", "workflows", "lockstorm.yml"), "lockstorm.yml"],
  ];
  const contents = files.map(([path, template]) => ({
    path,
    content: readFileSync(new URL(template, templates), "utf8").replaceAll("./my-lock.ts", `./my-lock.${extension}`),
  }));
  const ignored = hasVitest ? [...IGNORED, ...IGNORED_WITH_VITEST] : IGNORED;
  try {
    return [...contents.map(({ path, content }) => writeNew(folder, path, content)), ignore(folder, ignored)];
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${folder} cannot be written: ${systemReason(error)}`, "make it writable", { cause: error });
  }
}

/** Whether a project can import a package. */
export function has(folder: string, name: string): boolean {
  const places = createRequire(join(folder, "package.json")).resolve.paths(name) ?? [];
  return places.some((place) => existsSync(join(place, name, "package.json")));
}

/** A `.ts` file is an ES module only where package.json says so; `.mts` always is. */
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
  makeFolder(dirname(file));
  return { path, action: createFile(file, content) ? "written" : "kept" };
}

function ignore(folder: string, ignored: readonly (readonly string[])[]): ScaffoldedFile {
  const path = ".gitignore";
  const file = join(folder, path);
  const present = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  const lines = present?.split(/\r?\n/) ?? [];
  // An exception counts only after what it is an exception of, so lines that belong together are written together.
  const missing = ignored.filter((together) => !together.every((line) => lines.includes(line))).flat();
  if (missing.length === 0) return { path, action: "kept" };
  const gap = present === undefined || present === "" || present.endsWith("\n") ? "" : "\n";
  // Through a link, this would change another project's file.
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    throw new UserError(`${path} is a symbolic link`, `write ${listed(missing)} into the file it leads to`);
  }
  replaceFile(file, `${present ?? ""}${gap}${missing.join("\n")}\n`);
  return { path, action: present === undefined ? "written" : "extended" };
}
