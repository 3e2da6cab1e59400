import type { Address, Servers } from "../../../harness/core/lock-driver.ts";

/**
 * The address of the database.
 * @throws when the servers are of another kind
 */
export function postgresAddress(servers: Servers): Address {
  if (servers.kind === "postgres") return servers.address;
  throw new Error(`this lock needs a PostgreSQL server, not ${servers.kind}`);
}
