import { appendFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { UserError } from "../../core/errors.ts";
import { identify, thisProcess } from "./process-identity.ts";
import { RunResources } from "./run-resources.ts";

let cache: string;

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
  vi.stubEnv("XDG_CACHE_HOME", cache);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(cache, { recursive: true });
});

test("others read back what a run recorded", () => {
  const record = RunResources.begin("r1");
  record.adoptProcess(process.pid);
  record.adoptPath("/some where/é\n");
  expect(RunResources.all().map(({ runId }) => runId)).toEqual(["r1"]);
  const read = RunResources.of("r1");
  expect(read.owner).toEqual(thisProcess());
  expect(read.processes).toEqual([identify(process.pid)]);
  expect(read.paths).toEqual(["/some where/é\n"]);
  read.remove();
  expect(RunResources.all()).toEqual([]);
  expect(RunResources.of("r1").paths).toEqual([]);
});

test("half a line, as a dying writer leaves it, is not taken for a path", () => {
  const record = RunResources.begin("r1");
  record.adoptPath("/tmp/kept");
  appendFileSync(join(cache, "lockstorm/runs/r1/adopted.jsonl"), '{"path":"/tmp');
  expect(RunResources.of("r1").paths).toEqual(["/tmp/kept"]);
});

test("a relative path is never followed", () => {
  const record = RunResources.begin("r1");
  record.adoptPath("relative");
  expect(record.paths).toEqual([]);
});

test("records are this user's alone, since they say what to kill and delete", () => {
  RunResources.begin("r1");
  expect(statSync(join(cache, "lockstorm/runs/r1")).mode & 0o077).toBe(0);
});

test("a cache that cannot be written is the user's to fix", () => {
  vi.stubEnv("XDG_CACHE_HOME", "/dev/null");
  expect(() => RunResources.begin("r1")).toThrow(UserError);
});
