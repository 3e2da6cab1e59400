// @module-tag long
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { follow } from "../../packaging/walkthrough.ts";
import { verifyLock } from "../verify/verify-lock.ts";
import { scaffold } from "./scaffold.ts";
import { runCli } from "./testing/run-cli.ts";

const root = new URL("../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");

interface Shown {
  readonly page: string;
  readonly command: string;
  /** What the page shows of the output; between two parts it left something out. */
  readonly parts: readonly string[];
}

/** The indented blocks of a page that begin with a prompt; a line of three dots stands for lines left out. */
function shownOn(page: string): readonly Shown[] {
  return [...read(page).matchAll(/^ {4}\$ npx lockstorm (.*)\n((?: {4}.*\n)+)/gm)].map(
    ([, command = "", output = ""]) => ({
      page,
      command,
      parts: output.split(/^ {4}\.\.\.$/m).map(oneLine),
    }),
  );
}

/** Lines are broken by the width of the page, and of the terminal. */
function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}

const pages = ["README.md", ...readdirSync(new URL("docs", root)).map((name) => `docs/${name}`)];
const shown = pages.filter((page) => page.endsWith(".md")).flatMap(shownOn);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-shown-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("pages show outputs of commands", () => {
  expect(shown.length).toBeGreaterThan(1);
});

test.each(shown)("$page shows what `$command` prints now", async ({ command, parts }) => {
  const { stdout } = await runCli(command.split(" "), { cwd: folder });
  for (const part of parts) expect(oneLine(stdout)).toContain(part);
});

test("docs/getting-started.md shows the schedule that its red test finds now", async () => {
  const page = read("docs/getting-started.md");
  symlinkSync(new URL("node_modules", root), join(folder, "node_modules"));
  scaffold(folder);
  const ownLock = page.slice(page.indexOf("## 2."), page.indexOf("## 3."));
  await follow(ownLock, folder, { env: process.env, replace: (command) => command });
  const lock = join(folder, "my-lock.mts");
  const broken = verifyLock({
    lock,
    title: "my lock keeps its word",
    topology: "single",
    store: folder,
    budgetMs: 600_000,
  });
  const { message } = await broken.then(
    () => ({ message: "nothing broke" }),
    (error: Error) => error,
  );
  const [, printed = page] = /```console\n(.*?\nHow close it was\n[^\n]*)/s.exec(page) ?? [];
  expect(oneLine(message.replaceAll(/\S*my-lock\.mts/g, "./my-lock.mts"))).toContain(
    oneLine(printed.replace("LockBrokenError:", "")),
  );
});
