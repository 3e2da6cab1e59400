import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { WorkerCommand } from "../../lock-impl/worker-lock.ts";
import { UserError } from "../core/errors.ts";
import { describeWorker } from "./describe-worker.ts";
import { startProblem } from "./start-problem.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** What is said of a worker that cannot be started, with the folder's name as DIR. */
async function said(command: Partial<WorkerCommand>): Promise<readonly [string, string | undefined]> {
  const whole = { program: "sh", arguments: [], environment: {}, directory: folder, ...command };
  const problem: unknown = await describeWorker({
    name: "a",
    topologies: ["single"],
    limits: [],
    command: whole,
  }).catch((error: unknown) => error);
  if (!(problem instanceof UserError)) throw new Error(`not in one line: ${String(problem)}`);
  const begin = "the worker of a cannot be used: it could not be started: ";
  expect(problem.message.slice(0, begin.length)).toBe(begin);
  return [problem.message.slice(begin.length).replaceAll(folder, "DIR"), problem.hint?.replaceAll(folder, "DIR")];
}

test.each([
  ["a name that is not in PATH", { program: "no-such-program" }, "no program no-such-program is in PATH", /install it/],
  ["a path that is missing", { program: "DIR/missing" }, "DIR/missing does not exist", /or build it$/],
  ["a folder", { program: "DIR/lib" }, "DIR/lib is a folder", /`command.program`/],
  [
    "a file without the right to execute",
    { program: "DIR/plain" },
    "DIR/plain is not executable",
    /^run chmod \+x DIR\/plain$/,
  ],
  [
    "a script whose interpreter is missing",
    { program: "DIR/script" },
    "the interpreter /no/such/ruby that its first line names does not exist",
    /first line of DIR\/script$/,
  ],
  [
    "a folder to work in that is missing",
    { directory: "DIR/none" },
    "its working directory DIR/none does not exist",
    /`command.directory`/,
  ],
])("a worker that cannot be started says why, and what to do: %s", async (_, command, what, mend) => {
  mkdirSync(join(folder, "lib"));
  writeFileSync(join(folder, "plain"), "#!/bin/sh\n");
  writeFileSync(join(folder, "script"), "#!/no/such/ruby -w\n", { mode: 0o755 });
  const placed = Object.fromEntries(Object.entries(command).map(([key, path]) => [key, path.replace("DIR", folder)]));
  const [problem, hint] = await said(placed);
  expect(problem).toBe(what);
  expect(hint).toMatch(mend);
});

test.each([{ program: "sh" }, { program: "/bin/sh" }])("what else the system says is passed on: %o", ({ program }) => {
  const command = { program, arguments: [], environment: {}, directory: folder };
  expect(startProblem(command, "spawn EAGAIN").what).toBe("spawn EAGAIN");
});
