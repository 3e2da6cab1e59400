// @module-tag long
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const example = join(root, "examples", "vitest");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-vitest-"));
  const alias = {
    "lockstorm/vitest": join(root, "harness", "verify", "vitest.ts"),
    lockstorm: join(root, "index.ts"),
  };
  writeFileSync(
    join(folder, "vitest.config.mjs"),
    `export default ${JSON.stringify({ resolve: { alias }, test: { attachmentsDir: join(folder, "attachments") } })};\n`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A reporter that writes each annotation of a test as a line of JSON to a file. */
const annotations = `
import { appendFileSync } from "node:fs";
export default class {
  onTestCaseAnnotate({ name }, { attachment, message }) {
    appendFileSync(new URL("annotations.jsonl", import.meta.url), JSON.stringify({ name, message, ...attachment }) + "\\n");
  }
}
`;

/** Status and message of each test, by its title. */
type Outcome = ReadonlyMap<string, { readonly status: string; readonly message: string }>;

interface JsonReport {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/** Runs the example project's tests with the sources in place of the installed package. */
function runExample(...words: readonly string[]): Promise<Outcome> {
  const program = join(root, "node_modules", "vitest", "vitest.mjs");
  const config = join(folder, "vitest.config.mjs");
  const { VITEST: _, ...env } = process.env;
  const file = join(folder, "results.json");
  const annotated = join(folder, "annotations.mjs");
  writeFileSync(annotated, annotations);
  const reporter = ["--reporter", "json", `--outputFile.json=${file}`, "--reporter", annotated];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, "run", "--root", example, "--config", config, ...reporter, ...words],
      { cwd: folder, env: { ...env, NO_COLOR: "1" } },
      () => {
        const { testResults } = JSON.parse(readFileSync(file, "utf8")) as JsonReport;
        const results = testResults.flatMap(({ assertionResults }) => assertionResults);
        resolve(
          new Map(
            results.map(({ title, status, failureMessages = [] }) => [
              title,
              { status, message: failureMessages.join("\n") },
            ]),
          ),
        );
      },
    );
  });
}

test("the example: the broken lock is red, with the schedule that breaks it; the fixed one is green", async () => {
  const results = await runExample();
  const red = results.get("the lock of the tutorial keeps its word");
  expect(red?.status).toBe("failed");
  expect(red?.message).toMatch(/broken-driver\.ts breaks .*foreign-release/);
  expect(red?.message).toMatch(/^ {2}client-1 .*[█╌]/m);
  expect(red?.message).toContain("locks.test.ts:3:1");
  expect(red?.message).not.toContain("harness/verify/vitest.ts");
  expect(results.get("the fixed lock keeps its word")).toEqual({ status: "passed", message: "" });
  expect(results.get("so it does in this process")).toEqual({ status: "passed", message: "" });
  expect(readdirSync(join(folder, ".lockstorm", "regressions"))).toHaveLength(1);
  const annotated = readFileSync(join(folder, "annotations.jsonl"), "utf8").trimEnd().split("\n");
  expect(annotated).toHaveLength(1);
  const { name, contentType, path } = JSON.parse(annotated[0] ?? "") as Readonly<Record<string, string>>;
  expect({ name, contentType }).toEqual({ name: "the lock of the tutorial keeps its word", contentType: "text/html" });
  expect(readFileSync(path ?? "", "utf8")).toContain("the lock of the tutorial keeps its word");
});

test("a lock in vitest's own process runs in its threads too", async () => {
  const results = await runExample("--pool", "threads", "-t", "in this process");
  expect(results.get("so it does in this process")?.status).toBe("passed");
});
