import { describe, expect, test } from "vitest";
// First: it patches the platform.
import { Explorer, type ExplorerWork, type ExploredSchedule, type Reductions } from "./explorer.ts";
import { smallWorkload } from "./testing/small-workload.ts";
import type { TopologyKind } from "../../core/topologies/registry.ts";

const REDUCED: Reductions = { perHost: true, symmetry: true, regions: true };

function workOn(lock: string, kind: TopologyKind, kinds: readonly string[], longestMs = 700): ExplorerWork {
  const plan = smallWorkload(lock, kind);
  return { plan, kinds, title: "test", basis: "claims", reductions: REDUCED, longestMs, resolutionMs: 20 };
}

/** All schedules with one deviation. */
async function levelOne(work: ExplorerWork): Promise<readonly ExploredSchedule[]> {
  const explorer = new Explorer(work);
  const { kept } = await explorer.extensionsOf([]);
  const schedules: ExploredSchedule[] = [];
  for (const family of kept) schedules.push(...(await explorer.explore([], family)).schedules);
  return schedules;
}

/** Every way in which schedules came out: outcomes, and what was noted beside them. */
function findings(schedules: readonly ExploredSchedule[]): ReadonlySet<string> {
  return new Set(
    schedules.flatMap(({ outcome, notes }) => [outcome, ...notes.map(({ kind, what }) => `${kind}: ${what}`)]),
  );
}

describe("reductions find what full enumeration finds, in fewer runs", () => {
  test("one length on each side of each deadline, and one moment for each host", { tags: "long" }, async () => {
    const work = workOn("set-px", "single", ["pause-client"], 400);
    const all = await levelOne({
      ...work,
      // No multiple of it is a deadline to the millisecond, which a length cannot be on a side of.
      resolutionMs: 17,
      reductions: { perHost: false, symmetry: false, regions: false },
    });
    const few = await levelOne({ ...work, resolutionMs: 20 });
    expect(findings(few)).toEqual(findings(all));
    expect(findings(few)).toContain("invalid");
    expect(few.length).toBeLessThan(all.length);
  });

  test("one of equal servers", { tags: "long" }, async () => {
    const work = workOn("redlock", "redlock", ["eviction"]);
    const all = await levelOne({ ...work, reductions: { ...REDUCED, symmetry: false } });
    const few = await levelOne(work);
    expect(findings(few)).toEqual(findings(all));
    expect(findings(few).size).toBeGreaterThan(1);
    expect(few.length).toBeLessThan(all.length);
  });
});

test("a schedule is found again by its path, by another explorer", async () => {
  const work = workOn("single", "single", ["pause-client", "reset"]);
  const explorer = new Explorer(work);
  const { kept } = await explorer.extensionsOf([]);
  const family = kept[3] ?? 0;
  const [schedule] = (await explorer.explore([], family)).schedules;
  const path = [{ family, ...(schedule?.ms === undefined ? {} : { lengthMs: schedule.ms }) }];
  const again = await new Explorer(work).extensionsOf(path);
  expect(again.schedule).toEqual({ ...schedule, ms: undefined });
});

test("a family that was cut short is finished from what is known of it", async () => {
  const explorer = new Explorer(workOn("set-px", "single", ["pause-client"]));
  const { kept } = await explorer.extensionsOf([]);
  const [family = 0] = kept;
  const whole = await explorer.explore([], family);
  expect(whole.whole).toBe(true);
  let left = 5;
  const cut = await explorer.explore([], family, { mayRun: () => (left -= 1) >= 0 });
  expect(cut.whole).toBe(false);
  expect(cut.schedules).toHaveLength(5);
  const marked = cut.schedules.map((schedule) => ({ ...schedule, class: `${schedule.class} of before` }));
  const finished = await explorer.explore([], family, { known: marked });
  // The longest is run again: it alone shows what the lengths are.
  const [longest, ...others] = marked.toReversed();
  const expected = whole.schedules.map((schedule) => others.find(({ ms }) => ms === schedule.ms) ?? schedule);
  expect(longest?.ms).toBe(whole.schedules.at(-1)?.ms);
  expect(finished).toEqual({ schedules: expected, whole: true });
});

test("what follows a deviation comes after it", async () => {
  const explorer = new Explorer(workOn("single", "single", ["reset"]));
  const root = await explorer.extensionsOf([]);
  const [first = 0] = root.kept;
  const last = root.kept.at(-1) ?? 0;
  const afterFirst = await explorer.extensionsOf([{ family: first }]);
  const afterLast = await explorer.extensionsOf([{ family: last }]);
  expect(afterFirst.kept.length).toBeGreaterThan(afterLast.kept.length);
  const calm = await explorer.extensionsOf([{ family: first }], 0);
  expect(calm.alike + calm.kept.length).toBe(afterFirst.kept.length);
  expect(calm.kept.length).toBeLessThan(afterFirst.kept.length);
});

test("a path that does not exist is refused", async () => {
  const explorer = new Explorer(workOn("single", "single", ["reset"]));
  await expect(explorer.explore([], 9999)).rejects.toThrow("no schedule 9999");
  await expect(explorer.extensionsOf([{ family: 0, lengthMs: 3 }])).rejects.toThrow("no schedule 0@3");
});
