import type { InvocationEvent } from "../operations.ts";

/** On an acquire that states no re-entry, in a history that another program recorded. */
export const MAY_RENEW = Symbol("may renew the lease that its client has");

/**
 * Whether this acquire, if its client holds the key already, may renew its lease as well as enter once more: one release ends a
 * hold that was renewed, and as many as its entries one that was entered again.
 */
export function mayRenew(invocation: InvocationEvent): boolean {
  return invocation.f === "acquire" && MAY_RENEW in invocation;
}
