import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { readArguments } from "../command.ts";
import { hunt } from "./hunt.ts";
import { merge } from "./merge.ts";
import { readShard } from "../flags/shard-flag.ts";

const root = new URL("../../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");

/** The words of the lockstorm commands in a shell script. */
function commandsIn(script: string): readonly (readonly string[])[] {
  const lines = script.replaceAll(/\\\n\s*/g, " ").split("\n");
  return lines.flatMap((line) => {
    const words = /(?:npx |node_modules\/\.bin\/)lockstorm (.*?)(?: \|\| .*)?$/
      .exec(line)?.[1]
      ?.replaceAll('"', "")
      .split(" ");
    return words === undefined ? [] : [words.filter((word) => word !== "")];
  });
}

/** Parses a command as the program would, with the variables of a shell or a workflow filled in. */
function flagsOf(words: readonly string[], variables: Readonly<Record<string, string>>) {
  const [name, ...rest] = words.map((word) =>
    Object.entries(variables).reduce((text, [variable, value]) => text.replaceAll(variable, value), word),
  );
  const command = [hunt, merge].find((each) => each.name === name);
  if (command === undefined) throw new Error(`no command ${name}`);
  return readArguments(command, rest);
}

test("the matrix of the workflow does each shard once, and its report waits for all", () => {
  const { jobs } = parse(read("examples/github-actions/lockstorm.yml")) as {
    jobs: {
      hunt: { strategy: { matrix: { shard: number[] } }; steps: { run?: string }[] };
      report: { needs: string; steps: { run?: string }[] };
    };
  };
  const { shard: numbers } = jobs.hunt.strategy.matrix;
  const script = jobs.hunt.steps.map(({ run = "" }) => run.replaceAll("${{ matrix.shard }}", "NUMBER")).join("\n");
  const [words = []] = commandsIn(script);
  const shards = numbers.map((number) => readShard(flagsOf(words, { NUMBER: String(number) }).flags));
  expect(shards).toEqual(numbers.map((_, index) => ({ index: index + 1, count: numbers.length })));
  expect(jobs.report.needs).toBe("hunt");
  const [merging = []] = commandsIn(jobs.report.steps.map(({ run = "" }) => run).join("\n"));
  expect(flagsOf(merging, {}).operands).toEqual(["results-*"]);
});

test("the jobs of GitLab and the tasks of the Slurm array each do the shard of their number, for the merge to judge", () => {
  const { lockstorm, ...gitlab } = parse(read("examples/gitlab/lockstorm.yml")) as Record<
    string,
    { script: string[] }
  > & {
    lockstorm: { script: string[]; parallel: number };
  };
  const scripts = [
    [
      lockstorm.script,
      gitlab["lockstorm-report"]?.script ?? [],
      { CI_NODE_INDEX: "4", CI_NODE_TOTAL: String(lockstorm.parallel) },
    ],
    [
      [read("examples/slurm/campaign.sbatch")],
      [read("examples/slurm/merge.sbatch")],
      { SLURM_ARRAY_TASK_ID: "4", SLURM_ARRAY_TASK_MIN: "1", SLURM_ARRAY_TASK_COUNT: "4" },
    ],
  ] as const;
  for (const [hunting, merging, environment] of scripts) {
    const [words = []] = commandsIn(hunting.join("\n"));
    const { flags } = flagsOf(words, {});
    expect(flags.on("exit-zero")).toBe(true);
    expect(readShard(flags, environment)).toEqual({ index: 4, count: 4 });
    const [merged = []] = commandsIn(merging.join("\n"));
    expect(flagsOf(merged, {}).operands).toHaveLength(1);
  }
});

/** Says that it runs, and ends as soon as SIGTERM reaches it. */
const STAND_IN = `#!/usr/bin/env node
process.on("SIGTERM", () => process.exit(42));
setInterval(() => {}, 1000);
process.stdout.write("runs");
`;

test.each(["campaign", "merge"])("SIGTERM to the script of Slurm's %s reaches lockstorm", async (script) => {
  const folder = mkdtempSync(join(tmpdir(), "lockstorm-slurm-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  writeFileSync(join(folder, "node_modules/.bin/lockstorm"), STAND_IN, { mode: 0o755 });
  const file = fileURLToPath(new URL(`examples/slurm/${script}.sbatch`, root));
  const env = { ...process.env, SLURM_ARRAY_TASK_ID: "1" };
  const task = spawn("sh", [file], { cwd: folder, env, detached: true, stdio: ["ignore", "pipe", "inherit"] });
  // What stands in between dies with its group.
  onTestFinished(() => void (task.exitCode ?? process.kill(-task.pid!, "SIGKILL")));
  await once(task.stdout, "data");
  task.kill("SIGTERM");
  const [code] = await once(task, "exit");
  expect(code).toBe(42);
});
