import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createVitest, type TestModule, type TestSpecification, type Vitest } from "vitest/node";
import { type Mutant, MUTATED_FOLDERS } from "./mutants.ts";

/** What else their tests need. */
const FILES = ["package.json", "tsconfig.json", "docs/history.md", "harness/testing/fixed-draws.ts"];

/** Names of tests by their file. */
export type NamedTests = Readonly<Record<string, readonly string[]>>;

/**
 * `killed`: the first test that failed. `unloadable`: a test file did not load, so that no test says anything about the
 * mutant.
 */
export type Outcome =
  | { readonly type: "survived" }
  | { readonly type: "killed"; readonly file: string; readonly test: string; readonly words: string }
  | { readonly type: "unloadable"; readonly words: string };

/** Test files that take longer than this, in milliseconds, run only when the others let a mutant live. */
const LONG_MS = 300;

/**
 * The tests of the checkers on a copy of what they test, in one process that stays warm: only the mutated file is read
 * and transformed again. Each run evaluates all modules again and goes on to its end, so a mutant leaves nothing behind.
 */
export class MutantTests {
  readonly #copy: string;
  readonly #vitest: Vitest;
  readonly #all: readonly TestSpecification[];
  /** How long each test file took when all of its tests last passed. */
  readonly #durations = new Map<string, number>();

  private constructor(copy: string, vitest: Vitest, all: readonly TestSpecification[]) {
    this.#copy = copy;
    this.#vitest = vitest;
    this.#all = all;
  }

  static async open(): Promise<MutantTests> {
    const copy = copyOfCheckers();
    const vitest = await createVitest("test", {
      root: copy,
      config: false,
      watch: false,
      include: ["harness/{check,history}/**/*.test.ts"],
      exclude: ["**/fuzzing.test.ts", "**/mutants.test.ts", "**/*.long.*"],
      // Long tests are tests like others here: nothing is chosen by their tag.
      strictTags: false,
      // The same random histories for each mutant: another one must not kill it, or fail without any.
      setupFiles: ["harness/testing/fixed-draws.ts"],
      env: { CI: "true" },
      pool: "threads",
      isolate: false,
      maxWorkers: 1,
      // A busy machine must not kill a mutant that the tests let live.
      testTimeout: 120_000,
      reporters: [{}],
    });
    return new MutantTests(copy, vitest, await vitest.globTestSpecifications());
  }

  /** Runs all tests; those of long files only if the others let the mutant live. */
  async all(): Promise<Outcome> {
    const isLong = ({ moduleId }: TestSpecification): boolean => (this.#durations.get(moduleId) ?? 0) > LONG_MS;
    const outcome = await this.#run(this.#all.filter((file) => !isLong(file)));
    return outcome.type === "survived" ? this.#run(this.#all.filter(isLong)) : outcome;
  }

  /** Runs only these tests. A name that no test has any more is left out. */
  some(named: NamedTests): Promise<Outcome> {
    return this.#run(
      this.#all.flatMap(({ project, moduleId }) => {
        const testNames = named[this.#relative(moduleId)];
        return testNames === undefined ? [] : [project.createSpecification(moduleId, { testNames: [...testNames] })];
      }),
    );
  }

  /** What `run` gives while the mutant is in its file. */
  async mutated({ file, from, to }: Mutant, run: () => Promise<Outcome>): Promise<Outcome> {
    const path = join(this.#copy, file);
    const original = readFileSync(path, "utf8");
    const write = (text: string): void => {
      writeFileSync(path, text);
      this.#vitest.invalidateFile(path);
    };
    write(original.replace(from, () => to));
    try {
      return await run();
    } finally {
      write(original);
    }
  }

  async close(): Promise<void> {
    await this.#vitest.close();
    this.remove();
  }

  /** Removes the copy. */
  remove(): void {
    rmSync(this.#copy, { recursive: true, force: true });
  }

  async #run(specifications: readonly TestSpecification[]): Promise<Outcome> {
    if (specifications.length === 0) return { type: "survived" };
    const { testModules, unhandledErrors } = await this.#vitest.runTestSpecifications([...specifications]);
    // Vitest gives the modules of earlier runs as well.
    const ran = new Set(specifications.map(({ moduleId }) => moduleId));
    const modules = testModules.filter(({ moduleId }) => ran.has(moduleId));
    for (const module of modules) {
      const isWhole = specifications.every(({ testNames }) => testNames === undefined);
      if (isWhole && module.state() === "passed") this.#durations.set(module.moduleId, module.diagnostic().duration);
    }
    const [killer] = modules
      .toSorted((one, other) => one.diagnostic().duration - other.diagnostic().duration)
      .flatMap((module) => this.#failed(module));
    if (killer !== undefined) return killer;
    const [error] = [...modules.flatMap((module) => module.errors()), ...unhandledErrors];
    return error === undefined ? { type: "survived" } : { type: "unloadable", words: wordsOf(error) };
  }

  #failed(module: TestModule): readonly Outcome[] {
    return [...module.children.allTests("failed")].map((test) => ({
      type: "killed",
      file: this.#relative(module.moduleId),
      test: test.fullName,
      words: (test.result().errors ?? []).map(wordsOf).join("\n"),
    }));
  }

  #relative(moduleId: string): string {
    return moduleId.slice(this.#copy.length + 1);
  }
}

function copyOfCheckers(): string {
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const copy = mkdtempSync(join(tmpdir(), "lockstorm-mutants-"));
  for (const room of MUTATED_FOLDERS) cpSync(join(root, room), join(copy, room), { recursive: true });
  for (const file of FILES) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

function wordsOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  const { stack, message } = error as { readonly stack?: unknown; readonly message?: unknown };
  return String(stack ?? message);
}
