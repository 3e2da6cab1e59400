import { fencedLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { siblingKey } from "../parts/keys.ts";
import { map, ownedKey, type Protocol, type AcquireAnswer } from "../parts/protocol.ts";

/** Increments the counter when it unlocks: after a hold that expires, the next hold gets the same fencing token. */
const countedAtUnlock = {
  ...ownedKey,
  async acquire(server, request) {
    const answer = await ownedKey.acquire(server, request);
    if (answer.type !== "ok" || !answer.value.granted) return answer;
    const count = await server.command("GET", siblingKey(request.key, "fence"));
    return map(count, (value): AcquireAnswer => ({ granted: true, fence: Number(value ?? 0) + 1 }));
  },
  async release(server, { key, owner }) {
    const freed = await ownedKey.release(server, { key, owner });
    if (freed.type === "ok" && freed.value) await server.command("INCR", siblingKey(key, "fence"));
    return freed;
  },
} satisfies Protocol;

export const fenceOnRelease = specimen(fencedLease, {
  name: "fence-on-release",
  flaw: "increments the counter on unlock: after a hold that expires, the next hold gets the same fencing token",
  shows: { property: "fencing-tokens", under: ["none"], cause: "token-rollback", source: "counter at the wrong end" },
  load: fromParts({ protocol: countedAtUnlock }),
});
