import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { renderHtml } from "../html/html.ts";
import type { Report, RunRecord } from "../run/run-record.ts";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const found = [process.env["LOCKSTORM_CHROMIUM"], ...PLACES].find((path) => path !== undefined && existsSync(path));

/**
 * The path of Chromium, or undefined with a warning on standard error. It must be there in CI, where a skipped test
 * would be taken for a passed one, and with LOCKSTORM_REQUIRE_BROWSER=1.
 */
export function findChromium(): string | undefined {
  if (found !== undefined) return found;
  const hint = "install chromium, or set LOCKSTORM_CHROMIUM to its path";
  if (["CI", "LOCKSTORM_REQUIRE_BROWSER"].some(isSet)) throw new Error(`no Chromium: ${hint}`);
  process.stderr.write(`\nSKIPPED: the HTML report was not tested, because there is no Chromium here (${hint}).\n\n`);
  return undefined;
}

function isSet(variable: string): boolean {
  return !["", "0", "false"].includes(process.env[variable] ?? "");
}

/** A headless Chromium with a profile of its own that starts nothing in the background. */
export function launchChromium(executablePath: string): Promise<Browser> {
  const quiet = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
  const args = ["--no-sandbox", ...quiet, "--disable-component-update", "--disable-sync"];
  return chromium.launch({ executablePath, headless: true, args });
}

/** A page that shows a file, and everything that went wrong on it. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** Errors and warnings of the console, uncaught errors, dialogs. */
  readonly complaints: readonly string[];
  /** Addresses that the page requested, besides its own. */
  readonly requests: readonly string[];
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: "light" | "dark";
}

/** Opens a document as a file, the way a reader does. */
export async function openDocument(browser: Browser, name: string, content: string, options: PageOptions = {}): Promise<OpenPage> {
  const folder = mkdtempSync(join(tmpdir(), "lockstorm-page-"));
  const path = join(folder, name);
  writeFileSync(path, content);
  const { width = 1300, height = 900, colorScheme = "light" } = options;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`uncaught: ${error.message}`));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (request.url() !== `file://${path}`) requests.push(request.url());
  });
  await page.goto(`file://${path}`);
  return {
    page,
    complaints,
    requests,
    [Symbol.asyncDispose]: async () => {
      await context.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Keeps a screenshot of the page where LOCKSTORM_SCREENSHOTS names a folder, for people to look at. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env["LOCKSTORM_SCREENSHOTS"];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** Opens the HTML report of one or several runs, and waits until its first timeline has been drawn. */
export async function openReport(browser: Browser, report: RunRecord | Report, options?: PageOptions): Promise<OpenPage> {
  const document = renderHtml("runs" in report ? report : { runs: [report] });
  const opened = await openDocument(browser, "report.html", document, options);
  try {
    await opened.page.waitForSelector("section.run[data-ready]");
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw new Error(`the report did not come to life: ${opened.complaints.join("; ")}`, { cause: error });
  }
  return opened;
}

/** The stretch of time that the timeline shows, in milliseconds. */
export async function shown(page: Page): Promise<readonly [from: number, to: number]> {
  const [, from, to] = /([\d.,]+) to ([\d.,]+) ms/.exec((await page.textContent(".span-shown")) ?? "") ?? [];
  return [Number(from?.replaceAll(",", "")), Number(to?.replaceAll(",", ""))];
}

/** The place of a time on the screen, this many pixels below the top of the timeline. */
export async function placeOf(page: Page, ms: number, fromTop: number): Promise<{ readonly x: number; readonly y: number }> {
  const box = await page.locator(".timeline-canvas").boundingBox();
  if (box === null) throw new Error("the timeline is not there");
  const [from, to] = await shown(page);
  const names = 96;
  return { x: box.x + names + ((ms - from) / (to - from)) * (box.width - names), y: box.y + fromTop };
}
