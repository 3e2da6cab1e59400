import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { messageOf, UserError } from "../../core/errors.ts";
import { cacheFolder } from "../../core/cache-folder.ts";
import { identify, thisProcess, type Owner, type ProcessIdentity } from "./process-identity.ts";

const identitySchema = z.object({ pid: z.int(), start: z.string() });
const ownerSchema = identitySchema.extend({ hostname: z.string(), boot: z.string(), namespace: z.string() });
const engineSchema = z.object({ usesEngine: z.boolean() });
const adoptedSchema = z.union([z.object({ process: identitySchema }), z.object({ path: z.string().startsWith("/") })]);

/**
 * The resources of a run besides containers and networks, which carry labels: client processes and folders. The record
 * is on disk, so that a clean-up after a dead harness finds them. It is synchronous, so that no resource
 * is owned but not yet recorded.
 */
export class RunResources {
  readonly runId: string;
  readonly #folder: string;

  private constructor(runId: string) {
    this.runId = runId;
    this.#folder = join(recordsFolder(), runId);
  }

  /**
   * Begins the record of a run that this process answers for.
   * @param usesEngine false: the run has no containers and no networks
   * @throws UserError when the cache cannot be written
   */
  static begin(runId: string, usesEngine = true): RunResources {
    const record = new RunResources(runId);
    try {
      mkdirSync(record.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(record.#ownerFile, JSON.stringify({ ...thisProcess(), usesEngine }));
    } catch (error) {
      const hint = "make it writable, or name another folder in XDG_CACHE_HOME";
      throw new UserError(`cannot write to ${record.#folder}: ${messageOf(error)}`, hint, { cause: error });
    }
    return record;
  }

  /** The record of a run, whether or not it exists. */
  static of(runId: string): RunResources {
    return new RunResources(runId);
  }

  /** All records of this user. */
  static all(): readonly RunResources[] {
    const folder = recordsFolder();
    return existsSync(folder) ? readdirSync(folder).map((runId) => new RunResources(runId)) : [];
  }

  /** Adds a client process. One that has already ended is not added. */
  adoptProcess(pid: number): void {
    const identity = identify(pid);
    if (identity !== undefined) this.#append({ process: identity });
  }

  /** Adds a file or folder, by its absolute path, to be deleted with its content. */
  adoptPath(path: string): void {
    this.#append({ path });
  }

  /** The process that answers for the run; undefined where the record is missing or was never finished. */
  get owner(): Owner | undefined {
    return parseLine(ownerSchema, readIfThere(this.#ownerFile));
  }

  /** Whether it may have containers and networks, as far as is known. */
  get usesEngine(): boolean {
    return parseLine(engineSchema, readIfThere(this.#ownerFile))?.usesEngine ?? true;
  }

  get processes(): readonly ProcessIdentity[] {
    return this.#adopted().flatMap((adopted) => ("process" in adopted ? [adopted.process] : []));
  }

  get paths(): readonly string[] {
    return this.#adopted().flatMap((adopted) => ("path" in adopted ? [adopted.path] : []));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #ownerFile(): string {
    return join(this.#folder, "owner.json");
  }

  get #adoptedFile(): string {
    return join(this.#folder, "adopted.jsonl");
  }

  #append(adopted: z.infer<typeof adoptedSchema>): void {
    appendFileSync(this.#adoptedFile, `${JSON.stringify(adopted)}\n`);
  }

  /** A line that the writer's death cut off does not parse and is left out: half a path is another path. */
  #adopted(): readonly z.infer<typeof adoptedSchema>[] {
    return readIfThere(this.#adoptedFile)
      .split("\n")
      .flatMap((line) => parseLine(adoptedSchema, line) ?? []);
  }
}

function recordsFolder(): string {
  return join(cacheFolder(), "runs");
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function parseLine<T>(schema: z.ZodType<T>, line: string): T | undefined {
  try {
    return schema.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
