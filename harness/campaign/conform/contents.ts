import type { Trial } from "./trial.ts";

/** What a server keeps under a key. */
interface Kept {
  /** Milliseconds until it expires; -1 if it does not. */
  readonly leftMs: number;
  readonly value: string;
}

/** For each server that the lock is on, what it keeps, by key. */
export type Contents = readonly ReadonlyMap<string, Kept>[];

/** How to read a value of each type. */
const READING: Readonly<Record<string, (key: string) => readonly string[]>> = {
  string: (key) => ["GET", key],
  hash: (key) => ["HGETALL", key],
  list: (key) => ["LRANGE", key, "0", "-1"],
  set: (key) => ["SMEMBERS", key],
  zset: (key) => ["ZRANGE", key, "0", "-1", "WITHSCORES"],
  stream: (key) => ["XRANGE", key, "-", "+"],
};

/** What the servers keep now. */
export async function contentsOf(trial: Trial): Promise<Contents> {
  return Promise.all((await trial.masters()).map(async (node) => contentsAt(trial, node)));
}

async function contentsAt(trial: Trial, node: string): Promise<ReadonlyMap<string, Kept>> {
  const keys = (await trial.command(node, "KEYS", "*")) as readonly string[];
  const kept = await Promise.all(
    keys.map(async (key): Promise<[string, Kept]> => {
      const [leftMs, type] = await Promise.all([trial.command(node, "PTTL", key), trial.command(node, "TYPE", key)]);
      const read = READING[String(type)];
      const value = read === undefined ? undefined : await trial.command(node, ...read(key));
      return [key, { leftMs: Number(leftMs), value: `${String(type)} ${JSON.stringify(value)}` }];
    }),
  );
  return new Map(kept);
}

/**
 * Whether nothing but time has changed what each server keeps: the same keys with the same values, and what is left of each
 * expiry is less by about the time that has passed.
 */
export function isUntouched(before: Contents, after: Contents, passedMs: number): boolean {
  return before.every((kept, node) => {
    const now = after[node];
    if (now === undefined || kept.size === 0 || now.size !== kept.size) return false;
    return [...kept].every(([key, { leftMs, value }]) => {
      const same = now.get(key);
      if (same === undefined || same.value !== value) return false;
      if (leftMs < 0 || same.leftMs < 0) return leftMs === same.leftMs;
      const lessMs = leftMs - same.leftMs;
      return lessMs > passedMs / 2 && lessMs < passedMs * 2;
    });
  });
}
