/**
 * Redlock on masters that sync each write before they acknowledge it (appendonly yes, appendfsync always), the first of
 * the two mitigations that redis.io proposes against restarts. The client is the same; what differs is the servers.
 */
export { driver } from "./redlock.ts";
