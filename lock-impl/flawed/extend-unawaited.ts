import { plainLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { ownedKey, type Protocol } from "../parts/protocol.ts";

/** Sends the extension and goes on at once: whether the lock was still its own, the caller never learns. */
const unawaited = {
  ...ownedKey,
  async extend(server, request) {
    void ownedKey.extend(server, request);
    return { type: "ok", value: true };
  },
} satisfies Protocol;

export const extendUnawaited = specimen(plainLease, {
  name: "extend-unawaited",
  flaw: "reports an extension as done without waiting for the server's answer",
  shows: { property: "lease-exclusion", under: ["none"], cause: "double-grant", source: "error-as-success" },
  load: fromParts({ protocol: unawaited }),
});
