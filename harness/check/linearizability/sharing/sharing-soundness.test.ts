import { expect, test } from "vitest";
import { checkHistory } from "../../check.ts";
import { playSharing } from "../../testing/sharing-server.ts";

/** Of each kind; more with `LOCKSTORM_SHARING_HISTORIES=300`. */
const HISTORIES = Number(process.env["LOCKSTORM_SHARING_HISTORIES"] ?? 12);
const FIRST_SEED = 107;
const SEEDS = Array.from({ length: HISTORIES }, (_, place) => FIRST_SEED + place);

/** Beyond this, the clock drift that linearizability allows explains no overlap of leases of at most 400 ms. */
const DRIFT_ALLOWANCE = 12 * 1_000_000;

test.each([
  ["a semaphore", { limit: 6, fixedOwners: false }],
  ["a large semaphore", { limit: 16, fixedOwners: false }],
  ["a semaphore whose clients have an owner value each", { limit: 4, fixedOwners: true }],
  ["a read-write lock", { fixedOwners: false }],
  ["a read-write lock whose clients have an owner value each", { fixedOwners: true }],
])("%s that is sound is not accused, however many leases may be over", { tags: "long" }, (_, kind) => {
  let valid = 0;
  for (const seed of SEEDS) {
    const fastClock = seed % 2 === 0;
    const history = playSharing({
      ...kind,
      seed,
      fastClock,
      clients: 8 + (seed % 20),
      operations: 40 + (seed % 7) * 40,
    });
    const { properties } = checkHistory(history);
    const judged = ["linearizability", "owner-release", ...(fastClock ? [] : (["lease-exclusion"] as const))] as const;
    for (const property of judged) {
      expect(properties[property]?.verdict, `${property} of seed ${seed}`).not.toBe("invalid");
    }
    if (properties.linearizability?.verdict === "valid") valid += 1;
  }
  expect(valid).toBeGreaterThan(0.8 * HISTORIES);
});

// A read-write lock whose clients have an owner value each may have entered again what an unanswered acquire had taken.
test.each([
  ["a semaphore", { limit: 3, fixedOwners: false }],
  ["a semaphore whose clients have an owner value each", { limit: 3, fixedOwners: true }],
  ["a read-write lock", { fixedOwners: false }],
])("%s that grants without room has no order where two leases overlap for certain", { tags: "long" }, (_, kind) => {
  let overlaps = 0;
  for (const seed of SEEDS) {
    const shape = { clients: 6 + (seed % 8), operations: 40 + (seed % 5) * 30 };
    const { properties } = checkHistory(playSharing({ ...kind, ...shape, seed, fastClock: false, overbooks: true }));
    const violations = properties["lease-exclusion"]?.violations ?? [];
    if (!violations.some(({ overlap }) => overlap !== undefined && overlap.to - overlap.from > DRIFT_ALLOWANCE))
      continue;
    overlaps += 1;
    expect(properties.linearizability?.verdict, `seed ${seed}`).not.toBe("valid");
  }
  expect(overlaps).toBeGreaterThan(0);
});
