import type { LockEntry } from "../lock-entry.ts";
import { bullmq } from "./bullmq.ts";
import { redisSemaphore } from "./redis-semaphore.ts";
import { redisSemaphore530 } from "./redis-semaphore-530.ts";
import { redisSemaphorePermits } from "./redis-semaphore-permits.ts";
import { redisSemaphoreRedlock } from "./redis-semaphore-redlock.ts";
import { redlock4 } from "./redlock4.ts";
import { redlock5 } from "./redlock5.ts";
import { redlock5Resources } from "./redlock5-resources.ts";
import { redlock5Using } from "./redlock5-using.ts";
import { sesamecareRedlock } from "./sesamecare-redlock.ts";

/**
 * Unmodified libraries from npm, with their own defaults and those of ioredis. Their claims are the promises of the
 * recipes they name, not what their authors wrote. They are installed separately.
 */
export const libraries: readonly LockEntry[] = [
  redlock4,
  redlock5,
  redlock5Resources,
  redlock5Using,
  sesamecareRedlock,
  redisSemaphore,
  redisSemaphore530,
  redisSemaphorePermits,
  redisSemaphoreRedlock,
  bullmq,
];
