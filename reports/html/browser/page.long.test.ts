// @module-tag long
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderHtml } from "../html.ts";
import { renderJunit } from "../../campaign/junit.ts";
import { renderSvg } from "../../run/svg.ts";
import { findChromium, keepScreenshot, launchChromium, openDocument, openReport } from "../../testdata/browser.ts";
import { EXAMPLE_RUNS, lostInFailover, pausedPastLease, releaseAfterLoss } from "../../testdata/example-runs.ts";
import { longRun } from "../../testdata/long-run.ts";

const chromium = findChromium();

describe.skipIf(chromium === undefined)("the HTML report in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium(chromium ?? "");
  });
  afterAll(() => browser?.close());

  test.each(Object.entries(EXAMPLE_RUNS))("%s opens without a complaint and asks for nothing", async (name, make) => {
    await using opened = await openReport(browser, make());
    await keepScreenshot(opened.page, name);
    expect(opened.complaints).toEqual([]);
    expect(opened.requests).toEqual([]);
    expect(await opened.page.locator(".event-body [role=row]").count()).toBeGreaterThan(3);
  });

  test("the timeline paints: lease, overrun, fault and violation leave their colours", async () => {
    await using opened = await openReport(browser, pausedPastLease());
    const { page } = opened;
    await page.click(".zoom-all");
    const colors = await page.evaluate(
      () =>
        new Promise<string[]>((resolve) =>
          requestAnimationFrame(() =>
            requestAnimationFrame(() => {
              const canvas = document.querySelector<HTMLCanvasElement>(".timeline-canvas")!;
              const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
              const seen = new Set<string>();
              for (let place = 0; place < data.length; place += 4)
                seen.add(`${data[place]},${data[place + 1]},${data[place + 2]}`);
              resolve([...seen]);
            }),
          ),
        ),
    );
    for (const color of ["26,127,75", "160,82,0", "122,63,176", "196,43,43"]) expect(colors).toContain(color);
  });

  test("the theme follows the system until it is chosen", async () => {
    await using opened = await openReport(browser, lostInFailover(), { colorScheme: "dark" });
    const { page } = opened;
    const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await keepScreenshot(page, "dark");
    expect(await ground()).toBe("rgb(20, 23, 28)");
    await page.click(".theme");
    expect(await page.textContent(".theme")).toBe("Theme: light");
    expect(await ground()).toBe("rgb(255, 255, 255)");
    await page.click(".theme");
    expect(await ground()).toBe("rgb(20, 23, 28)");
    await page.click(".theme");
    expect(await page.textContent(".theme")).toBe("Theme: auto");
  });

  test("several runs: one is shown at a time, each with its own timeline; the matrix says everything in words", async () => {
    const summary = {
      cells: [
        { lock: "single", fault: "none", expected: "holds", found: "holds", runs: 20 },
        { lock: "single", fault: "failover", expected: "broken", found: "broken", runs: 3, run: 0 },
        {
          lock: "fenced",
          fault: "none",
          expected: "holds",
          found: "broken",
          runs: 4,
          note: "double-grant",
          command: "npx lockstorm hunt --all",
        },
      ],
    } as const;
    await using opened = await openReport(browser, {
      title: "Hunt",
      runs: Object.values(EXAMPLE_RUNS).map((make) => make()),
      summary,
    });
    const { page } = opened;
    await keepScreenshot(page, "matrix");
    expect(await page.locator("section.run:visible").count()).toBe(1);
    const cells = await page.locator(".matrix td").allInnerTexts();
    expect(cells.map((text) => text.trim().replaceAll(/\s+/g, " "))).toEqual([
      "✓ expected holds, found holds in 20 runs",
      "✗ expected broken, found broken in 3 runs, show the run",
      "✗ expected holds, found broken in 4 runs (double-grant), show the command",
      "not run",
    ]);
    expect(await page.locator(".cell-info").isVisible()).toBe(false);
    await page.click(".show-cell");
    expect(await page.locator(".cell-info").innerText()).toContain("npx lockstorm hunt --all");
    await page.selectOption("#run-chooser", { index: 3 });
    await page.waitForSelector("#run-3[data-ready]");
    expect(await page.locator("section.run:visible").getAttribute("id")).toBe("run-3");
    expect(await page.locator("#run-3 .match-count").textContent()).toBe("63 events");
    await page.click(".show-run");
    expect(await page.locator("section.run:visible").getAttribute("id")).toBe("run-0");
    expect(opened.complaints).toEqual([]);
  });

  test("a narrow window scrolls inside of what is wide, never as a whole", async () => {
    const title = "replay of node_modules/lockstorm/a/path/without/any/space/to/break/at/plan.json";
    await using opened = await openReport(browser, { ...lostInFailover(), title }, { width: 390, height: 800 });
    const { page } = opened;
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    expect(widths[0]).toBeLessThanOrEqual(widths[1] ?? 0);
    await page.locator(".timeline-block").scrollIntoViewIfNeeded();
    await keepScreenshot(page, "narrow");
  });

  test("for a screen reader: names for all controls, headers for all tables, no id twice", async () => {
    await using opened = await openReport(browser, releaseAfterLoss());
    const lacking = await opened.page.evaluate(() => {
      const nameless = [
        ...document.querySelectorAll("button, input, select, [role=grid], [role=application], [role=region]"),
      ].filter(
        (element) =>
          !(element.getAttribute("aria-label") ?? "") &&
          !element.getAttribute("aria-labelledby") &&
          !element.closest("label")?.textContent?.trim() &&
          !element.textContent?.trim(),
      );
      const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
      return {
        nameless: nameless.map((element) => element.outerHTML.slice(0, 80)),
        headless: [...document.querySelectorAll("table")].filter((table) => !table.querySelector("th[scope=col]"))
          .length,
        twice: ids.filter((id, index) => ids.indexOf(id) !== index),
        unreachable: [...document.querySelectorAll(".scroll, pre")].filter(
          (element) => element.getAttribute("tabindex") !== "0",
        ).length,
      };
    });
    expect(lacking).toEqual({ nameless: [], headless: 0, twice: [], unreachable: 0 });
    const tree = await opened.page.locator("#content").ariaSnapshot();
    expect(tree).toContain('application "Timeline of the run"');
    expect(tree).toContain('grid "Events"');
    expect(tree).toMatch(/heading ".*A client released or extended a lock that was not its own 2 times" \[level=3\]/);
  });

  test("what a history smuggles in is text, and would not run if it were not", async () => {
    const attack = `</script><script>alert(1)</script><img src=x onerror="alert(2)">`;
    const run = lostInFailover();
    const events = run.history.events.map((event) =>
      event.type === "ok" && event.f === "acquire" ? { ...event, value: { ...event.value, owner: attack } } : event,
    );
    const verdict = { ...run.verdict, remarks: [attack] };
    await using opened = await openReport(browser, {
      ...run,
      title: attack,
      verdict,
      history: { ...run.history, events },
    });
    const { page } = opened;
    await page.fill(".search", "alert");
    await page.click(".event-body [role=row]");
    expect(await page.textContent(".details")).toContain("alert(2)");
    expect(opened.complaints).toEqual([]);
    expect(opened.requests).toEqual([]);
    await page.evaluate(() =>
      document.body.append(Object.assign(document.createElement("script"), { textContent: "alert(3)" })),
    );
    await expect.poll(() => opened.complaints.join()).toContain("Content Security Policy");
    expect(opened.complaints.join()).not.toContain("dialog");
  });

  test("however many writes there are, a frame draws no more circles than the screen has pixels", async () => {
    await using opened = await openReport(browser, longRun(45_000, 3), { width: 1440, height: 900 });
    const { page } = opened;
    await page.click(".zoom-all");
    const circles = await page.evaluate(async () => {
      const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
      await frame();
      await frame();
      const drawing = CanvasRenderingContext2D.prototype;
      // oxlint-disable-next-line typescript/unbound-method -- called with its context
      const { arc } = drawing;
      let count = 0;
      drawing.arc = function counted(...values) {
        count += 1;
        arc.apply(this, values);
      };
      window.document.querySelector<HTMLElement>(".zoom-in")?.click();
      await frame();
      await frame();
      return count;
    });
    expect(circles).toBeGreaterThan(100);
    expect(circles).toBeLessThan(1440);
  });

  test("a hundred thousand events are opened, searched, zoomed and painted", async () => {
    const run = longRun(100_000);
    const document = renderHtml({ runs: [run] });
    expect(document.length).toBeLessThan(4_000_000);
    const began = performance.now();
    await using opened = await openDocument(browser, "report.html", document);
    const { page } = opened;
    await page.waitForSelector("section.run[data-ready]");
    const openedMs = performance.now() - began;
    await page.click(".zoom-all");
    await page.locator(".timeline-block").scrollIntoViewIfNeeded();
    const frameMs = await page.evaluate(async () => {
      const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
      await frame();
      const from = performance.now();
      const button = window.document.querySelector<HTMLElement>(".zoom-in");
      for (let step = 0; step < 20; step += 1) {
        button?.click();
        await frame();
      }
      return (performance.now() - from) / 20;
    });
    await page.click(".zoom-all");
    await keepScreenshot(page, "hundred-thousand");
    const searchBegan = performance.now();
    await page.fill(".search", "thief");
    await expect.poll(() => page.textContent(".match-count"), { timeout: 20_000 }).toMatch(/^2 of 100,0\d\d events$/);
    const searchMs = performance.now() - searchBegan;
    process.stderr.write(
      `100,000 events: ${(document.length / 1e6).toFixed(1)} MB, open ${openedMs.toFixed(0)} ms, frame ${frameMs.toFixed(0)} ms, search ${searchMs.toFixed(0)} ms\n`,
    );
    expect(opened.complaints).toEqual([]);
  });

  test("JUnit XML and the diagrams are well-formed XML to a real parser", async () => {
    await using opened = await openDocument(browser, "empty.html", "<!doctype html><title>x</title>");
    const runs = Object.values(EXAMPLE_RUNS).map((make) => make());
    const documents = [renderJunit({ runs }), ...runs.flatMap((run) => renderSvg(run) ?? [])];
    expect(documents.length).toBeGreaterThan(1);
    const errors = await opened.page.evaluate(
      (texts) =>
        texts.map(
          (text) =>
            new DOMParser().parseFromString(text, "application/xml").querySelector("parsererror")?.textContent ?? "",
        ),
      documents,
    );
    expect(errors).toEqual(documents.map(() => ""));
  });
});
