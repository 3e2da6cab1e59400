/** Small histories of all kinds of locks, against a judge that tries everything. */
import { describe, expect, it } from "vitest";
import { changedOperations, historyOf, type SmallKind, soundOperations } from "./testing/small-histories.ts";
import { isExplained, type Reading, type SmallOperation } from "./testing/sound-locks.ts";
import { checkHistory } from "./check.ts";

/** More of each kind, with `LOCKSTORM_SMALL_HISTORIES=20000`, take longer; `LOCKSTORM_SMALL_SEED=100000` makes others. */
const HISTORIES = Number(process.env["LOCKSTORM_SMALL_HISTORIES"] ?? 150);
const FIRST_SEED = Number(process.env["LOCKSTORM_SMALL_SEED"] ?? 1);
/** Every third history is left as a sound server made it; the others are changed. */
const SOUND_EVERY = 3;

/** What a lock must have been able to do for nothing to be accused. */
const NARROW: readonly Reading[] = (["never", "known"] as const).map((changesModes) => ({
  byClient: true,
  fromGrant: true,
  expires: true,
  lateReleases: false,
  anyOwner: false,
  changesModes,
}));
/** What no reading of the documents explains. */
const WIDE: readonly Reading[] = [true, false].map((byClient) => ({
  byClient,
  fromGrant: false,
  expires: false,
  lateReleases: true,
  anyOwner: true,
  changesModes: "any",
}));

const ONE: SmallKind = { clients: 2, threads: 1, operations: 6, owners: "fresh", shares: "none" };
const SEVERAL: SmallKind = { ...ONE, clients: 3, operations: 8 };

/** The properties that a sound lock keeps, however long its clients take to notice the end of a lease. */
function accused(operations: readonly SmallOperation[], kind: SmallKind): readonly string[] {
  const { properties } = checkHistory(historyOf(operations, kind));
  return Object.entries(properties).flatMap(([property, { verdict }]) =>
    verdict === "invalid" && property !== "mutual-exclusion" ? [property] : [],
  );
}

describe.each<readonly [string, SmallKind, boolean]>([
  ["an exclusive lock", ONE, true],
  ["a lock whose clients use one owner value each", { ...ONE, owners: "fixed" }, true],
  [
    "a reentrant lock that reports its validity",
    { ...ONE, owners: "fixed", reenters: true, reportsValidity: true },
    true,
  ],
  ["a fenced lock", { ...ONE, fences: true }, true],
  ["a reentrant, fenced lock", { ...ONE, owners: "fixed", reenters: true, fences: true }, true],
  ["a lock whose clients share one owner value", { ...ONE, owners: "shared" }, false],
  ["a lock whose clients do several things at a time", { ...ONE, threads: 2, owners: "fixed" }, false],
  ["a lock that renews leases by itself, and gives notice late", { ...ONE, notifies: true }, true],
  [
    "a reentrant, fenced lock that renews leases by itself",
    { ...ONE, notifies: true, owners: "fixed", reenters: true, fences: true },
    true,
  ],
  ["a lock that draws a new owner value for each extension", { ...ONE, renames: true }, true],
  [
    "such a lock that renews leases by itself and reports its validity",
    { ...SEVERAL, renames: true, notifies: true, reportsValidity: true },
    false,
  ],
  [
    "a fenced lock that does all of this",
    { ...ONE, operations: 7, fences: true, renames: true, notifies: true, reportsValidity: true },
    false,
  ],
  [
    "a reentrant, fenced lock whose clients do several things at a time",
    { ...ONE, operations: 7, threads: 2, owners: "fixed", reenters: true, fences: true },
    true,
  ],
  ["a lock of several keys at once", { ...SEVERAL, severalKeys: true }, false],
  [
    "a lock of several keys at once whose clients do several things at a time",
    { ...SEVERAL, clients: 2, threads: 2, severalKeys: true },
    false,
  ],
  ["a semaphore", { ...SEVERAL, shares: "permits" }, true],
  ["a reentrant semaphore", { ...SEVERAL, shares: "permits", owners: "fixed", reenters: true }, true],
  [
    "a reentrant semaphore whose clients do several things at a time",
    { ...SEVERAL, threads: 2, shares: "permits", owners: "fixed", reenters: true },
    true,
  ],
  ["a semaphore whose clients share one owner value", { ...SEVERAL, shares: "permits", owners: "shared" }, false],
  [
    "a semaphore that renews leases by itself and draws new owner values",
    { ...SEVERAL, shares: "permits", notifies: true, renames: true },
    true,
  ],
  [
    "a reentrant semaphore that renews leases by itself and reports its validity",
    { ...SEVERAL, shares: "permits", owners: "fixed", reenters: true, notifies: true, reportsValidity: true },
    false,
  ],
  ["a read-write lock", { ...SEVERAL, shares: "modes" }, true],
  ["a reentrant read-write lock", { ...SEVERAL, shares: "modes", owners: "fixed", reenters: true }, true],
  [
    "a reentrant read-write lock whose clients do several things at a time",
    { ...SEVERAL, threads: 2, shares: "modes", owners: "fixed", reenters: true },
    true,
  ],
  [
    "a read-write lock that renews leases by itself and reports its validity",
    { ...SEVERAL, shares: "modes", notifies: true, reportsValidity: true },
    true,
  ],
])("small histories of %s", (_, kind, findsAll) => {
  it("accuse no lock that may be sound, and a lock that cannot be", { tags: "long" }, () => {
    const seen = { sound: 0, caught: 0, missed: 0 };
    for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed += 1) {
      const sound = soundOperations(seed, kind);
      const operations = seed % SOUND_EVERY === 0 ? sound : changedOperations(sound, seed);
      const found = accused(operations, kind);
      if (NARROW.some((reading) => isExplained(operations, reading))) {
        seen.sound += 1;
        expect({ seed, found }).toEqual({ seed, found: [] });
      } else if (!WIDE.some((reading) => isExplained(operations, reading))) {
        if (found.length > 0) seen.caught += 1;
        else seen.missed += 1;
        // Where clients share a value, linearizability takes them for one owner, and lease exclusion for several.
        if (kind.owners !== "shared" && found.includes("lease-exclusion")) {
          expect({ seed, found }).toEqual({ seed, found: expect.arrayContaining(["linearizability"]) });
        }
      }
    }
    expect(seen.sound).toBeGreaterThan(HISTORIES / 2);
    expect(seen.caught).toBeGreaterThan(0);
    if (findsAll) expect(seen.missed).toBe(0);
  });
});
