import type { Caller } from "../command.ts";
import type { RedisServer } from "../server.ts";
import type { Database } from "./database.ts";
import type { HashValue } from "./values.ts";

/**
 * The result of looking up a field: its text; no such field; its time was over; or it was the last one, so that the
 * hash is gone with it.
 */
export type FieldLookup =
  | { readonly state: "found"; readonly text: string }
  | { readonly state: "missing" | "expired" | "hash-expired" };

interface LookupOptions {
  /** The command publishes the events, for all its fields at once. */
  readonly silent?: boolean;
  /** The command deletes an empty hash. */
  readonly keepsHash?: boolean;
}

/** Looks up a field. An expired one is deleted, and replicas and file are told, unless this is a replica. */
export function lookUpField(
  { server, db }: Caller,
  key: string,
  hash: HashValue,
  field: string,
  options: LookupOptions = {},
): FieldLookup {
  const text = hash.fields.get(field);
  if (text === undefined) return { state: "missing" };
  if (!isFieldExpired(server, hash, field)) return { state: "found", text };
  if (server.isReplica) return server.obeysMaster ? { state: "found", text } : { state: "expired" };
  if (server.loading || server.expiryPaused) return { state: "expired" };
  dropField(server, db, key, hash, field);
  if (options.silent !== true) db.notify("h", "hexpired", key);
  const isLast = hash.fields.size === 0 && options.keepsHash !== true;
  if (isLast) {
    if (options.silent !== true) db.notify("g", "del", key);
    db.delete(key);
  }
  db.touched(key);
  return { state: isLast ? "hash-expired" : "expired" };
}

/** The text of a field whose time is not over. */
export function fieldText(caller: Caller, key: string, hash: HashValue | undefined, field: string): string | undefined {
  const found = hash === undefined ? undefined : lookUpField(caller, key, hash, field);
  return found?.state === "found" ? found.text : undefined;
}

/** All fields whose time is not over. */
export function liveFields(server: RedisServer, hash: HashValue): readonly (readonly [field: string, text: string])[] {
  const all = [...hash.fields];
  if (hash.expires.size === 0 || (server.isReplica && server.obeysMaster)) return all;
  return all.filter(([field]) => !isFieldExpired(server, hash, field));
}

/** Whether its time is over; it lives through its last millisecond. */
export function isFieldExpired(server: RedisServer, { expires }: HashValue, field: string): boolean {
  const when = expires.get(field);
  return when !== undefined && when < server.nowMs;
}

export function deleteField(hash: HashValue, field: string): boolean {
  hash.expires.delete(field);
  return hash.fields.delete(field);
}

function dropField(server: RedisServer, db: Database, key: string, hash: HashValue, field: string): void {
  deleteField(hash, field);
  server.effects.add(db.id, ["HDEL", key, field]);
}

/** Deletes the fields whose time is over before a command draws from them; a replica leaves that to its master. */
export function expireFieldsFirst({ server, db }: Caller, key: string, hash: HashValue): void {
  if (server.loading || server.isReplica || server.expiryPaused) return;
  expireFields(server, db, key, hash, Number.POSITIVE_INFINITY);
}

/** Deletes the fields whose time is over, as the background does; returns how many. */
export function expireFields(server: RedisServer, db: Database, key: string, hash: HashValue, limit: number): number {
  const over = [...hash.expires].filter(([, when]) => when < server.nowMs).slice(0, limit);
  if (over.length === 0) return 0;
  for (const [field] of over) dropField(server, db, key, hash, field);
  db.notify("h", "hexpired", key);
  if (hash.fields.size === 0) {
    db.delete(key);
    db.notify("g", "del", key);
  }
  db.touched(key);
  return over.length;
}
