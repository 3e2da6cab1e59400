import type { Database } from "./database.ts";
import type { Integer } from "../numbers/integers.ts";
import { cloneValue, type StoredValue } from "./values.ts";

/** All data of a server at one instant. It shares nothing with the server, and may be restored many times. */
export interface Snapshot {
  readonly databases: readonly {
    readonly id: number;
    readonly keys: readonly (readonly [key: string, value: StoredValue, expiresAtMs: Integer | undefined])[];
  }[];
  /** The codes of the function libraries. */
  readonly libraries: readonly string[];
}

export function takeSnapshot(databases: readonly Database[], libraries: readonly string[]): Snapshot {
  return {
    libraries,
    databases: databases
      .filter((database) => database.slots.size > 0)
      .map((database) => ({
        id: database.id,
        keys: Array.from(
          database.slots,
          ([key, slot]) => [key, cloneValue(slot.value), database.expires.get(key)] as const,
        ),
      })),
  };
}

/** Replaces all keys. Those that expired before `dropExpiredBeforeMs` are left out. */
export function restoreSnapshot(
  databases: readonly Database[],
  snapshot: Snapshot,
  dropExpiredBeforeMs: number | undefined,
): void {
  for (const database of databases) database.clear();
  for (const { id, keys } of snapshot.databases) {
    const database = databases[id];
    if (database === undefined) throw new RangeError(`the snapshot holds database ${id}, which this server has not`);
    for (const [key, value, expiresAtMs] of keys) {
      const isOver =
        expiresAtMs !== undefined && dropExpiredBeforeMs !== undefined && dropExpiredBeforeMs > expiresAtMs;
      if (isOver) continue;
      database.add(key, cloneValue(value));
      if (expiresAtMs !== undefined) database.expires.set(key, expiresAtMs);
    }
  }
}
