import { randomBytes } from "node:crypto";

/**
 * A new owner value: 20 random bytes, in hexadecimal, as redis.io advises. Each acquisition has its own, so a late
 * release cannot hit a later hold of the same client.
 */
export function freshOwnerValue(): string {
  return randomBytes(20).toString("hex");
}
