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

test("a write that the resource refused is counted apart from one that failed, and is not in the final state", () => {
  const { history } = new Recording()
    .acquire(0, 0, "a")
    .write(2, 0, "a", "x", { basedOn: 0 })
    .audit(3, 1, "x", { owner: "a", basedOn: 0 })
    .wrote(4, 0, 1)
    .write(5, 0, "a", "y", { basedOn: 0 })
    .audit(6, 2, "y", { owner: "a", basedOn: 0, accepted: false })
    .refuseWrite(7, 0)
    .write(8, 0, "a", "z", { basedOn: 1 })
    .failWrite(9, 0);
  expect(updateLosses(history)).toEqual({ acknowledged: 1, lost: 0, refused: 1 });
});

test("a write that does not say what it is based on adds to what is there", () => {
  const recording = new Recording();
  for (const [index, data] of ["x", "y", "z"].entries()) {
    recording
      .write(10 * index, index, "a", data)
      .audit(10 * index + 1, index + 1, data)
      .wrote(10 * index + 2, index, index + 1);
  }
  expect(updateLosses(recording.history)).toEqual({ acknowledged: 3, lost: 0, refused: 0 });
});

test("the same data in another key are another write", () => {
  const { history } = new Recording()
    .write(0, 0, "a", "x", { basedOn: 0 })
    .audit(1, 1, "x", { basedOn: 0 })
    .wrote(2, 0, 1)
    .on("other")
    .write(3, 0, "a", "x", { basedOn: 0 })
    .wrote(4, 0, 1);
  expect(updateLosses(history)).toEqual({ acknowledged: 2, lost: 1, refused: 0 });
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
