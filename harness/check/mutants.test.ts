import { readFileSync } from "node:fs";
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";
import { MUTATED_FOLDERS, readMutants } from "./testing/mutants.ts";

it("every mutant still changes the one place that it is meant to change, into code that loads", () => {
  const mutants = readMutants();
  expect(mutants.length).toBeGreaterThan(100);
  for (const { file, from, to } of mutants) {
    expect(MUTATED_FOLDERS.filter((folder) => file.startsWith(`${folder}/`))).toHaveLength(1);
    const original = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
    const places = original.split(from).length - 1;
    const { errors } = parseSync(
      file,
      original.replace(from, () => to),
    );
    expect({ file, from, places, errors }).toEqual({ file, from, places: 1, errors: [] });
  }
});
