import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseHistory } from "../history/history-reader.ts";
import { UserError } from "../core/errors.ts";
import { previousRun } from "../campaign/previous-run.ts";
import { Recorder } from "./recorder.ts";
import { Regressions } from "../campaign/regressions.ts";
import { readPlan, RunFolder } from "./store.ts";
import { plan, section } from "./testing/plans.ts";

const NOON = new Date("2026-01-31T12:00:00.500Z");
let store: string;

beforeEach(() => {
  store = mkdtempSync(join(tmpdir(), "lockstorm-store-"));
});

afterEach(() => {
  rmSync(store, { recursive: true });
});

describe("a run's folder", () => {
  test("is named after time and seed, and holds the plan before anything else", () => {
    using folder = RunFolder.create(store, plan({ seed: 42 }), NOON);
    expect(folder.path).toBe(join(store, "runs", "2026-01-31T12-00-00-42"));
    expect(readPlan(folder.planFile)).toEqual(plan({ seed: 42 }));
    expect(existsSync(folder.logFolder)).toBe(true);
    expect(readFileSync(folder.historyFile, "utf8")).toBe("");
  });

  test("is another for a second run in the same second", () => {
    const paths = Array.from({ length: 3 }, () => {
      using folder = RunFolder.create(store, plan(), NOON);
      return folder.path;
    });
    expect(new Set(paths).size).toBe(3);
    expect(paths[1]).toBe(`${paths[0]}-2`);
  });

  test("has each line of the history at once", () => {
    using folder = RunFolder.create(store, plan(), NOON);
    const recorder = new Recorder({ clients: 1 }, () => 5, folder.sink);
    recorder.record({ process: 0, type: "invoke", f: "release", key: "k1", value: { owner: "ä\n" } });
    expect(parseHistory(readFileSync(folder.historyFile, "utf8"), "file")).toEqual(recorder.history);
  });

  test("that cannot be made is the user's to fix", () => {
    writeFileSync(join(store, "file"), "");
    const create = (): unknown => RunFolder.create(join(store, "file"), plan(), NOON);
    expect(create).toThrow(UserError);
    expect(create).toThrow("the run cannot be recorded in");
  });

  test("whose history cannot be written is the user's to fix too", () => {
    const folder = RunFolder.create(store, plan(), NOON);
    folder[Symbol.dispose]();
    expect(() => folder.sink("{}\n")).toThrow(UserError);
    expect(() => folder.sink("{}\n")).toThrow(`${folder.historyFile} cannot be written: `);
  });
});

describe("reading a plan", () => {
  const write = (text: string): string => {
    const path = join(store, "plan.json");
    writeFileSync(path, text);
    return path;
  };

  test("gives what was saved, with defaults filled in", () => {
    const { seed, limitMs: _, ...rest } = plan({ seed: 3 });
    expect(readPlan(write(JSON.stringify({ seed, ...rest })))).toEqual(plan({ seed: 3 }));
  });

  test.each([
    ["is not there", () => join(store, "nothing.json"), "cannot be read as a plan"],
    ["is not JSON", () => write("{"), "cannot be read as a plan"],
    ["is no plan", () => write("{}"), "is not a plan: format:"],
    ["is a list", () => write("[]"), "is not a plan: Invalid input: expected object"],
    [
      "comes from the future",
      () => write(JSON.stringify({ ...plan(), version: 2 })),
      "is a plan of version 2, newer than 1",
    ],
    [
      "gives a field twice",
      () => write(JSON.stringify(plan()).replace('"ttlMs":1000', '"ttlMs":2000,"ttlMs":1000')),
      'is not a plan: "ttlMs" is given twice in one object',
    ],
    ["has what plans have not", () => write(JSON.stringify({ ...plan(), speed: 2 })), "is not a plan"],
    [
      "is wrong deep inside",
      () => write(JSON.stringify(plan()).replace('"ttlMs":1000', '"ttlMs":-1')),
      "clients.0.sections.0.ttlMs:",
    ],
  ])("that %s is refused in one line", (_, path, message) => {
    const read = (): unknown => readPlan(path());
    expect(read).toThrow(UserError);
    expect(read).toThrow(message);
    expect(read).not.toThrow(/\n/);
  });
});

describe("regressions", () => {
  test("are kept once each, by lock and topology", () => {
    const regressions = new Regressions(store);
    expect(regressions.of("fake", "single")).toEqual([]);
    const kept = [plan(), plan({ seed: 2 }), plan({ lock: "other" }), plan({ topology: { kind: "redlock" } })];
    const paths = [...kept, plan()].map((one) => regressions.keep(one));
    expect(new Set(paths).size).toBe(4);
    expect(regressions.of("fake", "single")).toHaveLength(2);
    expect(regressions.of("fake", "single")).toEqual(expect.arrayContaining(kept.slice(0, 2)));
    expect(regressions.of("fake", "redlock")).toEqual(kept.slice(3));
    expect(new Regressions(store).of("other", "single")).toEqual(kept.slice(2, 3));
  });

  test("of a user's own lock have a file name that is one", () => {
    const regressions = new Regressions(store);
    const mine = plan({ lock: "../locks/my lock.ts" });
    const path = regressions.keep(mine);
    expect(path.slice(regressions.folder.length + 1)).toMatch(/^[\w-]+\.json$/);
    expect(regressions.of("../locks/my lock.ts", "single")).toEqual([mine]);
  });

  test("that cannot be read say which file it is", () => {
    const regressions = new Regressions(store);
    const path = regressions.keep(plan());
    writeFileSync(path, "{");
    expect(() => regressions.of("fake", "single")).toThrow(path);
    expect(() => regressions.of("fake", "single")).toThrow(
      expect.objectContaining({ hint: "restore that file or delete it: hunts run the plans in this folder first" }),
    );
  });
});

describe("a former run", () => {
  const write = (name: string, content: unknown): void => {
    mkdirSync(store, { recursive: true });
    writeFileSync(join(store, name), typeof content === "string" ? content : JSON.stringify(content));
  };

  test("is known by what lies beside its plan", () => {
    write("trace.json", { hash: "abc", steps: 5 });
    write("verdict.json", {
      verdict: "invalid",
      properties: {
        "mutual-exclusion": { verdict: "invalid", violations: [{ cause: "overrun" }, { cause: "double-grant" }] },
        "lease-exclusion": { verdict: "invalid", violations: [{ cause: "double-grant" }] },
        "stale-writes": { verdict: "valid" },
      },
    });
    expect(previousRun(join(store, "plan.json"))).toEqual({
      traceHash: "abc",
      verdict: "invalid",
      causes: ["double-grant", "overrun"],
    });
  });

  test("of which nothing is left, or only fragments, is not known", () => {
    expect(previousRun(join(store, "plan.json"))).toEqual({ causes: [] });
    write("trace.json", "{");
    write("verdict.json", { verdict: "perhaps", properties: {} });
    expect(previousRun(join(store, "plan.json"))).toEqual({ causes: [] });
  });

  test("is written as it is read", () => {
    using folder = RunFolder.create(store, plan({ clients: [section({})] }), NOON);
    folder.writeVerdict({ verdict: "unknown", required: [], properties: {}, reasons: ["none"], remarks: [] });
    expect(previousRun(folder.planFile)).toEqual({ verdict: "unknown", required: [], causes: [] });
  });
});
