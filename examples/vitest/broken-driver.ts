import { driverOf } from "./drivers.ts";
import { BrokenLock } from "./broken-lock.ts";

export const driver = driverOf((redis) => new BrokenLock(redis));
