// @module-tag long
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Job } from "kubernetes-models/batch/v1/Job";
import { PersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim";
import { Pod } from "kubernetes-models/v1/Pod";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { EXIT } from "../../core/verdict.ts";
import { runMain } from "../testing/run-main.ts";

const folder = new URL("../../../examples/kubernetes/", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, folder), "utf8");
const store = mkdtempSync(join(tmpdir(), "lockstorm-kubernetes-"));
afterAll(() => rmSync(store, { recursive: true }));

interface PodSpec {
  readonly securityContext: object;
  readonly containers: readonly [
    { readonly command?: readonly string[]; readonly args: readonly string[]; readonly securityContext: object },
  ];
}
interface Manifest {
  readonly kind: string;
  readonly spec: PodSpec & { readonly template: { readonly spec: PodSpec } };
}

const KINDS = { Job, PersistentVolumeClaim, Pod };
const MANIFESTS = ["hunt.yaml", "merge/merge.yaml", "reader.yaml", "results.yaml"];
const manifest = (path: string): Manifest => parse(read(path)) as Manifest;

interface Kustomization {
  readonly configMapGenerator: readonly [{ readonly literals: readonly string[] }];
  readonly replacements: readonly [{ readonly source: { readonly fieldPath: string }; readonly targets: unknown }];
}
const kustomization = parse(read("kustomization.yaml")) as Kustomization;
const literals = Object.fromEntries(
  kustomization.configMapGenerator[0].literals.map((literal) => literal.split("=") as [string, string]),
);

function validate(path: string): void {
  const { kind, ...rest } = manifest(path);
  const Kind = KINDS[kind as keyof typeof KINDS];
  new Kind({ kind, ...rest } as never).validate();
}

test.each(MANIFESTS)("%s is valid by the schemas of Kubernetes", (path) => validate(path));

test("the schemas refuse what is none", () => {
  const { spec } = manifest("hunt.yaml");
  expect(() => new Job({ spec: { ...spec, completions: "eight" } } as never).validate()).toThrow(/completions/);
});

test.each(["hunt.yaml", "merge/merge.yaml", "reader.yaml"])("%s runs under the profile restricted", (path) => {
  const { spec } = manifest(path);
  const pod = spec.template?.spec ?? spec;
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
  for (const { securityContext } of pod.containers) {
    expect(securityContext).toMatchObject({ allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } });
  }
});

test("the image has lockstorm where a driver finds what it imports, in a folder that its user can write to", () => {
  // Node looks for packages in the folders above a module, never among those that are installed globally.
  const lines = read("Dockerfile").split("\n");
  const [, folder] = /^WORKDIR (\S+)$/m.exec(read("Dockerfile")) ?? [];
  const install = lines.findIndex((line) => line.startsWith("RUN npm install "));
  expect(lines[install]).toMatch(/ \$LOCKSTORM \$LIBRARIES && .* && chown node:node \.$/);
  expect(lines[install]).not.toMatch(/ (?:-g|--global) /);
  expect(lines.indexOf(`WORKDIR ${folder}`)).toBeLessThan(install);
  expect(lines).toContain(`ENV PATH=${folder}/node_modules/.bin:$PATH`);
});

test("the number of shards stands in one place, which the fields of the Job and the pods take it from", () => {
  const [{ source, targets }] = kustomization.replacements;
  expect(source.fieldPath).toBe("data.LOCKSTORM_SHARDS");
  expect(targets).toMatchObject([{ fieldPaths: ["spec.completions", "spec.parallelism", "spec.maxFailedIndexes"] }]);
});

/** What a pod runs, its variables filled in as Kubernetes does. */
function wordsOf(path: string, variables: Readonly<Record<string, string>>): readonly string[] {
  const { args } = manifest(path).spec.template.spec.containers[0];
  const filled = args.map((word) => word.replaceAll(/\$\((\w+)\)/g, (_, name: string) => variables[name] ?? "?"));
  return filled.map((word) => word.replaceAll("/results/", `${store}/`));
}

