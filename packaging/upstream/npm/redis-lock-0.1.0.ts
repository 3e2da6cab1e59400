import { redisLock } from "./redis-lock.ts";

export const driver = redisLock("0.1.0");
