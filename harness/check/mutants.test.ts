import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readMutants } from "./testing/mutate.ts";

it("every mutant still changes the one place that it is meant to change", () => {
  const mutants = readMutants();
  expect(mutants.length).toBeGreaterThan(100);
  for (const { file, from } of mutants) {
    const places = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8").split(from).length - 1;
    expect({ file, from, places }).toEqual({ file, from, places: 1 });
  }
});
