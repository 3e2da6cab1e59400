import { ownersFrom } from "../parts/own-holds.ts";
import { freshOwnerValue } from "../parts/owner-value.ts";
import { ownedKey } from "../parts/protocol.ts";
import { specimen, usedByRequests } from "./specimen.ts";

/** Keeps the owner value of its last try in one field, and releases with that, whoever asks. */
export const ownerValueInField = specimen(usedByRequests, {
  name: "owner-value-in-field",
  flaw: "keeps its owner value in one field, which the next request of the process overwrites before the release",
  shows: { property: "linearizability", under: ["none"], cause: "contradiction", source: "owner-value-in-field" },
  load: async () => {
    const { composeLock } = await import("../parts/compose.ts");
    return {
      supports: { concurrent: true },
      async connect(environment) {
        let field = "";
        const lastTry = ownersFrom(() => (field = freshOwnerValue()));
        const lock = await composeLock({ protocol: ownedKey, ownHolds: () => lastTry }).connect(environment);
        return {
          acquire: (key, options) => lock.acquire(key, options),
          release: (grant) => lock.release({ ...grant, owner: field }),
          [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
        };
      },
    };
  },
});
