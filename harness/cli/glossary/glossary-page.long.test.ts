// @module-tag long
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderGlossary } from "../../../reports/html/glossary-page.ts";
import { axeFindings } from "../../../reports/testdata/axe.ts";
import { findChromium, launchChromium, openDocument } from "../../../reports/testdata/browser.ts";
import { glossaryParts } from "./glossary-parts.ts";

const chromium = findChromium();

describe.skipIf(chromium === undefined)("the page of all words", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium(chromium ?? "");
  });
  afterAll(() => browser?.close());

  test.each([1440, 420])("%i wide has nothing that axe-core finds, and is no wider than the window", async (width) => {
    await using opened = await openDocument(browser, "glossary.html", renderGlossary(glossaryParts()), { width });
    expect(await axeFindings(opened.page)).toEqual([]);
    expect(await opened.page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
  });
});
