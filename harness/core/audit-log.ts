import type { AuditEntry } from "./system.ts";

/** The stream in which the guarded resource logs every write, in the order in which it judged them. */
export const AUDIT_STREAM = "lockstorm:audit";

/** One entry of that stream, from its flat list of names and values. An empty value means none. */
export function auditEntry(fields: readonly string[]): AuditEntry {
  const values = new Map(fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1] ?? ""] as const] : [])));
  const value = (name: string): string => values.get(name) ?? "";
  const [owner, fence, basedOn] = [value("owner"), value("fence"), value("basedOn")];
  return {
    key: value("key"),
    position: Number(value("position")),
    ...(owner === "" ? {} : { owner }),
    ...(fence === "" ? {} : { fence: Number(fence) }),
    data: value("data"),
    accepted: value("accepted") === "1",
    ...(basedOn === "" ? {} : { basedOn: Number(basedOn) }),
  };
}

/** Prefix of the keys that hold the state of guarded values, one hash each: see guarded-write.lua. */
export const RESOURCE_STATE = "lockstorm:resource:";

/** The fields of such a hash that hold the largest accepted fencing token and its owner. */
export const LARGEST_FENCE = ["fence", "owner"] as const;
