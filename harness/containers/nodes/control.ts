import { existsSync } from "node:fs";
import { chmod, mkdir, open, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * An instruction that a node's entrypoint carries out once, before its next start. `file` is relative to the node's
 * data directory.
 */
export type Instruction =
  | { readonly kind: "wipe" }
  | { readonly kind: "truncate"; readonly file: string; readonly bytes: number };

/**
 * The directory on the host through which the harness controls a node's clock and its next start. It is mounted as
 * `/control`; the contract is in docker/README.md. A client process uses only the clock.
 */
export class ControlDirectory {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Makes the directory, with a correct clock, and `node.conf` where a configuration is given. */
  static async create(path: string, configuration?: string): Promise<ControlDirectory> {
    await mkdir(path, { recursive: true });
    // The entrypoint's root may be a user without rights here (user namespaces). Since `path` is inside a private
    // directory, as run directories are, this opens nothing to other users.
    await chmod(path, 0o777);
    const control = new ControlDirectory(path);
    await writeFile(control.clockFile, new Uint8Array(8));
    if (configuration !== undefined) await writeFile(join(path, "node.conf"), configuration);
    return control;
  }

  /** Path of the file with the clock's offset, for `LOCKSTORM_CLOCK`. */
  get clockFile(): string {
    return join(this.path, "clock-offset-us");
  }

  /** The mount, as the engine's `Binds` takes it. */
  get bind(): string {
    return `${this.path}:/control`;
  }

  /**
   * Steps the wall clock of the processes that map the file by `ms`, in addition to earlier steps. Visible at the next
   * reading. Returns the total offset, in milliseconds.
   */
  async jumpClock(ms: number): Promise<number> {
    // In place: truncating or replacing the file would break the server's mapping.
    await using file = await open(this.clockFile, "r+");
    const offset = Buffer.alloc(8);
    await file.read(offset, 0, 8, 0);
    const offsetUs = offset.readBigInt64LE() + BigInt(Math.round(ms * 1000));
    offset.writeBigInt64LE(offsetUs);
    await file.write(offset, 0, 8, 0);
    return Number(offsetUs) / 1000;
  }

  /** Tells the next start to carry these out, in order, and deletes the report of the last start. */
  async beforeStart(instructions: readonly Instruction[]): Promise<void> {
    const lines = instructions.map((instruction) =>
      instruction.kind === "wipe" ? "wipe\n" : `truncate ${instruction.file} ${instruction.bytes}\n`,
    );
    await rm(join(this.path, "before-start.done"), { force: true });
    await writeFile(join(this.path, "before-start"), lines.join(""));
  }

  /**
   * The results of the last instructions, in the entrypoint's words; empty until the entrypoint has carried them out.
   */
  async report(): Promise<readonly string[]> {
    if (existsSync(join(this.path, "before-start"))) return [];
    const done = join(this.path, "before-start.done");
    return existsSync(done) ? (await readFile(done, "utf8")).split("\n").filter((line) => line !== "") : [];
  }
}
