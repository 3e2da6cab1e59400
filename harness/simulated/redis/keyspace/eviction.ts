import type { Database, Slot } from "./database.ts";
import type { EvictionPolicy } from "../configuration/configuration-parameters.ts";
import type { RedisServer } from "../server.ts";
import { sizeOf } from "./values.ts";

/** The assumed memory use of an empty server, in bytes. */
const BASE_MEMORY = 1_000_000;
/** The memory of a key in addition to its name and value. */
const KEY_OVERHEAD = 64;

/** An estimate of the bytes in use, which grows and shrinks with the data as the real server's does. */
export function usedMemory(server: RedisServer): number {
  let sum = BASE_MEMORY;
  for (const { slots } of server.databases) {
    for (const [key, slot] of slots) sum += sizeOfSlot(key, slot);
  }
  return sum;
}

function sizeOfSlot(key: string, slot: Slot): number {
  return KEY_OVERHEAD + key.length + sizeOf(slot.value);
}

/**
 * Deletes keys by the policy until memory use is within `maxmemory`. False when that is impossible. A replica leaves it
 * to its master. Where the real server samples keys, this one takes the best of all, and a random one under the random
 * policies.
 */
export function performEvictions(server: RedisServer): boolean {
  const limit = server.config.maxMemory;
  const leaveToMaster = server.isReplica && server.config.enabled("replica-ignore-maxmemory");
  if (limit === 0 || server.loading || server.isPaused || leaveToMaster) return true;
  const policy = server.config.text("maxmemory-policy") as EvictionPolicy;
  let excess = usedMemory(server) - limit;
  while (excess > 0) {
    const victim = policy === "noeviction" ? undefined : chooseVictim(server, policy);
    if (victim === undefined) return false;
    excess -= sizeOfSlot(victim.key, victim.slot);
    server.statistics.evicted += 1;
    server.unit(true, () => victim.database.evict(victim.key));
  }
  return true;
}

interface Candidate {
  readonly database: Database;
  readonly key: string;
  readonly slot: Slot;
}

function chooseVictim(server: RedisServer, policy: EvictionPolicy): Candidate | undefined {
  const candidates: Candidate[] = [];
  for (const database of server.databases) {
    for (const [key, slot] of database.slots) {
      if (policy.startsWith("allkeys") || database.expires.has(key)) candidates.push({ database, key, slot });
    }
  }
  if (candidates.length === 0) return undefined;
  if (policy.endsWith("random")) return candidates[server.random.integer(0, candidates.length - 1)];
  return candidates.reduce((best, each) => (rankOf(each, policy) < rankOf(best, policy) ? each : best));
}

/** The lowest goes first. */
function rankOf({ database, key, slot }: Candidate, policy: EvictionPolicy): number {
  if (policy.endsWith("lfu")) return slot.uses;
  return policy === "volatile-ttl" ? Number(database.expires.get(key) ?? 0) : slot.usedAtMs;
}
