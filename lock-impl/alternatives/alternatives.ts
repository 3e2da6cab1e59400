import type { LockEntry } from "../lock-entry.ts";
import { consistentHash } from "./consistent-hash.ts";
import { consistentHashStrict } from "./consistent-hash-strict.ts";
import { sqlForUpdate } from "./sql-for-update.ts";
import { sqlVersion } from "./sql-version.ts";
import { zookeeper } from "./zookeeper.ts";

/**
 * Alternatives to the ladder: other ways to place a lock, and other stores to keep it in. Each follows its author's
 * design and lists what it claims and how it is known to be lost.
 */
export const alternatives: readonly LockEntry[] = [
  consistentHash,
  consistentHashStrict,
  sqlVersion,
  sqlForUpdate,
  zookeeper,
];
