import { driverOf } from "./drivers.ts";
import { MendedLock } from "./mended-lock.ts";

export const driver = driverOf((redis) => new MendedLock(redis));
