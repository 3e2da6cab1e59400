// @module-tag long
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium, keepScreenshot, launchChromium, openDocument, openReport } from "../../testdata/browser.ts";
import { lostInFailover, releaseAfterLoss } from "../../testdata/example-runs.ts";
import { longRun } from "../../testdata/long-run.ts";

const chromium = findChromium();

const launcher = fileURLToPath(new URL("../../../harness/cli/launch.js", import.meta.url));

/** The report that `lockstorm reproduce` writes of a scenario. */
function reportOf(slug: string): string {
  const store = mkdtempSync(join(tmpdir(), "lockstorm-story-"));
  try {
    spawnSync(process.execPath, [launcher, "reproduce", slug, "--store", store]);
    const [file] = globSync(join(store, "runs", "*", "report.html"));
    if (file === undefined) throw new Error(`reproduce ${slug} wrote no report`);
    return readFileSync(file, "utf8");
  } finally {
    rmSync(store, { recursive: true });
  }
}

describe.skipIf(chromium === undefined)("the story of the HTML report", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium(chromium ?? "");
  });
  afterAll(() => browser?.close());

  test.each([
    [1440, "light"],
    [420, "dark"],
  ] as const)(
    "at %d pixels the first screen has the sentence, the picture and the replay command",
    async (width, colorScheme) => {
      await using opened = await openReport(browser, lostInFailover(), { width, height: 900, colorScheme });
      const { page } = opened;
      await keepScreenshot(page, `story-${width}`);
      for (const part of [".headline", ".picture:visible svg", ".replay"]) {
        const box = await page.locator(part).first().boundingBox();
        expect(box, part).not.toBeNull();
        expect((box?.y ?? 0) + (box?.height ?? 0), part).toBeLessThanOrEqual(900);
        expect((box?.x ?? 0) + (box?.width ?? 0), part).toBeLessThanOrEqual(width);
      }
      const overlap = await page.locator(".picture:visible .overlap").first().boundingBox();
      expect(overlap?.width ?? 0).toBeGreaterThan(width / 12);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      expect(opened.complaints).toEqual([]);
    },
  );

  test("stepping keeps prose, picture, beliefs and address together, by buttons, keys and clicks", async () => {
    await using opened = await openReport(browser, lostInFailover());
    const { page } = opened;
    const state = async (): Promise<readonly unknown[]> => [
      await page.textContent(".moment-now"),
      await page.locator(".picture:visible .moment.current").getAttribute("data-moment"),
      await page.locator(".moments [aria-current=step] .beliefs").isVisible(),
      new URL(page.url()).hash,
    ];
    await page.click(".next-moment");
    expect(await state()).toEqual([
      expect.stringMatching(/^1 of 10, 104\.200 ms: partition hits/),
      "0",
      true,
      "#run-0/moment-0-0",
    ]);
    await page.keyboard.press("ArrowRight");
    expect(await state()).toEqual([
      expect.stringMatching(/^2 of 10, .*client-0 is granted k1/),
      "1",
      true,
      "#run-0/moment-0-1",
    ]);
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    expect((await state())[1]).toBe("8");
    await page.locator(".picture:visible .moment[data-moment='5'] circle").click();
    expect((await state()).slice(1)).toEqual(["5", true, "#run-0/moment-0-5"]);
    expect(await page.locator(".moments .current .beliefs").innerText()).toMatch(
      /client-0\s+holds k1, lease for another/,
    );
    expect(opened.complaints).toEqual([]);
  });

  test("an address opens what it names, and follows what is selected", async () => {
    await using opened = await openReport(browser, { runs: [lostInFailover(), releaseAfterLoss()] });
    const { page } = opened;
    const go = async (hash: string): Promise<Page> => {
      await page.evaluate((to) => (location.hash = to), hash);
      return page;
    };
    await go("#run-1/event-8");
    await page.waitForSelector("#run-1[data-ready]");
    await expect.poll(() => page.locator("#run-1 .details").textContent()).toContain('"index":8');
    expect(await page.locator("#run-chooser option:checked").textContent()).toContain("plain-del");
    await go("#run-1/violation-1");
    await expect.poll(() => page.locator("#run-1 .violation-name").textContent()).toContain("violation 2 of 2");
    await go("#run-0/moment-0-3");
    await expect.poll(() => page.locator("#run-0 .moment-now").textContent()).toMatch(/^4 of 10/);
    await page.locator("#run-0 .moments .show-event").first().click();
    expect(new URL(page.url()).hash).toMatch(/^#run-0\/event-\d+$/);
    await go("#run-9/nonsense");
    expect(await page.locator("section.run:visible").getAttribute("id")).toBe("run-0");
    expect(opened.complaints).toEqual([]);
  });

  test("of many lanes those are shown that matter; the rest unfolds, and a link to an event unfolds its lane", async () => {
    const run = longRun(5500);
    await using opened = await openReport(browser, run);
    const { page } = opened;
    const lanes = page.locator('input[data-hides^="lane:"]');
    const shownLanes = (): Promise<number> =>
      lanes.evaluateAll((boxes) => boxes.filter((box) => (box as HTMLInputElement).checked).length);
    const all = await lanes.count();
    expect(all).toBeGreaterThan(10);
    const few = await shownLanes();
    expect(few).toBeLessThan(all);
    expect(await page.textContent(".all-lanes")).toBe(`Show ${all - few} more lanes`);
    await page.click(".all-lanes");
    expect(await shownLanes()).toBe(all);
    expect(await page.locator(".all-lanes").isHidden()).toBe(true);
  });

  test("on paper: the whole plan, no heading alone at the foot of a page, and dark ink", async () => {
    await using opened = await openReport(browser, lostInFailover(), { colorScheme: "dark" });
    const { page } = opened;
    await page.click(".theme");
    await page.click(".theme");
    expect(await page.textContent(".theme")).toBe("Theme: dark");
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    const cut = await page
      .locator("pre")
      .evaluateAll((all) => all.filter((pre) => pre.scrollHeight > pre.clientHeight + 1).length);
    expect(cut).toBe(0);
    const styles = (selector: string, property: string): Promise<readonly string[]> =>
      page
        .locator(selector)
        .evaluateAll((all, name) => all.map((each) => getComputedStyle(each).getPropertyValue(name)), property);
    expect(new Set(await styles("h2, h3, figcaption", "break-after"))).toEqual(new Set(["avoid"]));
    expect(await styles("body", "background-color")).toEqual(["rgb(255, 255, 255)"]);
  });

  test("every label of an axis lies within its chart", async () => {
    await using opened = await openDocument(browser, "failover.html", reportOf("async-failover"));
    expect(await opened.page.textContent("main")).toContain("10,000");
    const outside = await opened.page.locator("figure svg").evaluateAll((charts) =>
      charts.flatMap((chart) => {
        const room = chart.getBoundingClientRect();
        return [...chart.querySelectorAll("text")]
          .filter((label) => label.getBoundingClientRect().left < room.left - 0.5)
          .map((label) => label.textContent);
      }),
    );
    expect(outside).toEqual([]);
  });

  test("on paper: numbers, legends and diagrams, and no controls", async () => {
    await using opened = await openReport(browser, lostInFailover());
    const { page } = opened;
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    expect(await page.locator(".moments .show-event").first().isVisible()).toBe(true);
    expect(await page.locator(".story .legend").first().isVisible()).toBe(true);
    expect(await page.locator(".diagram svg").first().isVisible()).toBe(true);
    expect(await page.locator(".timeline-block, .stepper, .theme").filter({ visible: true }).count()).toBe(0);
    await keepScreenshot(page, "print");
  });
});
