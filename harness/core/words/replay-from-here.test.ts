import { join } from "node:path";
import { expect, test } from "vitest";
import { replayFromHere } from "./replay-from-here.ts";
import { shellWord } from "./shell-word.ts";

test.each([
  [join(process.cwd(), "results", "runs", "a", "plan.json"), join("results", "runs", "a", "plan.json")],
  [join("results", "plan.json"), join("results", "plan.json")],
  [join(process.cwd(), "..", "results", "plan.json"), join(process.cwd(), "..", "results", "plan.json")],
  [`${process.cwd()}-results/plan.json`, `${process.cwd()}-results/plan.json`],
  [join(process.cwd(), "..results", "plan.json"), join("..results", "plan.json")],
  // It would be read as a flag.
  [join(process.cwd(), "-r", "plan.json"), join(process.cwd(), "-r", "plan.json")],
])("a plan is named from the working directory, if it is in there: %s", (file, named) => {
  expect(replayFromHere(file)).toBe(`npx lockstorm replay ${shellWord(named)}`);
});
