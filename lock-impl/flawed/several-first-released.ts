import { severalKeysTogether, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { ownedKey, type Protocol } from "../parts/protocol.ts";
import { severalKeysAtOnce } from "../parts/several-keys.ts";

/** Takes all keys, and gives back the first of them only. */
const firstReleased = {
  ...severalKeysAtOnce,
  release: (server, request) => ownedKey.release(server, request),
} satisfies Protocol;

export const severalFirstReleased = specimen(severalKeysTogether, {
  name: "several-first-released",
  flaw: "a release of several keys gives back the first of them only",
  shows: { property: "all-or-nothing", under: ["none"], cause: "left-behind", source: "DEL KEYS[1]" },
  load: fromParts({ protocol: firstReleased, supports: { severalKeys: true } }),
});
