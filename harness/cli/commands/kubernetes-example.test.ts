import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Job } from "kubernetes-models/batch/v1/Job";
import { PersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim";
import { Pod } from "kubernetes-models/v1/Pod";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import { EXIT } from "../../core/verdict.ts";
import { runMain } from "../testing/run-main.ts";

const folder = new URL("../../../examples/kubernetes/", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, folder), "utf8");
const store = mkdtempSync(join(tmpdir(), "lockstorm-kubernetes-"));
afterAll(() => rmSync(store, { recursive: true }));

interface PodSpec {
  readonly securityContext: object;
  readonly containers: readonly [{ readonly args: readonly string[]; readonly securityContext: object }];
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

/** The exit code of the program. */
async function lockstorm(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<number | null> {
  return (await runMain(words, { env })).code;
}

test("the pods' own commands, for a small table, give shards that the merge finds complete", async () => {
  const small = ["--lock=set-px,single", "--topology=single", "--faults=pause-client", "--runs=10", "--threads=1"];
  const count = Number(literals["LOCKSTORM_SHARDS"]);
  for (let index = 0; index < count; index += 1) {
    const variables = { ...literals, JOB_COMPLETION_INDEX: String(index) };
    expect(await lockstorm([...wordsOf("hunt.yaml", variables), ...small], variables)).toBe(EXIT.valid);
  }
  const [script = ""] = manifest("merge/merge.yaml").spec.template.spec.containers[0].args;
  expect(script).toBe(
    'exec lockstorm merge "/results/$CAMPAIGN"/[0-9]* --store="/results/$CAMPAIGN/merged" --report=markdown,junit',
  );
  const results = Array.from({ length: count }, (_, index) => join(store, literals["CAMPAIGN"] ?? "", String(index)));
  const merge = ["--store", join(store, "merged"), "--report=markdown,junit"];
  expect(await lockstorm(["merge", ...results, ...merge])).toBe(EXIT.valid);
  expect(await lockstorm(["merge", ...results.slice(1), ...merge])).toBe(EXIT.unknown);
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
