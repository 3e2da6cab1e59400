import { expect, test } from "vitest";
import type { RunNote } from "../../core/run-note.ts";
import { HuntCount } from "./hunt-count.ts";
import type { HuntEntry, HuntParameters } from "./hunt-journal.ts";

const parameters: HuntParameters = {
  lock: "single",
  topology: { kind: "single" },
  faults: ["reset"],
  seed: 1,
  runs: 6,
  shrinkRuns: 0,
  regressions: ["a-plan"],
};

const idle = { kind: "undecided", what: "no lock was ever contended" } as const;
const skipped = { kind: "undecided", what: "reset was skipped" } as const;
const nothing = { kind: "nothing-promised", what: "reset" } as const;
const entries: readonly HuntEntry[] = [
  { position: 0, verdict: "valid", held: ["lease-exclusion"] },
  { position: 1, verdict: "unknown", notes: [idle, skipped], folder: "runs/first" },
  { position: 2, verdict: "unknown", notes: [skipped, idle], folder: "runs/second" },
  { position: 3, verdict: "unknown", notes: [nothing] },
  { position: 4, verdict: "valid", orders: ["x", "y"], held: ["lease-exclusion"] },
  { position: 5, verdict: "valid", orders: ["y"] },
];
const broken: HuntEntry = { position: 5, verdict: "invalid", shrinks: 2, path: "5:0", folder: "runs/broken" };

function findingsOf(of: readonly HuntEntry[], last?: number) {
  const count = new HuntCount(parameters, last);
  for (const entry of of) count.add(entry);
  return count.findings(7);
}

test("counts runs by what they decided, and names the first run of each note", () => {
  expect(findingsOf(entries)).toMatchObject({
    runs: 6,
    valid: 3,
    unknown: 2,
    unpromised: 1,
    repeated: 1,
    fixed: 1,
    missing: 1,
    held: [{ property: "lease-exclusion", runs: 2 }],
    notes: [
      { ...idle, runs: 2, folder: "runs/first" },
      { ...skipped, runs: 2, folder: "runs/first" },
      { ...nothing, runs: 1 },
    ],
    residualRisk: { runs: 2, valid: 2, orders: 2 },
    counterexample: undefined,
  });
});

test("a plan that broke the lock before is not fixed where it breaks what is not required now", () => {
  const fixedWith = (kind: RunNote["kind"]): number =>
    findingsOf([{ position: 0, verdict: "valid", notes: [{ kind, what: "lease-exclusion" }] }]).fixed;
  expect((["not-claimed", "not-promisable", "not-asked"] as const).map(fixedWith)).toEqual([0, 0, 0]);
  expect(fixedWith("outlived")).toBe(1);
});

test("counts apart the unknown runs that leave nothing open but what the lock did to its client or a server", () => {
  const crashed = { kind: "crashed", what: "unhandledRejection" } as const;
  const flooded = { kind: "flooded", what: "client sent N messages" } as const;
  const outlived = { kind: "outlived", what: "no client wrote" } as const;
  const findings = findingsOf([
    ...entries,
    { position: 6, verdict: "unknown", notes: [outlived, crashed] },
    { position: 7, verdict: "unknown", notes: [flooded] },
    { position: 8, verdict: "unknown", notes: [idle, crashed] },
    { position: 9, verdict: "unknown", notes: [nothing, crashed] },
    { position: 10, verdict: "valid", notes: [outlived] },
  ]);
  expect(findings).toMatchObject({ unknown: 5, crashedOrFlooded: 2, unpromised: 2 });
  expect(findingsOf(entries).crashedOrFlooded).toBe(0);
});

test("names each promised property that was neither valid nor undecided in any run", () => {
  const promised = ["lease-exclusion", "owner-release", "deadlock-freedom", "first-come-first-served"] as const;
  const count = new HuntCount({ ...parameters, promised });
  for (const entry of entries) count.add(entry);
  count.add({ position: 6, verdict: "unknown", open: ["owner-release"] });
  const untested = () => count.findings(7).notes.filter(({ kind }) => kind === "untested");
  expect(untested()).toEqual([
    { kind: "untested", what: "deadlock-freedom", runs: 7 },
    { kind: "untested", what: "first-come-first-served", runs: 7 },
  ]);
  count.add({ ...broken, position: 7 });
  expect(untested()).toEqual([]);
});

test("counts the same in whatever order the entries come, and each once", () => {
  const inOrder = findingsOf(entries);
  expect(findingsOf(entries.toReversed())).toEqual(inOrder);
  const [odd, even] = [1, 0].map((rest) => entries.filter(({ position }) => position % 2 === rest));
  expect(findingsOf([...(odd ?? []), ...(even ?? []), ...entries])).toEqual(inOrder);
});

test("with a counterexample, what comes after it does not count", () => {
  const found = findingsOf([...entries.slice(0, 5), { position: 6, verdict: "valid" }, broken], 5);
  expect(found).toMatchObject({ runs: 6, valid: 2, missing: 0, residualRisk: undefined, counterexample: broken });
  expect(found).toEqual(findingsOf([...entries.slice(0, 5), broken]));
});