/** The words of `command` and `args`, as a container of the image would run them, with `lockstorm` from these sources. */
async function runContainer(
  path: string,
  env: Readonly<Record<string, string>>,
  PATH = `${programs()}:${process.env["PATH"]}`,
): Promise<{ readonly code: unknown; readonly output: string; readonly errors: string }> {
  const { command = [], args } = manifest(path).spec.template.spec.containers[0];
  const [program = "", ...words] = [...command, ...args].map((word) => word.replaceAll("/results/", `${store}/`));
  try {
    const { stdout, stderr } = await promisify(execFile)(program, words, { env: { ...env, PATH, NO_COLOR: "1" } });
    return { code: 0, output: stdout, errors: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
    return { code, output: stdout, errors: stderr };
  }
}

/** A folder with a program `lockstorm`, as the image has one. */
function programs(): string {
  const folder = join(store, "bin");
  mkdirSync(folder, { recursive: true });
  const launcher = fileURLToPath(new URL("../launch.js", import.meta.url));
  writeFileSync(join(folder, "lockstorm"), `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`);
  chmodSync(join(folder, "lockstorm"), 0o755);
  return folder;
}

/** The table of the same campaign on one machine. */
async function undivided(words: readonly string[]): Promise<string> {
  const whole = join(store, "whole");
  const args = manifest("hunt.yaml").spec.template.spec.containers[0].args;
  const alone = args.filter((word) => !/^--(shard|store)=/.test(word));
  expect(await lockstorm([...alone, ...words, `--store=${whole}`], literals)).toBe(EXIT.valid);
  return readFileSync(join(whole, "ladder.json"), "utf8");
}

/** The exit code of the program. */
async function lockstorm(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<number | null> {
  return (await runMain(words, { env })).code;
}

describe("the pods' own commands, for a small table", () => {
  const small = ["--lock=set-px,single", "--topology=single", "--faults=pause-client", "--runs=10", "--threads=1"];
  const count = Number(literals["LOCKSTORM_SHARDS"]);
  const campaign = join(store, literals["CAMPAIGN"] ?? "");

  beforeAll(async () => {
    for (let index = 0; index < count; index += 1) {
      const variables = { ...literals, JOB_COMPLETION_INDEX: String(index) };
      expect(await lockstorm([...wordsOf("hunt.yaml", variables), ...small], variables)).toBe(EXIT.valid);
    }
  });

  test("give shards that the merge finds complete, and merges to what one machine finds", async () => {
    const merged = await runContainer("merge/merge.yaml", literals);
    expect([merged.code, merged.errors]).toEqual([EXIT.valid, ""]);
    expect(readFileSync(join(campaign, "merged", "ladder.json"), "utf8")).toBe(await undivided(small));
  });

  test("give shards of which the merge misses none silently", async () => {
    renameSync(join(campaign, "0"), join(campaign, "lost"));
    const lacking = await runContainer("merge/merge.yaml", literals);
    renameSync(join(campaign, "lost"), join(campaign, "0"));
    expect([lacking.code, lacking.output]).toEqual([
      EXIT.unknown,
      expect.stringContaining(`shard 1 of ${count} is missing`),
    ]);
  });
});

test("the merge of a campaign that has no results fails, and says which", async () => {
  const none = await runContainer("merge/merge.yaml", { CAMPAIGN: "none" });
  expect([none.code, none.errors]).toEqual([
    EXIT.usage,
    expect.stringMatching(/none\/\[0-9\]\* holds no results; .*\n$/),
  ]);
});

test("without lockstorm in the image, pods and merge fail, and name it", async () => {
  const { code, errors } = await runContainer("merge/merge.yaml", literals, "/usr/bin:/bin");
  expect([code, errors]).toEqual([127, expect.stringContaining("lockstorm")]);
  // Whatever the image would start by itself.
  expect(manifest("hunt.yaml").spec.template.spec.containers[0].command).toEqual(["lockstorm"]);
  expect((await runContainer("hunt.yaml", literals, "/usr/bin:/bin")).code).toBe("ENOENT");
});

test("a mistake in the arguments fails, --exit-zero or not", async () => {
  const variables = { ...literals, JOB_COMPLETION_INDEX: "99" };
  expect(await lockstorm(wordsOf("hunt.yaml", variables), variables)).toBe(EXIT.usage);
});

test.each(["README.md", "kustomization.yaml"])(
  "%s waits for the end of a Job, however it ends, before it asks how",
  (path) => {
    // To wait for success alone waits for hours for a Job that has failed.
    const waits = [...read(path).matchAll(/kubectl wait --for=(\S+) .*?job\/(\S+)/g)].map(([, what, job]) => [
      job,
      what,
    ]);
    const jobs = [...new Set(waits.map(([job]) => job))];
    expect(jobs).not.toEqual([]);
    const either = "jsonpath='{.status.conditions[0].type}'";
    expect(waits).toEqual(
      jobs.flatMap((job) => [
        [job, either],
        [job, "condition=complete"],
      ]),
    );
  },
);
