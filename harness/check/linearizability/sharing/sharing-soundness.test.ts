import { expect, test } from "vitest";
import { checkHistory } from "../../check.ts";
import { playSharing } from "../../testing/sharing-server.ts";

const HISTORIES = Number(process.env["LOCKSTORM_SHARING_HISTORIES"] ?? 12);
const FIRST_SEED = 107;

test.each([
  ["a semaphore", { limit: 6, fixedOwners: false }],
  ["a large semaphore", { limit: 16, fixedOwners: false }],
  ["a semaphore whose clients have an owner value each", { limit: 4, fixedOwners: true }],
  ["a read-write lock", { fixedOwners: false }],
  ["a read-write lock whose clients have an owner value each", { fixedOwners: true }],
])("%s that is sound is not accused, however many leases may be over", (_, kind) => {
  const outcomes = { valid: 0, unknown: 0, invalid: 0, "not-applicable": 0 };
  for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed += 1) {
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
    outcomes[properties.linearizability!.verdict] += 1;
  }
  expect(outcomes.valid).toBeGreaterThan(0.8 * HISTORIES);
});
