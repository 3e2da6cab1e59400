import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { CampaignJournal } from "../../campaign/campaign-journal.ts";
import { faults } from "../../../faults/registry.ts";
import { catalogue } from "../../../workloads/catalogue.ts";
import { PROPERTIES } from "../../core/verdict.ts";
import { StoreReader } from "../store/read-store.ts";
import { runMain, type MainResult } from "../testing/run-main.ts";

const HOSTILE = `"><script>alert(1)</script>\u202e`;

let store: string;
let opened: MainResult;
let page: string;
beforeAll(async () => {
  store = mkdtempSync(join(tmpdir(), "lockstorm-open-"));
  await runMain(["reproduce", "async-failover", "--store", store]);
  await runMain(["reproduce", "async-failover", "--no-faults", "--store", store]);
  const identity = { kind: "hunt", parameters: { lock: "fenced", seed: 1, runs: 3 } } as const;
  const journal = CampaignJournal.open(store, "hunt-fenced-single", identity, { resume: false, schema: z.json() });
  for (const position of [0, 1]) journal.append({ position, verdict: "valid" });
  journal[Symbol.dispose]();
  writeFileSync(join(store, "hunt-fenced-single.html"), "");
  // A run of somebody else's, cut short; one that is none; a page of another name.
  const [recorded = ""] = readdirSync(join(store, "runs"));
  const plan = JSON.parse(readFileSync(join(store, "runs", recorded, "plan.json"), "utf8")) as object;
  mkdirSync(join(store, "runs", "hostile"));
  writeFileSync(join(store, "runs", "hostile", "plan.json"), JSON.stringify({ ...plan, lock: HOSTILE }));
  mkdirSync(join(store, "runs", "empty"));
  writeFileSync(join(store, "debate.html"), "");
  opened = await runMain(["open", "--store", store]);
  page = readFileSync(join(store, "index.html"), "utf8");
});
afterAll(() => rmSync(store, { recursive: true }));

test("the command says how much there is, and where", () => {
  expect(opened).toMatchObject({ code: 0, stderr: "" });
  expect(opened.stdout).toContain("3 runs, 1 of them invalid, 1 not readable; 2 hunts, explorations and tables\n");
  const [, address = ""] = /^ {2}(file:\S+)$/m.exec(opened.stdout) ?? [];
  expect(readFileSync(fileURLToPath(address), "utf8")).toBe(page);
});

test("the store is read: the newest run first, what is not judged, what is no run", async () => {
  const { runs, campaigns, unreadable } = await new StoreReader(store).read();
  expect(runs.map(({ title, verdict, causes }) => ({ title, verdict, causes }))).toEqual([
    { title: HOSTILE, verdict: "unfinished", causes: [] },
    expect.objectContaining({ verdict: "valid" }),
    { title: "async-failover", verdict: "invalid", causes: ["lost-in-failover"] },
  ]);
  expect(runs.at(-1)).toMatchObject({ lock: "single", topology: "sentinel", backend: "simulated", seed: 1 });
  expect(campaigns).toEqual([
    {
      name: "hunt-fenced-single",
      about: "hunt, fenced, seed 1: 2 of 3 runs done, 2 valid",
      done: 2,
      wanted: 3,
      page: "hunt-fenced-single.html",
    },
    { name: "debate", about: "a page", page: "debate.html" },
  ]);
  expect(unreadable).toEqual([{ folder: "runs/empty", why: expect.stringContaining("plan.json") as string }]);
});

test("every link leads to a file of the store", () => {
  const links = [...page.matchAll(/<a href="([^"#]*)"/g)].map(([, link = ""]) => link);
  expect(links).toHaveLength(4);
  for (const link of links) expect(() => readFileSync(join(store, decodeURIComponent(link)))).not.toThrow();
});

test("what others wrote is text on the page, and nothing is fetched", () => {
  expect(page).not.toContain("<script>alert");
  expect(page).not.toContain("\u202e");
  expect(page).toMatch(/content="default-src (?:'|&#39;)none/);
  expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
});

test("opened again, it lists itself not", async () => {
  expect((await runMain(["open", "--store", store])).stdout).toBe(opened.stdout);
});

test("a store that is not there is refused in one line", async () => {
  expect(await runMain(["open", "--store", join(store, "nowhere")])).toEqual({
    code: 254,
    stdout: "",
    stderr: `lockstorm: there is no store ${join(store, "nowhere")}; run something first: npx lockstorm reproduce async-failover\n`,
  });
});

describe("a site to publish", () => {
  let folder: string;
  let written: MainResult;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "lockstorm-site-"));
    written = await runMain(["open", "--store", store, "--static", folder]);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("has every page that its pages link to, and each part of one that they name", () => {
    expect(written).toMatchObject({ code: 0 });
    const pages = ["index.html", "catalogue.html", "glossary.html", "api.html"];
    for (const name of pages) {
      const text = readFileSync(join(folder, name), "utf8");
      const links = [...text.matchAll(/<a (?:[^>]*?)href="([^"]*)"/g)].map(([, link = ""]) => link);
      for (const link of links.filter((each) => !/^https?:/.test(each))) {
        const [file = "", part] = link.split("#");
        const target = readFileSync(join(folder, file === "" ? name : decodeURIComponent(file)), "utf8");
        if (part !== undefined) expect(target, link).toContain(`id="${part}"`);
      }
    }
  });

  test("names no folder of this machine", () => {
    expect(readFileSync(join(folder, "index.html"), "utf8")).not.toContain(store);
  });

  test("shows each scenario of the catalogue, with its picture where it breaks something", () => {
    const gallery = readFileSync(join(folder, "catalogue.html"), "utf8");
    for (const { slug } of catalogue) expect(gallery).toContain(`<li id="${slug}">`);
    const widths = [...gallery.matchAll(/<svg [^>]*viewBox="0 0 (\d+) \d+"[^>]*class="story-picture"/g)].map(
      ([, width]) => width,
    );
    expect(widths.length).toBeGreaterThan(catalogue.length / 2);
    // Drawn for the width of a card, so that its letters keep their size.
    expect(new Set(widths)).toEqual(new Set(["372"]));
    expect(readFileSync(join(folder, "catalogue", "async-failover.html"), "utf8")).toContain("async-failover");
  });

  test("explains every fault and every property", () => {
    const text = readFileSync(join(folder, "glossary.html"), "utf8");
    for (const { kind } of faults) expect(text).toContain(`<dt id="${kind}">`);
    for (const property of PROPERTIES) expect(text).toContain(`<dt id="${property}">`);
  });
});

test("--live and --static together are refused", async () => {
  expect(await runMain(["open", "--store", store, "--live", "--static", "x"])).toMatchObject({ code: 254 });
});

test("what hunts came to stays, with the commit, when their pages are written again", { tags: "long" }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "lockstorm-outcomes-"));
  const words = ["hunt", "--lock", "fenced", "--faults", "none", "--runs", "3", "--seed", "1", "--store", folder];
  for (const commit of ["1111111111", "2222222222"]) await runMain(words, { env: { GITHUB_SHA: commit }, cwd: folder });
  await runMain(["open", "--store", folder]);
  const text = readFileSync(join(folder, "index.html"), "utf8");
  expect(text).toContain("<code>11111111</code>");
  expect(text.indexOf("<code>22222222</code>")).toBeLessThan(text.indexOf("<code>11111111</code>"));
  rmSync(folder, { recursive: true });
});
