import { readersAndWriters, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { countedReaders } from "../parts/reader-count.ts";

/** The lease of the first reader is that of all: a writer comes while later readers still read. */
export const readersFirstLease = specimen(readersAndWriters, {
  name: "readers-first-lease",
  flaw: "a read-write lock whose expiry is set by the first reader only: it ends while later readers still read",
  shows: { property: "lease-exclusion", under: ["none"], cause: "double-grant", source: "an expiry that is set once" },
  load: fromParts({ protocol: countedReaders("first"), supports: { modes: true } }),
});
