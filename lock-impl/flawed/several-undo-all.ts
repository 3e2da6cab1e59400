import { severalKeysTogether, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { map, ownedKey, type Protocol } from "../parts/protocol.ts";
import { keysOf, severalKeysAtOnce } from "../parts/several-keys.ts";

/** Takes one key after another. When one is held, it deletes all that it asked for: also the one that is held. */
const undoingAll = {
  ...severalKeysAtOnce,
  async acquire(server, request) {
    const keys = keysOf(request);
    for (const key of keys) {
      const answer = await ownedKey.acquire(server, { ...request, key });
      if (answer.type !== "ok") return answer;
      if (answer.value.granted) continue;
      return keys.length === 1 ? answer : map(await server.command("DEL", ...keys), () => ({ granted: false }));
    }
    return { type: "ok", value: { granted: true } };
  },
} satisfies Protocol;

export const severalUndoAll = specimen(severalKeysTogether, {
  name: "several-undo-all",
  flaw: "a try that finds one of its keys held deletes them all, without comparing owner values",
  shows: {
    property: "linearizability",
    under: ["none"],
    cause: "lost-early",
    source: "DEL of all keys after a failed try",
  },
  load: fromParts({ protocol: undoingAll, supports: { severalKeys: true } }),
});
