import type { WorkerLock } from "../../lock-impl/worker-lock.ts";
import { libraryWorkers } from "../../lock-impl/workers/workers.ts";
import { UserError } from "../core/errors.ts";
import { TOOLCHAINS } from "./languages/registry.ts";
import { isWorkerFile, readWorkerFile } from "./worker-file.ts";

/**
 * The lock in another language of this name or path; undefined if it names a lock that is none.
 * @throws UserError when it is the path of a worker file that cannot be read
 */
export function findWorker(lock: string): WorkerLock | undefined {
  return isWorkerFile(lock) ? readWorkerFile(lock) : libraryWorker(lock);
}

/** @throws UserError when the packages of its language are not prepared */
function libraryWorker(lock: string): WorkerLock | undefined {
  const found = libraryWorkers.find(({ name }) => name === lock);
  if (found === undefined) return undefined;
  const { name, language, program, topologies, supports, claims, limits } = found;
  const stated = supports === undefined ? {} : { supports };
  return { name, topologies, claims, limits, ...stated, command: TOOLCHAINS[language].command(name, program) };
}

/** @throws UserError when the lock is a program of its own, which virtual time cannot lead */
export function requireNoWorker(lock: string): void {
  if (findWorker(lock) === undefined) return;
  throw new UserError(
    `${lock} is a program of its own, which cannot be simulated`,
    "run it with --backend live or --backend containers",
  );
}
