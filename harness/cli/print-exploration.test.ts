import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lostInFailover } from "../../reports/testdata/example-runs.ts";
import type { ExploreFindings } from "../campaign/explore/explore-journal.ts";
import { printExploration } from "./print-exploration.ts";
import { useDevice } from "./terminal.ts";

let store: string;
beforeAll(() => {
  store = mkdtempSync(join(tmpdir(), "lockstorm-print-exploration-"));
});
afterAll(() => rmSync(store, { recursive: true }));

const LEVEL = { families: 1, missing: 0, symmetric: 0, alike: 0 };
const FINDINGS: ExploreFindings = {
  parameters: {
    lock: "single",
    topology: { kind: "single" },
    faults: ["pause-client"],
    deviations: 1,
    seed: 1,
    reduction: true,
    resolutionMs: 10,
    longestMs: 4000,
    keepGoing: false,
    workload: "",
  },
  levels: [
    { ...LEVEL, deviations: 0, schedules: 1, newClasses: 1 },
    { ...LEVEL, deviations: 1, families: 178, schedules: 1825, newClasses: 209, symmetric: 3, alike: 4 },
  ],
  schedules: 1826,
  classes: 210,
  outcomes: { valid: 1817, unknown: 9, unpromised: 0, invalid: 0 },
  notes: [{ kind: "undecided", what: "no lock was ever contended", runs: 9 }],
  complete: true,
};

/** Prints an exploration, and gives its exit code, what it printed, and the words of its page. */
async function printed(findings: ExploreFindings, json = false) {
  const written = ["", "", ""];
  const decoder = new TextDecoder();
  using _ = useDevice({
    isTerminal: () => false,
    columns: undefined,
    write(stream, bytes) {
      written[stream] += decoder.decode(bytes);
      return bytes.length;
    },
  });
  const name = "explore-single-single";
  const code = await printExploration({ name, store, findings, reason: "interrupted" }, json);
  const page = readFileSync(join(store, `${name}.html`), "utf8");
  const [, body = ""] = /<main[^>]*>(.*)<\/main>/s.exec(page) ?? [];
  return { code, text: written[1] ?? "", page: body.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ") };
}

describe("an exploration", () => {
  test("has a page that says what was run, what follows, and what was not tried", async () => {
    const { code, text, page } = await printed(FINDINGS);
    expect(code).toBe(0);
    expect(text).toContain(`Report\n  ${join(store, "explore-single-single.html")}`);
    expect(page).toContain(
      "All 1,826 schedules with up to 1 deviation were run: none breaks single, and 9 decided nothing.",
    );
    expect(page).toMatch(/1,826 runs 1,817 valid 9 unknown 0 broke the lock/);
    expect(page).toMatch(/left out as equal 0 1 1 1 0 1 178 1,825 209 7/);
    expect(page).toContain("What was not tried more than 1 deviation");
    expect(page).toContain("no lock was ever contended: 9 runs");
    expect(text).toContain("Unknown, by reason\n  - no lock was ever contended: 9 runs");
    // A systematic exploration is no sample.
    expect(page).not.toContain("(95 %)");
  });

  test("that goes on after the first violation counts all of them", async () => {
    const outcomes = { valid: 1745, unknown: 9, unpromised: 0, invalid: 72 };
    const { code, page } = await printed({ ...FINDINGS, outcomes, broken: { path: "68@152.643" } });
    expect(code).toBe(1);
    expect(page).toMatch(/1,826 runs 1,745 valid 9 unknown 72 broke the lock/);
    expect(page).toContain("broken in 72 of 1,826 runs");
    expect(page).toContain("A schedule with 1 fault breaks single. It was not kept, because interrupted: ");
    expect(page).not.toContain("68@152.643");
  });

  test("shows the schedule that breaks the lock, in words and with the command that runs it again", async () => {
    const folder = join(store, "runs", "kept");
    const plan = { ...lostInFailover().plan, lock: "single" };
    const lines = [lostInFailover().history.header, ...lostInFailover().history.events];
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "plan.json"), JSON.stringify(plan));
    writeFileSync(join(folder, "history.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    writeFileSync(join(folder, "verdict.json"), JSON.stringify(lostInFailover().verdict));
    const broken = { path: "12@152.643/4", folder: "runs/kept" };
    const { code, text, page } = await printed({ ...FINDINGS, complete: false, broken });
    expect(code).toBe(1);
    const words = `A schedule with 2 faults (partition, kill-node) breaks single. To run it again: npx lockstorm replay ${join(folder, "plan.json")}`;
    expect(text.replaceAll("\n", " ")).toContain(words);
    expect(page).toContain(words);
    // The story comes before the figures.
    expect(page.indexOf("INVALID")).toBeGreaterThan(0);
    expect(page.indexOf("INVALID")).toBeLessThan(page.indexOf("schedules run"));
    expect(text).not.toContain("12@152.643");
  });

  test("that is not complete says what is missing", async () => {
    const [workload, level] = FINDINGS.levels;
    if (workload === undefined || level === undefined) throw new Error("two levels");
    const { code, page } = await printed({
      ...FINDINGS,
      complete: false,
      levels: [workload, { ...level, missing: 78 }],
    });
    expect(code).toBe(2);
    expect(page).toContain("Not complete: interrupted. Continue with --resume.");
    expect(page).toMatch(/not explored .* 178 78 1,825/);
  });

  test("prints nothing but JSON for programs, and writes its page all the same", async () => {
    const { text, page } = await printed(FINDINGS, true);
    expect(JSON.parse(text)).toMatchObject({ verdict: "valid", schedules: 1826, notes: FINDINGS.notes });
    expect(page).toContain("none breaks single");
  });
});
