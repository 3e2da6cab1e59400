import { severalKeysTogether, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { ownedKey, type Protocol } from "../parts/protocol.ts";
import { keysOf, severalKeysAtOnce } from "../parts/several-keys.ts";

/** Takes one key after another, and forgets what it has taken when the next one is held. */
const oneByOne = {
  ...severalKeysAtOnce,
  async acquire(server, request) {
    for (const key of keysOf(request)) {
      const answer = await ownedKey.acquire(server, { ...request, key });
      if (answer.type !== "ok" || !answer.value.granted) return answer;
    }
    return { type: "ok", value: { granted: true } };
  },
} satisfies Protocol;

export const severalOneByOne = specimen(severalKeysTogether, {
  name: "several-one-by-one",
  flaw: "several keys are taken one by one: those taken before one that is held are not given back",
  shows: { property: "all-or-nothing", under: ["none"], cause: "left-behind", source: "SET NX in a loop" },
  load: fromParts({ protocol: oneByOne, supports: { severalKeys: true } }),
});
