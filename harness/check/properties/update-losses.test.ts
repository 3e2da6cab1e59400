import fc from "fast-check";
import { expect, test } from "vitest";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";
import { updateLosses } from "./update-losses.ts";

/** Writes one after another, each of a client of its own, each based on what it says. */
function written(bases: readonly number[]): Recording {
  return bases.reduce((recording, basedOn, index) => {
    const [time, owner, data] = [10 * (index + 1), `o${index}`, `w${index}`];
    return recording
      .acquire(time, index, owner)
      .write(time + 2, index, owner, data, { basedOn })
      .audit(time + 3, index + 1, data, { owner, basedOn })
      .wrote(time + 4, index, index + 1);
  }, new Recording());
}

test.each([
  [[0, 1, 2], 0, "each on the last"],
  [[0, 0, 2], 1, "the second overwrites the first"],
  [[0, 1, 1, 3], 1, "the second is overwritten"],
  [[0, 1, 2, 0], 3, "a late one overwrites all"],
  [[0, 1, 0, 2], 1, "what the late one overwrote is brought back, and the late one is gone"],
])("%j loses %i: %s", (bases, lost) => {
  expect(updateLosses(written(bases).history)).toEqual({ acknowledged: bases.length, lost, refused: 0 });
});

test("an acknowledged write that was never applied is lost", () => {
  const { history } = new Recording().acquire(0, 0, "a").write(2, 0, "a", "x", { basedOn: 0 }).wrote(3, 0, 1);
  expect(updateLosses(history)).toEqual({ acknowledged: 1, lost: 1, refused: 0 });
});

test("a write that was applied but not acknowledged is not lost, for nobody counts on it", () => {
  const recording = new Recording()
    .acquire(0, 0, "a")
    .write(2, 0, "a", "x", { basedOn: 0 })
    .audit(3, 1, "x", { owner: "a", basedOn: 0 });
  expect(updateLosses(recording.history)).toEqual({ acknowledged: 0, lost: 0, refused: 0 });
});

test("evidence that contradicts itself comes to an end", () => {
  expect(updateLosses(written([0, 2]).history)).toEqual({ acknowledged: 2, lost: 1, refused: 0 });
});

test("something is lost exactly when P5 is violated", () => {
  const bases = fc
    .array(fc.nat(), { minLength: 1, maxLength: 6 })
    .map((numbers) => numbers.map((number, index) => number % (index + 1)));
  fc.assert(
    fc.property(bases, (drawn) => {
      const { history } = written(drawn);
      const { verdict } = checkHistory(history).properties["lost-updates"] ?? {};
      expect(updateLosses(history).lost > 0).toBe(verdict === "invalid");
    }),
  );
});
