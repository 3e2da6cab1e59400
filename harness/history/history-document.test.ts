import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { checkHistory } from "../check/check.ts";
import { EXIT } from "../core/verdict.ts";
import { parseHistory } from "./history-reader.ts";

const PAGE = new URL("../../docs/history.md", import.meta.url);
const EXAMPLE = /^```jsonl (?<facts>.*)\n(?<lines>[\s\S]*?)^```$/gm;

const examples = [...readFileSync(PAGE, "utf8").matchAll(EXAMPLE)].map(({ groups }) => ({
  facts: Object.fromEntries((groups?.["facts"] ?? "").split(" ").map((fact) => fact.split("=") as [string, string])),
  lines: groups?.["lines"] ?? "",
}));

test("the page has examples that break a property, and that do not", () => {
  expect(examples.map(({ facts }) => facts["exit"])).toEqual(expect.arrayContaining(["0", "1"]));
});

test.each(examples)("the page says how its example is judged: exit code $facts.exit", ({ facts, lines }) => {
  const verdict = checkHistory(parseHistory(lines, "docs/history.md"));
  const { exit, ...properties } = facts;
  expect(EXIT[verdict.verdict]).toBe(Number(exit));
  for (const [property, outcome] of Object.entries(properties)) {
    expect({ property, outcome: verdict.properties[property as keyof typeof verdict.properties]?.verdict }).toEqual({
      property,
      outcome,
    });
  }
});
