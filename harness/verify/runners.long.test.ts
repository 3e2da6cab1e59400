// @module-tag long
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const here = (name: string): string => pathToFileURL(join(root, "harness", "verify", name)).href;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-runners-"));
  for (const name of ["broken", "mended"]) {
    const driver = pathToFileURL(join(root, "examples", "vitest", `${name}-driver.ts`)).href;
    writeFileSync(join(folder, `${name}.mjs`), `export * from ${JSON.stringify(driver)};\n`);
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

function run(...words: readonly string[]): Promise<{ readonly code: number | string; readonly said: string }> {
  const { VITEST: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, words, { cwd: folder, env: { ...env, NO_COLOR: "1" } }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, said: stdout + stderr }),
    );
  });
}

/** Two tests of the example's locks, each a line. */
function testsWith(helper: string): string {
  return [
    `import { lockstorm } from ${JSON.stringify(here(helper))};`,
    `lockstorm("the broken lock keeps its word", { lock: "./broken.mjs", runs: 100, shrinkRuns: 10 });`,
    `lockstorm("the mended lock keeps its word", { lock: "./mended.mjs", runs: 20 });`,
    "",
  ].join("\n");
}

function expectPicture(said: string): void {
  expect(said).toMatch(/broken\.mjs breaks .*foreign-release/);
  expect(said).toMatch(/^ *client-1 .*[█╌]/m);
  expect(said).toContain("report.html");
  expect(readdirSync(join(folder, ".lockstorm", "regressions"))).toHaveLength(1);
}

test("in Node's own runner one line is a test, and its failure shows the schedule", async () => {
  writeFileSync(join(folder, "locks.test.mjs"), testsWith("node-test.ts"));
  const { code, said } = await run("--test", "--test-reporter=tap", "locks.test.mjs");
  expect(code).toBe(1);
  expect(said).toMatch(/^not ok 1 - the broken lock keeps its word$/m);
  expect(said).toMatch(/^ok 2 - the mended lock keeps its word$/m);
  expectPicture(said);
});

test("so it does with a global test function, as Jest has it", async () => {
  // The part of Jest that is used: a global function that is given a name, a body and a time limit.
  const runner = [
    "const tests = [];",
    "globalThis.test = (name, body, timeoutMs) => tests.push({ name, body, timeoutMs });",
    `await import("./locks.test.mjs");`,
    "for (const { name, body, timeoutMs } of tests) {",
    "  const failure = await body().then(() => undefined, (error) => error);",
    "  console.log(failure === undefined ? 'passed' : 'failed', name, timeoutMs);",
    "  if (failure !== undefined) console.log(failure.stack);",
    "}",
  ].join("\n");
  writeFileSync(join(folder, "runner.mjs"), runner);
  writeFileSync(join(folder, "locks.test.mjs"), testsWith("jest.ts"));
  const { said } = await run("runner.mjs");
  expect(said).toMatch(/^failed the broken lock keeps its word 120000$/m);
  expect(said).toMatch(/^passed the mended lock keeps its word 120000$/m);
  expect(said).toContain("locks.test.mjs:2:1");
  expectPicture(said);
});

test("so it does in CommonJS, where Jest can require nothing else", async () => {
  const helper = JSON.stringify(join(root, "harness", "verify", "jest-commonjs.cjs"));
  const runner = [
    "const tests = [];",
    "globalThis.test = (name, body, timeoutMs) => tests.push({ name, body, timeoutMs });",
    `require("./locks.test.cjs");`,
    "(async () => {",
    "  for (const { name, body, timeoutMs } of tests) {",
    "    const failure = await body().then(() => undefined, (error) => error);",
    "    console.log(failure === undefined ? 'passed' : 'failed', name, timeoutMs);",
    "    if (failure !== undefined) console.log(failure.stack, failure.counterexample?.causes);",
    "  }",
    "})();",
  ].join("\n");
  const tests = [
    `const { lockstorm } = require(${helper});`,
    `lockstorm("the broken lock keeps its word", { lock: "./broken.mjs", runs: 100, shrinkRuns: 10 });`,
    `lockstorm("the mended lock keeps its word", { lock: "./mended.mjs", runs: 20 });`,
    `lockstorm("it is mistyped", { lock: "single", run: 20 });`,
  ];
  writeFileSync(join(folder, "runner.cjs"), runner);
  writeFileSync(join(folder, "locks.test.cjs"), tests.join("\n"));
  const { said } = await run("runner.cjs");
  expect(said).toMatch(/^failed the broken lock keeps its word 120000$/m);
  expect(said).toMatch(/^passed the mended lock keeps its word 120000$/m);
  expect(said).toContain("[ 'foreign-release' ]");
  expect(said).toContain("locks.test.cjs:2:1");
  expect(said).toMatch(/^UserError: there is no option "run"; did you mean runs\?\n.*locks\.test\.cjs:4:1/m);
  expectPicture(said);
});

/** What is used of the report that Playwright's `json` reporter prints. */
interface PlaywrightReport {
  readonly suites: readonly {
    readonly specs: readonly {
      readonly title: string;
      readonly ok: boolean;
      readonly file: string;
      readonly line: number;
      readonly tests: readonly {
        readonly results: readonly {
          readonly error?: { readonly message: string };
          readonly attachments: readonly { readonly name: string; readonly path: string }[];
        }[];
      }[];
    }[];
  }[];
}

test("in Playwright's runner a test has the line of its file, and a failed one the page", async () => {
  const runner = fileURLToPath(import.meta.resolve("@playwright/test/cli"));
  writeFileSync(join(folder, "locks.spec.mjs"), testsWith("playwright.ts"));
  const { code, said } = await run(runner, "test", "--reporter", "json", "--output", join(folder, "results"));
  expect(code).toBe(1);
  const specs = (JSON.parse(said) as PlaywrightReport).suites.flatMap(({ specs }) => specs);
  expect(specs.map(({ title, ok, file, line }) => ({ title, ok, file, line }))).toEqual([
    { title: "the broken lock keeps its word", ok: false, file: "locks.spec.mjs", line: 2 },
    { title: "the mended lock keeps its word", ok: true, file: "locks.spec.mjs", line: 3 },
  ]);
  const [red, green] = specs.map(({ tests }) => tests[0]?.results[0]);
  expectPicture(red?.error?.message ?? "");
  const [page] = red?.attachments ?? [];
  expect(page?.name).toBe("report.html");
  expect(readFileSync(page?.path ?? "", "utf8")).toContain("the broken lock keeps its word");
  expect(green?.attachments).toEqual([]);
});

test("without a global test function the helper for Jest says so", async () => {
  writeFileSync(join(folder, "locks.test.mjs"), testsWith("jest.ts"));
  const { code, said } = await run("locks.test.mjs");
  expect(code).toBe(1);
  expect(said).toContain("there is no global test function here");
});
