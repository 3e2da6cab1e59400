import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { renderApiPage } from "./api-page.ts";

const reference = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");

test("the page of the API has each name under an address of its own, its docstring and its signature", () => {
  const page = renderApiPage(reference);
  const names = [...reference.matchAll(/^### (.*)$/gm)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(30);
  for (const name of names.filter((name) => name !== "lockstorm"))
    expect(page).toContain(`<h3 id="${name.toLowerCase()}">${name}</h3>`);
  expect(page).toContain("class Locks implements AsyncDisposable {\n");
  expect(page).not.toContain("```");
});

test("each link of the page leads to one heading of it, and the contents come first", () => {
  const page = renderApiPage(reference);
  const ids = [...page.matchAll(/<h[23] id="([^"]*)"/g)].map(([, id = ""]) => id);
  const links = [...page.matchAll(/<a href="#([^"]*)"><code>/g)].map(([, id = ""]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(links)).toEqual(new Set(ids));
  expect(page.indexOf('<a href="#verifylock">')).toBeLessThan(page.indexOf('<h2 id="lockstorm">'));
});

test("code, links, lists and what looks like markup are set as such", () => {
  const page = renderApiPage(
    "# API\n\n## lockstorm\n\nAlso [`Held`](#held), `a<b>` of\ntwo lines.\n\n- Throws: `x`\n\n    f(1);\n",
  );
  expect(page).toContain('<h2 id="lockstorm">lockstorm</h2>');
  expect(page).toContain('<p>Also <a href="#held"><code>Held</code></a>, <code>a&lt;b&gt;</code> of two lines.</p>');
  expect(page).toMatch(/<li>Throws: <code>x<\/code><\/li>/);
  expect(page).toContain("<code>f(1);\n</code>");
});
