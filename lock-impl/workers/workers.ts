import { leased, leasedByRedlock } from "../lock-kinds.ts";
import { goWorkers } from "./go.ts";
import { javaWorkers } from "./java.ts";
import type { LockEntry } from "../lock-entry.ts";

/** A language whose libraries lockstorm drives, once `setup --with` has prepared it. */
export const LANGUAGES = ["go", "java", "python"] as const;
export type Language = (typeof LANGUAGES)[number];

/** A lock of a library in another language, with the worker that drives it. */
export interface LibraryWorker extends Pick<
  LockEntry,
  "name" | "title" | "topologies" | "supports" | "claims" | "limits"
> {
  /** Whether it renews its leases by itself. */
  readonly renews?: boolean;
  readonly language: Language;
  /** What its own documentation promises, in our words. */
  readonly documented: string;
  /** The worker's program: what the language's toolchain starts, such as a file in the folder of its kit, or an argument of its program. */
  readonly program: string;
  /** Whether it counts a grant only when a replica has it, so that it gives none while no replica can be reached. */
  readonly asksReplicas?: true;
}

/**
 * Unmodified libraries of other languages, with the defaults of theirs and of their Redis clients, except for time-outs. Their claims
 * are the promises of the recipes that they follow, not what their authors wrote.
 */
export const libraryWorkers: readonly LibraryWorker[] = [
  ...goWorkers,
  ...javaWorkers,
  {
    ...leased,
    name: "redis-py",
    title: "the lock of redis-py 8.1.0",
    documented:
      "A lock that processes share; with a timeout it ends by itself. Only its own token releases, extends or reacquires it.",
    language: "python",
    program: "locks/redis_py.py",
  },
  {
    ...leased,
    name: "redis-py-asyncio",
    title: "the asyncio lock of redis-py 8.1.0",
    documented: "The same, for coroutines.",
    language: "python",
    program: "locks/redis_py_asyncio.py",
  },
  {
    ...leased,
    name: "python-redis-lock",
    title: "python-redis-lock 4.0.1, whole seconds",
    documented:
      "A lock with an expiry; who waits is woken when it is released. Only the id that acquired it releases or extends it.",
    language: "python",
    program: "locks/python_redis_lock.py",
  },
  {
    ...leasedByRedlock,
    name: "pottery-redlock",
    title: "the Redlock of pottery 3.0.1, with redis-py 8.1.0",
    documented:
      "Mutual exclusion by the Redlock algorithm, on a majority of masters. It is released by itself after its time; three extensions each give it its time again.",
    language: "python",
    program: "locks/pottery_redlock.py",
  },
  {
    ...leased,
    name: "sherlock",
    title: "RedisLock of sherlock 0.4.1, with redis-py 8.1.0, whole seconds",
    documented: "A lock that processes share and that expires by itself; only its owner renews or releases it.",
    language: "python",
    program: "locks/sherlock_redis.py",
  },
  {
    ...leased,
    name: "walrus",
    title: "Lock of walrus 0.9.8, with redis-py 8.1.0",
    documented: "A lock with a time to live; who waits is woken when it is released. Only its own id releases it.",
    language: "python",
    program: "locks/walrus_lock.py",
  },
];
