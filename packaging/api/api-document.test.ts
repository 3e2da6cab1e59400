import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { apiDocument, packageEntries } from "./api-document.ts";

const root = new URL("../..", import.meta.url);
const entries = packageEntries(fileURLToPath(root));

test("docs/api.md is what the docstrings say (npm run docs:api)", () => {
  expect(readFileSync(new URL("docs/api.md", root), "utf8")).toBe(apiDocument(entries));
});

test("everything that the package exports has a docstring", () => {
  const exported = entries.flatMap(({ exported }) => exported);
  expect(exported.length).toBeGreaterThan(30);
  expect(exported.filter(({ doc }) => doc === undefined).map(({ name }) => name)).toEqual([]);
});

test("a class is shown with its public members alone, without bodies", () => {
  const locks = entries[0]?.exported.find(({ name }) => name === "Locks");
  expect(locks?.signature).toContain("  static connect(options: LocksOptions): Promise<Locks>;");
  expect(locks?.signature).toContain("@throws LockUnavailableError");
  expect(locks?.signature).not.toMatch(/#|constructor|return /);
});

test("the helpers of test runners share their types with the package", () => {
  const page = apiDocument(entries);
  for (const helper of ["vitest", "node-test", "jest", "playwright"]) {
    expect(page).toContain(`## lockstorm/${helper}\n\nAlso exports [\`LockBrokenError\`](#lockbrokenerror)`);
  }
});
