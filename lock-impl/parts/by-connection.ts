import type { Connection } from "./connection.ts";

/**
 * What a lock remembers of a connection, by key or by owner. It belongs to the connection, so that no other client and no other
 * run knows it: otherwise the same plan might take another course.
 */
export function byConnection<Value>(): (server: Connection) => Map<string, Value> {
  const remembered = new WeakMap<Connection, Map<string, Value>>();
  return (server) => {
    const known = remembered.get(server) ?? new Map<string, Value>();
    remembered.set(server, known);
    return known;
  };
}
