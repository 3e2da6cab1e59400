// @module-tag long
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium, keepScreenshot, launchChromium, openReport, placeOf, shown } from "../../testdata/browser.ts";
import { jumpOfOneInFive, lostInFailover } from "../../testdata/example-runs.ts";
import { longRun } from "../../testdata/long-run.ts";

const chromium = findChromium();

describe.skipIf(chromium === undefined)("a stretch of the timeline", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium(chromium ?? "");
  });
  afterAll(() => browser?.close());

  test("is zoomed to where it was marked with Shift, and its figures are counted", async () => {
    await using opened = await openReport(browser, longRun(900, 6));
    const { page } = opened;
    await page.click(".zoom-all");
    await page.click(".figures summary");
    const rows = () => page.locator(".figures tbody tr").allInnerTexts();
    await expect.poll(rows).toContainEqual(expect.stringMatching(/^acquire\s+101\s+99\s+0\s+0\.5 ms\s+0\.5 ms$/));
    await page.locator(".timeline-frame").scrollIntoViewIfNeeded();
    const [from, to] = [await placeOf(page, 100, 60), await placeOf(page, 200, 60)];
    await page.keyboard.down("Shift");
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 3 });
    await keepScreenshot(page, "marked");
    await page.mouse.up();
    await page.keyboard.up("Shift");
    const [first, last] = await shown(page);
    expect(Math.abs(first - 100)).toBeLessThan(2);
    expect(Math.abs(last - 200)).toBeLessThan(2);
    // Twenty rounds of 5 ms, and what touches the edges.
    await expect.poll(rows).toContainEqual(expect.stringMatching(/^acquire\s+2[01]\s+2[01]\s+0\s/));
    expect(opened.complaints).toEqual([]);
  });

  test("is left and entered by the keys of other viewers of traces", async () => {
    await using opened = await openReport(browser, lostInFailover());
    const { page } = opened;
    await page.focus(".timeline-frame");
    await page.keyboard.press("0");
    const whole = await shown(page);
    await page.keyboard.press("w");
    const closer = await shown(page);
    expect(closer[1] - closer[0]).toBeLessThan(whole[1] - whole[0]);
    await page.keyboard.press("d");
    expect((await shown(page))[0]).toBeGreaterThan(closer[0]);
    await page.keyboard.press("a");
    expect((await shown(page))[0]).toBeCloseTo(closer[0], 0);
    await page.keyboard.press("s");
    expect(await shown(page)).toEqual(whole);
  });

  test("a clock that was stepped has its line among the charts", async () => {
    await using opened = await openReport(browser, jumpOfOneInFive());
    const { page } = opened;
    const chart = page.getByRole("img", { name: "How far wall clocks are ahead of true time" });
    await chart.scrollIntoViewIfNeeded();
    await expect.poll(() => chart.textContent()).toContain("node-2");
    expect(await chart.locator(".clock").count()).toBe(1);
    await keepScreenshot(page, "clocks");
  });
});
