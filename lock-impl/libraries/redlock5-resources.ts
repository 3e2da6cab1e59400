import { soundSeveralKeys } from "../claim-tables.ts";
import type { LockEntry } from "../lock-entry.ts";
import { redlock5 } from "./redlock5.ts";

/** The npm package `redlock`, 5.0.0-beta.2, with several resources in one acquisition. */
export const redlock5Resources: LockEntry = {
  ...redlock5,
  name: "redlock5-resources",
  title: "npm redlock 5.0.0-beta.2, several resources in one acquisition",
  documented: "As redlock 5: one acquisition of several resources is exclusive use of each of them.",
  load: async () => ({ ...(await redlock5.load()), supports: { severalKeys: true } }),
  supports: { severalKeys: true },
  claims: [...redlock5.claims, ...redlock5.topologies.flatMap(soundSeveralKeys)],
  lesson: { ...redlock5.lesson, shows: { ...redlock5.lesson.shows, topology: "single" } },
};
