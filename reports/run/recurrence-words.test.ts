import { expect, test } from "vitest";
import type { Recurrence } from "../../harness/core/recurrence.ts";
import { recurrenceWords } from "./recurrence-words.ts";

test.each<[Recurrence | undefined, string | undefined]>([
  [undefined, undefined],
  [{}, undefined],
  [{ otherSeeds: { failed: 2, of: 20 } }, "failed with 2 of 20 other seeds"],
  [{ realServers: { failed: 0, of: 3 } }, "failed in 0 of 3 runs on real servers"],
  [
    { otherSeeds: { failed: 19, of: 20 }, realServers: { failed: 3, of: 3 } },
    "failed with 19 of 20 other seeds, and in 3 of 3 runs on real servers",
  ],
  [{ notOnRealServers: "no container engine answers" }, "was not tried on real servers: no container engine answers"],
  [
    { otherSeeds: { failed: 19, of: 20 }, notOnRealServers: "no container engine answers" },
    "failed with 19 of 20 other seeds, and was not tried on real servers: no container engine answers",
  ],
])("%j reads as it was counted", (recurrence, words) => {
  expect(recurrenceWords(recurrence)).toBe(words);
});
