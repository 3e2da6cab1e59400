// @module-tag long
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EXIT } from "./core/verdict.ts";
import { NEWCOMERS_TASKS, type NewcomersTask } from "./testing/newcomers.ts";
import { readSources } from "./testing/source-file.ts";

// What CONTRIBUTING.md promises to newcomers: each thing is added here, in a copy of the sources, and works there.

const ROOMS = ["harness", "lock-impl", "workloads", "faults", "reports", "docker", "packaging", "examples"];
const FILES = ["index.ts", "package.json", "tsconfig.json", "vitest.config.ts"];
/** Against hanging only. */
const WITHIN_MS = 600_000;

const root = fileURLToPath(new URL("..", import.meta.url));
let copy = "";
/** What the files of the copy say before and after each task. */
const touched = new Map<string, readonly string[]>();

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "lockstorm-newcomers-"));
  for (const path of [...ROOMS, ...FILES]) cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  for (const task of NEWCOMERS_TASKS) {
    const before = contents();
    perform(task);
    const after = contents();
    touched.set(
      task.task,
      [...after].filter(([path, text]) => before.get(path) !== text).map(([path]) => path),
    );
  }
}, WITHIN_MS);

afterAll(() => rmSync(copy, { recursive: true, force: true }), WITHIN_MS);

function contents(): ReadonlyMap<string, string> {
  return new Map(readSources(copy, ROOMS, [".ts", ".json"]).map(({ path, text }) => [path, text]));
}

function perform({ file, registrations }: NewcomersTask): void {
  cpSync(new URL(`testing/newcomers/${file.from}`, import.meta.url), join(copy, file.path));
  for (const { path, before, insert } of registrations) {
    const text = readFileSync(join(copy, path), "utf8");
    const place = text.indexOf(before);
    if (place === -1) throw new Error(`${path} has no ${before}`);
    writeFileSync(join(copy, path), text.slice(0, place) + insert + text.slice(place));
  }
}

function lockstorm(...words: readonly string[]): { readonly code: number | null; readonly text: string } {
  const program = [join(copy, "harness", "cli", "launch.js"), ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, program, {
    cwd: copy,
    encoding: "utf8",
    timeout: WITHIN_MS,
  });
  return { code: status, text: stdout + stderr };
}

describe("a copy to which one of each was added", () => {
  test("compiles", { timeout: WITHIN_MS }, () => {
    const tsc = join(copy, "node_modules", ".bin", "tsc");
    const { status, stdout } = spawnSync(tsc, ["--noEmit"], { cwd: copy, encoding: "utf8", timeout: WITHIN_MS });
    expect(stdout).toBe("");
    expect(status).toBe(0);
  });

  test("has the command", { timeout: WITHIN_MS }, () => {
    expect(lockstorm("greet", "--whom", "Redis")).toEqual({ code: 0, text: "hello, Redis\n" });
    expect(lockstorm("--help").text).toContain("greet somebody");
  });

  test("hunts the lock under the fault", { timeout: WITHIN_MS }, () => {
    const { code, text } = lockstorm(
      ...["hunt", "--lock", "redlock4-on-three", "--faults", "proxy-restart", "--require", "owner-release"],
      ...["--runs", "10", "--seed", "1", "--store", join(copy, "hunted")],
    );
    expect(text).toMatch(/10 runs: \d+ valid/);
    expect([EXIT.valid, EXIT.unknown]).toContain(code);
    expect(lockstorm("hunt", "--help").text).toContain("proxy-restart");
  });

  test(
    "runs a plan on the topology, injects the fault, judges the property, and writes the report",
    {
      timeout: WITHIN_MS,
    },
    () => {
      writeFileSync(join(copy, "on-three.ts"), DRIVER);
      const section = { key: "k1", ttlMs: 1000, waitMs: 2000, steps: [{ do: "hold", forMs: 100 }] };
      const plan = {
        format: "lockstorm-plan",
        version: 1,
        seed: 1,
        lock: join(copy, "on-three.ts"),
        topology: { kind: "triad" },
        clients: [{ sections: [section] }, { sections: [section] }],
        faults: [{ kind: "proxy-restart", at: { on: "acquire:ok" } }],
      };
      writeFileSync(join(copy, "plan.json"), JSON.stringify(plan));
      const store = join(copy, "replayed");
      const replayed = lockstorm("replay", join(copy, "plan.json"), "--require", "granted-once", "--store", store);
      expect([replayed.code, replayed.text]).toEqual([0, expect.stringContaining("granted-once")]);
      const history = readdirSync(store, { recursive: true, encoding: "utf8" }).find((path) =>
        path.endsWith("history.jsonl"),
      );
      const { text } = lockstorm("report", dirname(join(store, history ?? "")), "--format", "tally");
      expect(text).toMatch(/^triad: proxy-restart; .*granted-once valid/);
    },
  );
});

/** A lock that runs wherever there are masters to ask. */
const DRIVER = `
  import { findLock } from "./lock-impl/registry.ts";
  const lock = findLock("redlock");
  if (lock === undefined) throw new Error("there is no redlock");
  export default await lock.load();
`;

test.each(NEWCOMERS_TASKS)("$task touches as many files as CONTRIBUTING.md says", ({ task, file, registrations }) => {
  const files = [...new Set([file.path, ...registrations.map(({ path }) => path)])];
  expect(touched.get(task)?.toSorted()).toEqual(files.toSorted());
  const rows = readFileSync(join(root, "CONTRIBUTING.md"), "utf8").split("\n");
  const row = rows.find((line) => line.startsWith(`| ${task} |`)) ?? `no row for "${task}"`;
  expect(row.split("|")[2]?.trim()).toBe(String(files.length));
});
