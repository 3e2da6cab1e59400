import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { StoreReader } from "./read-store.ts";

const root = mkdtempSync(join(tmpdir(), "lockstorm-read-store-"));
afterAll(() => rmSync(root, { recursive: true }));

let store = "";
let stores = 0;
beforeEach(() => {
  store = join(root, String((stores += 1)));
  mkdirSync(join(store, "runs"), { recursive: true });
});

const PLAN = JSON.stringify({ lock: "single", seed: 7, topology: { kind: "single" }, faults: [{ kind: "reset" }] });
const VALID = JSON.stringify({ verdict: "valid", properties: {} });

/** Writes a run that ended this long ago, or has no verdict yet. @returns its name */
function writeRun(place: number, endedMsAgo?: number): string {
  const name = `2026-01-31T12-${String(place % 60).padStart(2, "0")}-00-${place}`;
  const folder = join(store, "runs", name);
  mkdirSync(folder);
  writeFileSync(join(folder, "plan.json"), PLAN);
  if (endedMsAgo !== undefined) {
    const verdict = join(folder, "verdict.json");
    writeFileSync(verdict, VALID);
    const ended = (Date.now() - endedMsAgo) / 1000;
    utimesSync(verdict, ended, ended);
  }
  return name;
}

const HOUR_MS = 3_600_000;

test("runs that ended long ago are read once, by this reader and by the next", async () => {
  const names = Array.from({ length: 300 }, (_, place) => writeRun(place, HOUR_MS));
  const [first = ""] = names;
  const { runs } = await new StoreReader(store).read();
  expect(runs).toHaveLength(300);
  const plan = join(store, "runs", first, "plan.json");
  writeFileSync(plan, PLAN.replace("single", "changed"));
  const again = await new StoreReader(store).read();
  expect(again.runs).toEqual(runs);
  // Another run in its folder is another name.
  const fresh = writeRun(301, HOUR_MS);
  expect((await new StoreReader(store).read()).runs.map(({ folder }) => folder)).toContain(`runs/${fresh}`);
});

test("one that ended a moment ago is read again: its causes may be proven, and its report drawn", async () => {
  const name = writeRun(1, 0);
  const reader = new StoreReader(store);
  expect((await reader.read()).runs[0]).toMatchObject({ hasReport: false });
  writeFileSync(join(store, "runs", name, "report.html"), "");
  expect((await reader.read()).runs[0]).toMatchObject({ hasReport: true });
});

test("one that is deleted is gone, and one that ends is not unfinished any more", async () => {
  const [deleted, running] = [writeRun(1, HOUR_MS), writeRun(2)];
  const reader = new StoreReader(store);
  expect((await reader.read()).runs.map(({ verdict }) => verdict)).toEqual(["unfinished", "valid"]);
  rmSync(join(store, "runs", deleted), { recursive: true });
  writeFileSync(join(store, "runs", running, "verdict.json"), VALID);
  expect((await reader.read()).runs.map(({ folder, verdict }) => [folder, verdict])).toEqual([
    [`runs/${running}`, "valid"],
  ]);
});

test("an index that is torn or strange is read again", async () => {
  for (let place = 0; place < 260; place += 1) writeRun(place, HOUR_MS);
  const { runs } = await new StoreReader(store).read();
  const index = join(store, "runs.index");
  const text = readFileSync(index, "utf8");
  for (const broken of [text.slice(0, 700), "x\n", text.replaceAll('"valid"', '"green"'), ""]) {
    writeFileSync(index, broken);
    expect((await new StoreReader(store).read()).runs).toEqual(runs);
  }
});
