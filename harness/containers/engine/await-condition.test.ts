import { expect, test } from "vitest";
import { HarnessError } from "../../core/errors.ts";
import { awaitCondition, lookFor } from "./await-condition.ts";

test("looks until there is something, and gives it, be it false or 0", async () => {
  let looks = 0;
  const found = await lookFor(5_000, async () => ((looks += 1) < 3 ? undefined : 0));
  expect([found, looks]).toEqual([0, 3]);
  expect(await lookFor(5_000, async () => false)).toBe(false);
});

test("looks at least once, and not for ever", async () => {
  let looks = 0;
  expect(await lookFor(0, async () => void (looks += 1))).toBeUndefined();
  expect(looks).toBeGreaterThan(0);
});

test("what has to come and does not is an error that says what was seen last", async () => {
  const waiting = awaitCondition("the door opens", 5, async (saw) => {
    saw("a closed door");
    return undefined;
  });
  await expect(waiting).rejects.toThrow("the door opens: not within 5 ms; last seen: a closed door");
  await expect(waiting).rejects.toBeInstanceOf(HarnessError);
});

test("an error of the look itself ends it", async () => {
  const looking = lookFor(5_000, () => Promise.reject(new Error("gone")));
  await expect(looking).rejects.toThrow("gone");
});
