import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { CampaignJournal } from "../../campaign/campaign-journal.ts";
import { readStore } from "../store/read-store.ts";
import { runMain, type MainResult } from "../testing/run-main.ts";

const HOSTILE = `"><script>alert(1)</script>\u202e`;

let store: string;
let opened: MainResult;
let page: string;
beforeAll(async () => {
  store = mkdtempSync(join(tmpdir(), "lockstorm-open-"));
  await runMain(["reproduce", "async-failover", "--store", store]);
  await runMain(["reproduce", "async-failover", "--no-faults", "--store", store]);
  const identity = { kind: "hunt", parameters: { lock: "fenced", seed: 1 } } as const;
  const journal = CampaignJournal.open(store, "hunt-fenced-single", identity, { resume: false, schema: z.json() });
  for (const position of [0, 1]) journal.append({ position });
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
}, 60_000);
afterAll(() => rmSync(store, { recursive: true }));

test("the command says how much there is, and where", () => {
  expect(opened).toMatchObject({ code: 0, stderr: "" });
  expect(opened.stdout).toContain("3 runs, 1 of them invalid, 1 not readable; 2 hunts, tables and other pages\n");
  const [, address = ""] = /^ {2}(file:\S+)$/m.exec(opened.stdout) ?? [];
  expect(readFileSync(fileURLToPath(address), "utf8")).toBe(page);
});

test("the store is read: the newest run first, what is not judged, what is no run", () => {
  const { runs, campaigns, unreadable } = readStore(store);
  expect(runs.map(({ title, verdict, causes }) => ({ title, verdict, causes }))).toEqual([
    { title: HOSTILE, verdict: "unfinished", causes: [] },
    expect.objectContaining({ verdict: "valid" }),
    { title: "async-failover", verdict: "invalid", causes: ["lost-in-failover"] },
  ]);
  expect(runs.at(-1)).toMatchObject({ lock: "single", topology: "sentinel", backend: "simulated", seed: 1 });
  expect(campaigns).toEqual([
    {
      name: "hunt-fenced-single",
      about: "hunt, fenced, seed 1: 2 pieces of work done",
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
