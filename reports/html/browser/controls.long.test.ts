// @module-tag long
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunRecord } from "../../run/run-record.ts";
import { findChromium, keepScreenshot, launchChromium, openReport, placeOf, shown } from "../../testdata/browser.ts";
import {
  jumpOfOneInFive,
  lostInFailover,
  pausedPastLease,
  releaseAfterLoss,
  takingTurns,
} from "../../testdata/example-runs.ts";

/** A failover after which both hold for a millisecond, seconds after the first grant. */
function shortOverlap(): RunRecord {
  const run = lostInFailover();
  const broken = run.verdict.properties["mutual-exclusion"];
  const violations = (broken?.violations ?? []).map((violation) => ({
    ...violation,
    overlap: { from: 3919e6, to: 3920e6 },
  }));
  const properties = { "mutual-exclusion": { verdict: "invalid" as const, violations } };
  return { ...run, verdict: { ...run.verdict, properties } };
}

const chromium = findChromium();

describe.skipIf(chromium === undefined)("the controls of the HTML report", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium(chromium ?? "");
  });
  afterAll(() => browser?.close());

  test("it begins at the violation; zooming and moving change what is shown", async () => {
    await using opened = await openReport(browser, lostInFailover());
    const { page } = opened;
    expect(await page.textContent(".violation-name")).toContain("violation 1 of 1: the grant was lost in a failover");
    await page.click(".zoom-all");
    const [whole] = [await shown(page)];
    expect(whole[0]).toBe(0);
    expect(whole[1]).toBeGreaterThan(4420);
    await page.click(".zoom-in");
    const [from, to] = await shown(page);
    expect(to - from).toBeCloseTo(0.6 * (whole[1] - whole[0]), -1);
    await page.click(".later");
    expect((await shown(page))[0]).toBeGreaterThan(from);
    await page.click(".earlier");
    expect((await shown(page))[0]).toBeCloseTo(from, 0);
    await page.click(".zoom-out");
    expect(await shown(page)).toEqual(whole);
    const { x, y } = await placeOf(page, 3500, 60);
    await page.mouse.move(x, y);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -300);
    await page.keyboard.up("Control");
    await expect.poll(async () => (await shown(page))[1] - (await shown(page))[0]).toBeLessThan(2500);
    await keepScreenshot(page, "zoomed-by-wheel");
    const before = await shown(page);
    await page.mouse.down();
    await page.mouse.move(x + 200, y, { steps: 4 });
    await page.mouse.up();
    expect((await shown(page))[0]).toBeLessThan(before[0]);
    expect(opened.complaints).toEqual([]);
  });

  test("an overlap that is short beside its story is shown so that it can be seen", async () => {
    await using opened = await openReport(browser, shortOverlap());
    const [from, to] = await shown(opened.page);
    expect(to - from).toBeLessThan(20);
    expect(from).toBeLessThan(3919);
    expect(to).toBeGreaterThan(3920);
  });

  test("pointing at a hold tells what it is; a click shows its events and marks them in the table", async () => {
    await using opened = await openReport(browser, lostInFailover());
    const { page } = opened;
    await page.click(".zoom-all");
    await page.locator(".timeline-frame").scrollIntoViewIfNeeded();
    const { x, y } = await placeOf(page, 2000, 30 + 13);
    await page.mouse.move(x, y);
    await expect.poll(() => page.locator(".tooltip").textContent()).toContain("client-0 holds k1");
    expect(await page.locator(".tooltip").textContent()).toContain("all of it within its lease");
    await keepScreenshot(page, "tooltip");
    await page.mouse.click(x, y);
    expect(await page.textContent(".details")).toContain('"owner":"9f2c51d0aa3be4417c88"');
    expect(await page.locator(".event-body [aria-selected=true]").textContent()).toContain("#2");
    await page.mouse.move(x, y + 400);
    await expect.poll(() => page.locator(".tooltip").isHidden()).toBe(true);
  });

  test("under the pointer stand the true time and the clock of a node that jumped", async () => {
    await using opened = await openReport(browser, jumpOfOneInFive());
    const { page } = opened;
    await page.click(".zoom-all");
    await page.locator(".timeline-block").scrollIntoViewIfNeeded();
    const says = (): Promise<string | null> => page.textContent(".cursor-time");
    const axisAndLanesAbove = 30 + (44 + 21) + (44 + 21) + 44 + (24 + 21) + (24 + 21);
    const before = await placeOf(page, 50, axisAndLanesAbove + 12);
    await page.mouse.move(before.x, before.y);
    await expect.poll(says).toMatch(/^At (?:49|50)\.\d{3} ms$/);
    const after = await placeOf(page, 300, axisAndLanesAbove + 12);
    await page.mouse.move(after.x, after.y);
    await expect.poll(says).toMatch(/^At (?:299|300)\.\d{3} ms, clock of node-2 10,(?:299|300)\.\d ms$/);
    await keepScreenshot(page, "node-clock");
  });

  test("at the cursor stands what each believes: under the pointer, at a selected item, from event to event by keys", async () => {
    await using opened = await openReport(browser, lostInFailover());
    const { page } = opened;
    const believes = (name: string): Promise<string | null> =>
      page.locator(".beliefs-at .beliefs > div", { hasText: name }).locator("dd").textContent();
    // It begins at the overlap, where both believe that they hold.
    expect(await page.locator(".beliefs-at .holds").count()).toBe(2);
    await page.click(".zoom-all");
    await page.locator(".timeline-frame").scrollIntoViewIfNeeded();
    const { x, y } = await placeOf(page, 2000, 30 + 13);
    await page.mouse.move(x, y);
    await expect.poll(() => believes("client-0")).toMatch(/^holds k1, lease for another 8,1\d\d ms$/);
    expect(await believes("client-1")).not.toContain("holds");
    await page.mouse.move(x, y + 500);
    expect(await believes("client-0")).toContain("holds k1");
    expect(await page.textContent(".cursor-said")).toBe("");
    await page.locator(".timeline-frame").focus();
    const times: (string | null)[] = [];
    for (const key of [".", ".", ","]) {
      await page.keyboard.press(key);
      times.push(await page.textContent(".cursor-time"));
    }
    expect(times[0]).toBe(times[2]);
    expect(times[0]).not.toBe(times[1]);
    expect(await page.textContent(".cursor-said")).toMatch(/^At .* ms: client-0 .*; client-1 /);
    await page.keyboard.press("Home");
    expect(await page.textContent(".cursor-said")).toContain("client-0 asks for k1");
    await keepScreenshot(page, "cursor");
    expect(opened.complaints).toEqual([]);
  });

  test("the search narrows the table, pales the rest, and Enter goes from match to match", async () => {
    await using opened = await openReport(browser, lostInFailover());
    const { page } = opened;
    await page.fill(".search", "client-1 acquire");
    await expect.poll(() => page.textContent(".match-count")).toBe("4 of 24 events");
    const rows = await page.locator(".event-body [role=row]").allTextContents();
    expect(rows).toHaveLength(4);
    for (const row of rows) expect(row).toContain("client-1");
    await page.press(".search", "Enter");
    expect(await page.textContent(".details")).toContain('"index":6');
    await page.press(".search", "Enter");
    await page.press(".search", "Enter");
    expect(await page.textContent(".details")).toContain('"index":10');
    await keepScreenshot(page, "search");
    await page.press(".search", "Escape");
    await expect.poll(() => page.textContent(".match-count")).toBe("24 events");
    await page.fill(".search", "no such thing");
    await expect.poll(() => page.textContent(".match-count")).toBe("0 of 24 events");
    await page.press(".search", "Enter");
    expect(opened.complaints).toEqual([]);
  });

  test("filters hide operations, outcomes and lanes", async () => {
    await using opened = await openReport(browser, lostInFailover());
    const { page } = opened;
    await page.click(".filters summary");
    await page.getByLabel("fault", { exact: true }).uncheck();
    await expect.poll(() => page.textContent(".match-count")).toBe("19 of 24 events");
    await page.getByLabel("fail", { exact: true }).uncheck();
    await expect.poll(() => page.textContent(".match-count")).toBe("18 of 24 events");
    const height = (): Promise<number> => page.locator(".timeline-canvas").evaluate((canvas) => canvas.clientHeight);
    const before = await height();
    await page.getByLabel("client-1", { exact: true }).uncheck();
    await expect.poll(height).toBeLessThan(before);
    await page.getByLabel("client-1", { exact: true }).check();
    await expect.poll(height).toBe(before);
  });

  test("the keyboard reaches everything on the timeline", async () => {
    await using opened = await openReport(browser, releaseAfterLoss());
    const { page } = opened;
    await page.focus(".timeline-frame");
    await page.keyboard.press("ArrowRight");
    const details = (): Promise<string | null> => page.textContent(".details");
    expect(await details()).toContain('"index":0');
    await page.keyboard.press("ArrowRight");
    expect(await details()).toContain("client-0 holds k1");
    await page.keyboard.press("ArrowDown");
    expect(await details()).toContain("client-1");
    await page.keyboard.press("End");
    expect(await details()).toContain('"f":"release"');
    await page.keyboard.press("0");
    const [from, to] = await shown(page);
    await page.keyboard.press("+");
    expect((await shown(page))[1] - (await shown(page))[0]).toBeLessThan(to - from);
    await page.keyboard.press("Shift+ArrowRight");
    expect((await shown(page))[0]).toBeGreaterThan(0);
    await page.keyboard.press("v");
    expect(await page.textContent(".violation-name")).toContain("violation 2 of 2");
    await page.keyboard.press("v");
    expect(await page.textContent(".violation-name")).toContain("violation 1 of 2");
    await page.keyboard.press("Shift+V");
    expect(await page.textContent(".violation-name")).toContain("violation 2 of 2");
    await page.keyboard.press("Escape");
    expect(await details()).toContain("Select something");
    await page.keyboard.press("/");
    expect(await page.evaluate(() => document.activeElement?.className)).toBe("search");
    expect(opened.complaints).toEqual([]);
  });

  test("the table of events is walked by keys and tells what is selected", async () => {
    await using opened = await openReport(browser, takingTurns(60));
    const { page } = opened;
    await page.focus(".event-frame");
    for (const key of ["ArrowDown", "ArrowDown", "PageDown", "End", "ArrowUp"]) await page.keyboard.press(key);
    const active = await page.getAttribute(".event-frame", "aria-activedescendant");
    const events = takingTurns(60).history.events.length;
    expect(await page.locator(`#${active}`).textContent()).toContain(`#${events - 2}`);
    expect(await page.textContent(".details")).toContain(`"index":${events - 2}`);
    expect(await page.getAttribute(".event-frame", "aria-rowcount")).toBe(String(events + 1));
  });

  test("links in the story lead into the timeline", async () => {
    await using opened = await openReport(browser, pausedPastLease());
    const { page } = opened;
    await page.click(".zoom-all");
    await page.click(".story .show-event[data-event='17']");
    expect(await page.textContent(".details")).toContain('"index":17');
    await page.click(".violation .show-violation");
    expect(await page.evaluate(() => document.activeElement?.className)).toBe("timeline-frame");
    await keepScreenshot(page, "violation-in-timeline");
  });
});
