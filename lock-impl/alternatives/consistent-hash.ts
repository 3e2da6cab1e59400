import { routedLock } from "./routed-lock.ts";

/**
 * Each client takes a server that it cannot reach off its ring for a second, and the keys of that server to the next, as
 * proxies and clients of caches do (twemproxy: `auto_eject_hosts`, `server_retry_timeout`). What is right for a cache is
 * wrong for a lock: who cannot reach a server does not know that others hold locks there.
 */
export const driver = routedLock({ awayMs: 1_000 });
