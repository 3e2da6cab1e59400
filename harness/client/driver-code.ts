import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { findWorker } from "../external/find-worker.ts";

/** What names a file beside: static and dynamic imports, exports from, `require`, and `new URL` of a program. */
const NAMES_A_FILE = /\b(?:from|import|require|URL)\b\s*\(?\s*(["'`])(\.{1,2}\/[^"'`\n]+)\1/gu;

/** What may be left out of a name: `require` adds the ending, and finds the index of a folder. */
const ENDINGS = ["", ".js", ".cjs", ".mjs", ".json", ".ts", ".cts", ".mts", "/index.js", "/index.ts"];

/**
 * A digest of the code of a user's driver: of its file and of all files that it imports by relative paths, directly or not; of a
 * worker file also the files of its folder that its command names. Packages do not count: their versions are the project's.
 * @throws when the file cannot be read
 */
export function digestOfDriver(path: string): string {
  const hash = createHash("sha256").update(readFileSync(path));
  for (const file of filesBehind(path))
    hash.update(`\0${relative(dirname(path), file).split(sep).join("/")}\0`).update(readFileSync(file));
  return hash.digest("hex").slice(0, 12);
}

/** The files that a driver's file leads to, without itself, in a fixed order. */
function filesBehind(path: string): readonly string[] {
  const start = resolve(path);
  const found = new Set([start]);
  for (const program of programsOf(path)) found.add(program);
  // A set can grow while it is read.
  for (const file of found) for (const imported of importsOf(file)) found.add(imported);
  found.delete(start);
  return [...found].sort();
}

function importsOf(file: string): readonly string[] {
  const names = [...readFileSync(file, "utf8").matchAll(NAMES_A_FILE)].map(([, , name = ""]) =>
    name.replace(/[?#].*$/u, ""),
  );
  return names.flatMap((name) => {
    const beside = join(dirname(file), name);
    return ENDINGS.map((ending) => `${beside}${ending}`).find(isFile) ?? [];
  });
}

function programsOf(path: string): readonly string[] {
  const command = findWorker(path)?.command;
  if (command === undefined) return [];
  const { program, arguments: words, directory } = command;
  const within = `${dirname(resolve(path))}${sep}`;
  const files = [program, ...words].map((word) => resolve(directory, word));
  return files.filter((file) => file.startsWith(within) && isFile(file));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
