import { randomUUID } from "node:crypto";
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { UserError } from "../core/errors.ts";
import { codeOf, mendOfWriting, systemReason } from "../core/system-reason.ts";

/**
 * Writes a whole file: to a new file beside it, which is then renamed. Nobody sees half of it, and if the name was a
 * link, symbolic or hard, its target stays as it was. A pipe, a terminal and `/dev/stdout` are written to directly.
 * @throws UserError when it cannot be written
 */
export function replaceFile(path: string, content: string): void {
  using target = new ReplacedFile(path);
  target.append(content);
  target.finish();
}

/**
 * A file that is written in parts and gets its name when it is finished. Until then, and if it is never finished, a
 * file of that name stays as it was.
 */
export class ReplacedFile implements Disposable {
  readonly #path: string;
  /** Undefined if the file is written to directly. */
  readonly #beside: string | undefined;
  #file: number | undefined;

  /** @throws UserError when nothing can be written there */
  constructor(path: string) {
    this.#path = path;
    const target = look(() => statSync(path));
    const beside = isSpecial(path, target) ? undefined : besideOf(path);
    this.#beside = beside;
    this.#file = this.#try(() => {
      if (target?.isDirectory()) throw Object.assign(new Error("it is a folder"), { code: "EISDIR" });
      if (beside === undefined) return openSpecial(path);
      const file = openSync(beside, "wx");
      if (target !== undefined) chmodSync(beside, target.mode & 0o777);
      return file;
    });
  }

  append(text: string): void {
    const file = this.#file;
    if (file !== undefined) this.#try(() => appendWhole(file, text));
  }

  /** All of it is written: it gets its name. */
  finish(): void {
    this.#try(() => {
      this.#close();
      if (this.#beside !== undefined) renameSync(this.#beside, this.#path);
    });
  }

  [Symbol.dispose](): void {
    this.#close();
    if (this.#beside !== undefined) rmSync(this.#beside, { force: true });
  }

  #close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeSync(file);
  }

  #try<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw unwritable(this.#path, error);
    }
  }
}

/**
 * Refuses a file in a folder in which nothing can be written: for work of minutes whose result goes there.
 * @throws UserError naming the file
 */
export function requireWritable(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw unwritable(path, error);
  }
}

/**
 * Writes a file that does not exist yet. @returns false when the name exists, even as a dangling link
 * @throws UserError when it cannot be written
 */
export function createFile(path: string, content: string): boolean {
  let file: number;
  try {
    file = openSync(path, "wx");
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw unwritable(path, error);
  }
  try {
    appendWhole(file, content);
    return true;
  } catch (error) {
    // A part of it would be taken for the user's own file the next time.
    rmSync(path);
    throw unwritable(path, error);
  } finally {
    closeSync(file);
  }
}

/**
 * Opens a file to which lines are appended, so that written lines survive any end of this process.
 * @param isNew starts empty, in place of a file of that name; otherwise appends to it. A device or a pipe is written to.
 * @throws UserError when it is a link, or cannot be written
 */
export function openForLines(path: string, isNew: boolean): number {
  try {
    if (isNew)
      return isSpecial(
        path,
        look(() => statSync(path)),
      )
        ? openSpecial(path)
        : openAnew(path);
    const file = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
    const { nlink } = fstatSync(file);
    if (nlink === 1) return file;
    closeSync(file);
    throw new Error("it has a second name (a hard link), whose content would change too");
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Takes the name in one step: two processes that begin at the same moment each get a file, and the later one the name. */
function openAnew(path: string): number {
  const beside = besideOf(path);
  const file = openSync(beside, "ax");
  try {
    renameSync(beside, path);
    return file;
  } catch (error) {
    closeSync(file);
    rmSync(beside);
    throw error;
  }
}

/** Writes all of a text or throws: the system may accept only a part of it. */
export function appendWhole(file: number, text: string): void {
  let bytes: Uint8Array = Buffer.from(text);
  while (bytes.length > 0) bytes = bytes.subarray(writeSync(file, bytes));
}

/**
 * Makes a folder and the missing folders above it. Node's own function never returns if the system has no such place.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST" && look(() => statSync(path))?.isDirectory() === true) return;
    const above = dirname(path);
    if (code !== "ENOENT" || above === path) throw unwritable(path, error);
    makeFolder(above);
    try {
      mkdirSync(path);
    } catch (again) {
      if (codeOf(again) !== "EEXIST") throw unwritable(path, again);
    }
  }
}

/** Whether two paths are names of one regular file. */
export function isSameFile(one: Stats | undefined, path: string): boolean {
  const other = look(() => statSync(path));
  return one?.isFile() === true && other !== undefined && one.dev === other.dev && one.ino === other.ino;
}

/** Where a file is written before it takes its name. */
function besideOf(path: string): string {
  return join(dirname(path), `.${randomUUID()}.tmp`);
}

/** Whether a path is a pipe, a terminal or another device: its name must not be given to a file. */
function isSpecial(path: string, target: Stats | undefined): boolean {
  return (target !== undefined && !target.isFile() && !target.isDirectory()) || isOwnStream(path);
}

function openSpecial(path: string): number {
  return openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK);
}

/** The process's own standard streams. */
function isOwnStream(path: string): boolean {
  return /^\/(dev\/(std(out|err)|fd\/\d+)|proc\/self\/fd\/\d+)$/.test(path);
}

function look(at: () => Stats): Stats | undefined {
  try {
    return at();
  } catch {
    return undefined;
  }
}

/** What a user reads when a file cannot be written. */
export function unwritable(path: string, error: unknown): UserError {
  if (error instanceof UserError) return error;
  return new UserError(`${path} cannot be written: ${systemReason(error)}`, mendOfWriting(error), { cause: error });
}
