import { readersAndWriters, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { countedReaders } from "../parts/reader-count.ts";

/** Any reader's release takes one from the count: also that of a reader who is not counted any more. */
export const readersUnknown = specimen(readersAndWriters, {
  name: "readers-unknown",
  flaw: "a read-write lock counts its readers without their owner values: a late release takes away another reader",
  shows: { property: "lease-exclusion", under: ["none"], cause: "foreign-release", source: "a count of readers" },
  load: fromParts({ protocol: countedReaders("longest"), supports: { modes: true } }),
});
