import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runMain } from "../testing/run-main.ts";
import { glossary, KINDS } from "./entries.ts";
import { glossaryDocument } from "./glossary-document.ts";
import { TERMS } from "./terms.ts";

const entries = glossary();

test("docs/glossary.md is what the registries say (npm run docs:glossary)", () => {
  expect(readFileSync(new URL("../../../docs/glossary.md", import.meta.url), "utf8")).toBe(glossaryDocument());
});

test("within a kind a word has one entry, and every kind has some", () => {
  const names = entries.map(({ kind, word }) => `${kind} ${word}`);
  expect(new Set(names).size).toBe(names.length);
  expect([...new Set(entries.map(({ kind }) => kind))]).toEqual(Object.keys(KINDS));
});

test("every entry says something, and refers to entries only", () => {
  const words = new Set(entries.map(({ word }) => word));
  for (const { word, meaning, see } of entries) {
    expect(meaning, word).toMatch(/^\S.*[^.\s]$/);
    expect(see.filter((each) => !words.has(each) || each === word)).toEqual([]);
  }
});

test("terms are in the order of the alphabet", () => {
  const words = TERMS.map(({ word }) => word);
  expect(words).toEqual(words.toSorted());
});

test.each(entries.map(({ word }) => word))("lockstorm explain %s explains it", async (word) => {
  const { code, stdout, stderr } = await runMain(["explain", ...word.split(" ")]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.startsWith(`${word} (`)).toBe(true);
});

test("all words are listed, and those of one kind", async () => {
  const all = await runMain(["explain"], { columns: 80 });
  for (const { word } of entries) expect(all.stdout).toContain(`\n  ${word} `);
  expect(Math.max(...all.stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  const faults = await runMain(["explain", "faults"]);
  expect(faults.stdout).toContain("\n  failover ");
  expect(faults.stdout).not.toContain("\n  sentinel ");
});

test("every cause says how it comes about, not only where it is seen", async () => {
  const { stdout } = await runMain(["explain", "lost-in-failover"]);
  expect(stdout.replaceAll(/\s+/g, " ")).toContain("failed before its replica had received the key");
  for (const { kind, word, details } of entries.filter((entry) => entry.kind === "causes"))
    expect([kind, word, details[0]]).toEqual([kind, word, expect.stringMatching(/^[A-Z].{30,}\.$/)]);
});

test("a client that is killed is dead until the run ends; what is healed says so", async () => {
  const texts = await Promise.all(
    ["kill-client", "pause-client"].map(async (word) => (await runMain(["explain", word])).stdout),
  );
  expect(texts.map((text) => /in force until (?:the run ends|it is healed)/.exec(text)?.[0])).toEqual([
    "in force until the run ends",
    "in force until it is healed",
  ]);
});

test("as JSON too", async () => {
  const { stdout } = await runMain(["explain", "failover", "--json"]);
  expect(JSON.parse(stdout)).toEqual(entries.filter(({ word }) => word === "failover"));
});

test.each([
  ["failovr", "did you mean failover?"],
  ["fencing-token", "did you mean fencing-tokens?"],
  ["fenceing", "did you mean fencing-tokens or fencing token?"],
  ["quorum queue", "lockstorm explain lists what there is"],
])("%s is unknown: %s", async (word, hint) => {
  const { code, stdout, stderr } = await runMain(["explain", word]);
  expect([code, stdout, stderr]).toEqual([
    254,
    "",
    `lockstorm: there is nothing called "${word}" to explain; ${hint}\n`,
  ]);
});
