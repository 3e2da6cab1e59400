/**
 * A lease of this length is certainly long enough to be granted. A shorter one may never be granted, because drift and
 * the time of the requests use it up: a library then gives up after its tries, as if another client held the lock.
 */
export const GRANTABLE_TTL_MS = 100;
