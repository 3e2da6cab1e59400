import { plainLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { map, ownedKey, type Protocol } from "../parts/protocol.ts";

/** Extending a lock that is gone recreates it and reports success, even if another client held it in between. */
export const recreatingKey = {
  ...ownedKey,
  async extend(server, request) {
    const { key, owner, ttlMs } = request;
    const kept = await ownedKey.extend(server, request);
    if (kept.type !== "ok" || kept.value) return kept;
    return map(await server.command("SET", key, owner, "PX", ttlMs, "NX"), (reply) => reply === "OK");
  },
} satisfies Protocol;

export const extendRecreates = specimen(plainLease, {
  name: "extend-recreates",
  flaw: "extending a lock that is gone recreates it and reports success",
  shows: { property: "linearizability", under: ["none"], cause: "foreign-release", source: "renew-recreates" },
  load: fromParts({ protocol: recreatingKey }),
});
