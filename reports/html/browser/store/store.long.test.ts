// @module-tag long
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium, keepScreenshot, launchChromium, openDocument } from "../../../testdata/browser.ts";
import { aStore } from "../../../testdata/example-pages.ts";
import type { StoreListing } from "../../store-listing.ts";
import { renderStorePage } from "../../store-page.ts";

const chromium = findChromium();

/** A store of this many runs, every tenth of which is invalid. */
function manyRuns(count: number): StoreListing {
  const { runs, ...rest } = aStore();
  const [run = expect.unreachable()] = runs;
  return {
    ...rest,
    runs: Array.from({ length: count }, (_, place) => ({
      ...run,
      folder: `runs/2026-01-31T12-00-00-${count - place}`,
      title: `run ${count - place}`,
      lock: `lock-${place % 3}`,
      verdict: place % 10 === 0 ? ("invalid" as const) : ("valid" as const),
    })),
  };
}

describe.skipIf(chromium === undefined)("the page of a store in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium(chromium ?? "");
  });
  afterAll(() => browser?.close());

  test("its filter and its page are in the address, and come back with it", async () => {
    await using opened = await openDocument(browser, "index.html", renderStorePage(manyRuns(250)));
    const { page } = opened;
    await page.waitForSelector("body[data-ready]");
    expect(await page.textContent(".count")).toBe("250 of 250 runs");
    expect(await page.locator("tbody.runs tr").count()).toBe(100);
    await page.click(".older");
    expect(await page.textContent(".page-number")).toBe("Runs 101 to 200 of 250");
    expect(new URL(page.url()).hash).toBe("#page=2");
    await page.selectOption("[name=verdict]", "invalid");
    expect(await page.textContent(".count")).toBe("25 of 250 runs");
    expect(await page.locator(".pages").isVisible()).toBe(false);
    await page.fill("[name=words]", "run 250");
    expect(await page.locator("tbody.runs tr").count()).toBe(1);
    const address = page.url();
    expect(new URL(address).hash).toBe("#verdict=invalid&words=run+250");
    await page.goto("about:blank");
    await page.goto(address);
    await page.waitForSelector("body[data-ready]");
    expect(await page.inputValue("[name=words]")).toBe("run 250");
    expect(await page.locator("tbody.runs tr").count()).toBe(1);
    expect(opened.complaints).toEqual([]);
  });

  test("the rows of the script are those of the page without it", async () => {
    await using opened = await openDocument(browser, "index.html", renderStorePage(aStore()));
    const { page } = opened;
    await page.waitForSelector("body[data-ready]");
    const scripted = await page.locator("tbody.runs").innerHTML();
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const unscripted = await plain.newPage();
    await unscripted.goto(page.url());
    const tidy = (markup: string): string => markup.replaceAll(/>\s+/g, ">").replaceAll(/\s+</g, "<");
    expect(tidy(scripted)).toBe(tidy(await unscripted.locator("tbody.runs").innerHTML()));
    await plain.close();
  });

  test("a hundred thousand runs are opened and searched", async () => {
    const document = renderStorePage(manyRuns(100_000));
    expect(document.length).toBeLessThan(4_000_000);
    const began = performance.now();
    await using opened = await openDocument(browser, "index.html", document);
    const { page } = opened;
    await page.waitForSelector("body[data-ready]");
    const openedMs = performance.now() - began;
    expect(await page.textContent(".count")).toBe("100,000 of 100,000 runs");
    const searchBegan = performance.now();
    await page.fill("[name=words]", "run 99999");
    expect(await page.textContent(".count")).toBe("1 of 100,000 runs");
    const searchMs = performance.now() - searchBegan;
    process.stderr.write(`100,000 runs: open ${openedMs.toFixed(0)} ms, search ${searchMs.toFixed(0)} ms\n`);
    await keepScreenshot(page, "store-hundred-thousand");
  });
});
