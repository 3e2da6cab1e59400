import { globSync, readFileSync } from "node:fs";
import { Job } from "kubernetes-models/batch/v1/Job";
import { PersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { readArguments } from "../command.ts";
import { hunt } from "./hunt.ts";
import { merge } from "./merge.ts";
import { readShard } from "../flags/shard-flag.ts";

const root = new URL("../../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");

interface Manifest {
  readonly kind: string;
  readonly spec: Record<string, unknown>;
}
const KINDS = { Job, PersistentVolumeClaim };

const documents = (path: string): readonly Manifest[] =>
  parseAllDocuments(read(path)).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Manifest;
  });

function validate(manifest: Manifest): void {
  const Kind = KINDS[manifest.kind as keyof typeof KINDS];
  new Kind(manifest as never).validate();
}

/** The words of the lockstorm commands in a shell script. */
function commandsIn(script: string): readonly (readonly string[])[] {
  const lines = script.replaceAll(/\\\n\s*/g, " ").split("\n");
  return lines.flatMap((line) => {
    const words = /npx lockstorm (.*?)(?: \|\| .*)?$/.exec(line)?.[1]?.replaceAll('"', "").split(" ");
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

test.each(globSync("examples/kubernetes/*.yaml", { cwd: root }))("%s is valid by the schemas of Kubernetes", (path) => {
  const manifests = documents(path);
  expect(manifests.length).toBeGreaterThan(0);
  for (const manifest of manifests) validate(manifest);
});

function campaignJob(): Manifest {
  const job = documents("examples/kubernetes/campaign.yaml").find(({ kind }) => kind === "Job");
  if (job === undefined) throw new Error("there is no job");
  return job;
}

test("the schemas refuse what is none", () => {
  const job = campaignJob();
  const spec = { ...job.spec, completions: "eight" };
  expect(() => validate({ ...job, spec })).toThrow(/completions/);
});

test("the pods of the Indexed Job do each shard once, each into the folder that the merge reads", () => {
  const { completions, completionMode, template } = campaignJob().spec as unknown as {
    completions: number;
    completionMode: string;
    template: { spec: { containers: [{ args: [string] }] } };
  };
  expect(completionMode).toBe("Indexed");
  const [words = []] = commandsIn(
    template.spec.containers[0].args[0].replaceAll("$((JOB_COMPLETION_INDEX + 1))", "NUMBER"),
  );
  const shards = Array.from({ length: completions }, (_, index) => {
    const { flags } = flagsOf(words, {
      NUMBER: String(index + 1),
      $JOB_COMPLETION_INDEX: String(index),
      $LOCKSTORM_SEED: "1",
    });
    expect(flags.text("store")).toBe(`/results/${index}`);
    expect(flags.on("resume")).toBe(true);
    return readShard(flags);
  });
  expect(shards).toEqual(shards.map((_, index) => ({ index: index + 1, count: completions })));
  const [merging = []] = commandsIn(read("examples/kubernetes/merge.yaml"));
  expect(flagsOf(merging, {}).operands).toEqual(["/results/[0-9]*"]);
});

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
