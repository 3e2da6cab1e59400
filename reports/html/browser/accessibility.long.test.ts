// @module-tag long
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderAdviceHtml } from "../../advice/advice-html.ts";
import { adviseTtl } from "../../advice/ttl-advice.ts";
import { renderDebateHtml } from "../../debate/debate-html.ts";
import { axeFindings } from "../../testdata/axe.ts";
import { findChromium, launchChromium, openDocument } from "../../testdata/browser.ts";
import { lostInFailover, pausedPastLease } from "../../testdata/example-runs.ts";
import { aDebate } from "../../testdata/example-debate.ts";
import { aCampaign, aGallery, anExploration, aGlossary, aStore } from "../../testdata/example-pages.ts";
import { renderApiPage } from "../api-page.ts";
import { renderHtml } from "../html.ts";
import { renderGallery } from "../gallery-page.ts";
import { renderGlossary } from "../glossary-page.ts";
import { renderStorePage } from "../store-page.ts";

const chromium = findChromium();

/** Every kind of page, and what of it is shown only after a click. */
const PAGES: Readonly<Record<string, readonly [content: () => string, unfold?: (page: Page) => Promise<void>]>> = {
  "a run": [() => renderHtml({ runs: [lostInFailover()] }), unfoldRun],
  "a run of which a client outlived its lease": [() => renderHtml({ runs: [pausedPastLease()] }), unfoldRun],
  "a campaign": [
    () => renderHtml(aCampaign()),
    async (page) => {
      await page.click(".show-cell");
      await unfoldRun(page);
    },
  ],
  "an exploration": [() => renderHtml(anExploration())],
  "a store": [() => renderStorePage(aStore()), (page) => page.waitForSelector("body[data-ready]").then(() => {})],
  "the catalogue": [() => renderGallery(aGallery())],
  "the glossary": [() => renderGlossary(aGlossary())],
  "the API reference": [() => renderApiPage(readFileSync(new URL("../../../docs/api.md", import.meta.url), "utf8"))],
  "the debate": [() => renderDebateHtml(aDebate())],
  "an advice": [
    () =>
      renderAdviceHtml(
        adviseTtl(
          Array.from({ length: 400 }, (_, index) => 20 + index),
          { marginShare: 0.2, cutOff: 2 },
        ),
      ),
  ],
};

async function unfoldRun(page: Page): Promise<void> {
  await page.waitForSelector("section.run[data-ready]");
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  await page.click(".next-moment");
  await page.click("section.run:not([hidden]) .event-body [role=row]");
}

const SCREENS = [1440, 420].flatMap((width) => (["light", "dark"] as const).map((scheme) => [width, scheme] as const));
const CASES = Object.keys(PAGES).flatMap((name) => SCREENS.map(([width, scheme]) => [name, width, scheme] as const));

describe.skipIf(chromium === undefined)("axe-core finds nothing", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium(chromium ?? "");
  });
  afterAll(() => browser?.close());

  test.each(CASES)("on %s, %i wide, %s, and nothing is wider than the window", async (name, width, colorScheme) => {
    const [content, unfold] = PAGES[name] ?? expect.unreachable();
    await using opened = await openDocument(browser, "page.html", content(), { width, height: 900, colorScheme });
    const { page } = opened;
    await unfold?.(page);
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(opened.complaints).toEqual([]);
  });

  test("which does find what is planted", async () => {
    const content = renderStorePage(aStore()).replace("<label>Verdict", "<label></label><div>Verdict");
    await using opened = await openDocument(browser, "page.html", content);
    expect((await axeFindings(opened.page)).join("\n")).toContain("select-name");
  });
});
