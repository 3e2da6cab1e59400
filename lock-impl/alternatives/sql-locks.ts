import type { LockEntry } from "../lock-entry.ts";
import { forUpdateClaims, forUpdateLimits, versionClaims, versionLimits } from "./sql-claims.ts";

const onPostgres = {
  topologies: ["postgres"],
  npmPackage: "pg@8.23.1",
  flawed: false,
  mintsFence: true,
  renews: false,
} as const satisfies Partial<LockEntry>;

/** Locks in an SQL database. */
export const sqlLocks: readonly LockEntry[] = [
  {
    ...onPostgres,
    name: "sql-version",
    title: "a lease in a row of an SQL table, claimed by compare-and-set on its version, which is the fencing token",
    load: async () => (await import("./sql-version.ts")).driver,
    claims: versionClaims(),
    limits: versionLimits(),
    lesson: {
      shows: { property: "lease-exclusion", topology: "postgres", under: "clock-jump" },
      mendedBy: "sql-for-update",
      how: "The hold is a transaction, and how long its client has been silent is measured by a timer, not by the wall clock.",
    },
  },
  {
    ...onPostgres,
    name: "sql-for-update",
    title: "SELECT ... FOR UPDATE in a transaction that stays open, ended by the server when its client falls silent",
    load: async () => (await import("./sql-for-update.ts")).driver,
    claims: forUpdateClaims(),
    limits: forUpdateLimits(),
    lesson: {
      shows: { property: "mutual-exclusion", topology: "postgres", under: "pause-client" },
      how: "Nobody can tell a client that does not run. The resource can refuse what it writes when it wakes up: the fencing token comes from a sequence, which goes on when the transaction is rolled back.",
    },
  },
];
