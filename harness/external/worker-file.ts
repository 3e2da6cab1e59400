import { readFileSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { z } from "zod";
import type { WorkerLock } from "../../lock-impl/worker-lock.ts";
import { messageOf, UserError } from "../core/errors.ts";
import { supportsFields } from "../core/sharing.ts";
import { TOPOLOGIES } from "../core/topology.ts";
import { PROPERTIES } from "../core/verdict.ts";

/** How the name of a worker file ends. */
const SUFFIX = ".worker.json";
/** No file of a person's is longer; what is longer is another file. */
const LONGEST_FILE = 1_000_000;

const claimSchema = z.strictObject({
  property: z.enum(PROPERTIES),
  topology: z.enum(TOPOLOGIES),
  /** The kinds of faults under which it is promised, in any mix. */
  under: z.array(z.string()),
  persistence: z.array(z.enum(["none", "everysec", "always"])).exactOptional(),
  because: z.string().default("its worker file says so"),
});

/** A worker file: how the lock's program is started, and what the lock is. */
const workerFileSchema = z.strictObject({
  $schema: z.string().optional(),
  command: z.strictObject({
    /** A name in PATH, or a path from the folder of the file (`./worker`). */
    program: z.string().min(1),
    arguments: z.array(z.string()).default([]),
    environment: z.record(z.string().regex(/^[A-Za-z_]\w*$/), z.string()).default({}),
    /** The working directory, from the folder of the file. Default: that folder. */
    directory: z.string().default("."),
  }),
  topologies: z.array(z.enum(TOPOLOGIES)).min(1),
  /** What the lock supports beyond one holder at a time. Default: what the worker says. */
  supports: z.strictObject(supportsFields).optional(),
  /** `false`: nothing but a release ends what the lock grants. Default: it ends by itself. */
  leases: z.literal(false).optional(),
  /** What the lock promises. Default: what any sound lock can promise there. */
  claims: z.array(claimSchema).optional(),
});

/** Whether `lock` is the path of a worker file. */
export function isWorkerFile(lock: string): boolean {
  return lock.endsWith(SUFFIX);
}

/**
 * Reads a worker file.
 * @throws UserError when it cannot be read or is none
 */
export function readWorkerFile(path: string): WorkerLock {
  const file = resolve(path);
  const folder = dirname(file);
  const parsed = workerFileSchema.safeParse(contentOf(file));
  if (!parsed.success) throw notOne(file, problemIn(parsed.error));
  const { command, topologies, supports, leases, claims } = parsed.data;
  return {
    name: path,
    command: {
      ...command,
      program: /[/\\]/.test(command.program) ? resolve(folder, command.program) : command.program,
      directory: isAbsolute(command.directory) ? command.directory : resolve(folder, command.directory),
    },
    topologies,
    supports,
    leases,
    // A fault that does not exist is never in a plan, and promises nothing.
    claims,
    limits: [],
  };
}

function contentOf(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${messageOf(error)}`, "correct the path of the worker file", {
      cause: error,
    });
  }
  if (text.length > LONGEST_FILE) throw notOne(file, "it is too long");
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notOne(file, messageOf(error));
  }
}

function notOne(file: string, problem: string): UserError {
  return new UserError(`${file} is no worker file: ${problem}`, "see docs/protocol.md for what it holds");
}

function problemIn({ issues: [first] }: z.ZodError): string {
  if (first === undefined) return "it holds something else";
  const where = first.path.map(String).join(".");
  return where === "" ? first.message : `${where}: ${first.message}`;
}
