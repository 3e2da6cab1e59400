import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { cliDocument } from "./cli-document.ts";
import { commands } from "./commands/registry.ts";

test("docs/cli.md is what the table of commands says (npm run docs:cli)", () => {
  expect(readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8")).toBe(cliDocument(commands));
});

test("the document has every command, flag and example", () => {
  const document = cliDocument(commands);
  for (const { name, flags, examples } of commands) {
    expect(document).toContain(`## lockstorm ${name}\n`);
    for (const flag of Object.keys(flags)) expect(document).toContain(`| \`--${flag}`);
    for (const example of examples) expect(document).toContain(`    ${example}\n`);
  }
});
