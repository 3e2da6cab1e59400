import { fencedQuorum, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { fenceOf } from "../parts/lock-parts.ts";
import { fencedKey } from "../parts/protocol.ts";
import { redlockParts } from "../parts/redlock-parts.ts";

/**
 * Redlock with a counter on each server and the largest count as fencing token: when a server missed increments, the
 * largest count of a later majority can be smaller.
 */
export const fenceMaxOfIncr = specimen(fencedQuorum, {
  name: "fence-max-of-incr",
  flaw: "uses the largest of the servers' counters as fencing token: a later majority can have a smaller one",
  shows: {
    property: "fencing-tokens",
    under: ["pause-node", "partition"],
    cause: "token-rollback",
    source: "redlock-no-fence",
  },
  load: fromParts({
    ...redlockParts,
    protocol: fencedKey,
    fence: (answers) => Math.max(...answers.map((answer) => fenceOf(answer) ?? 0)),
  }),
});
