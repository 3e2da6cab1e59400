import type { Address, Servers } from "../../driver.ts";

/** Where the database is. @throws when the servers are others */
export function postgresAddress(servers: Servers): Address {
  if (servers.kind === "postgres") return servers.address;
  throw new Error(`this lock needs a PostgreSQL server, not ${servers.kind}`);
}
