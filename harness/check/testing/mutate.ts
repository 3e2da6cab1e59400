/**
 * Do the tests of the checkers notice when a checker is wrong? `node harness/check/testing/mutate.ts [numbers]` changes
 * one place at a time, as `mutants.json` lists them, in a copy of `harness/check` and `harness/core`, and runs the tests.
 * A mutant that survives is listed with the reason why it may. Exits with 1 when another one does. Takes some minutes.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const mutantSchema = z.strictObject({
  file: z.string(),
  from: z.string(),
  to: z.string(),
  /** Why no test can notice, or none has yet. */
  survives: z.string().optional(),
});

/** The list of mutants. */
export function readMutants(): readonly z.infer<typeof mutantSchema>[] {
  const text = readFileSync(new URL("mutants.json", import.meta.url), "utf8");
  return z.array(mutantSchema).parse(JSON.parse(text));
}

const CONFIGURATION = `
  import { defineConfig } from "vitest/config";
  export default defineConfig({
    test: {
      include: ["harness/check/**/*.test.ts"],
      exclude: ["**/fuzzing.test.ts", "**/mutants.test.ts"],
      bail: 1,
      // So that a busy machine kills no mutant that the tests let live.
      testTimeout: 120_000,
    },
  });
`;

function copyOfCheckers(): string {
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const copy = mkdtempSync(join(tmpdir(), "lockstorm-mutants-"));
  for (const folder of ["harness/check", "harness/core"])
    cpSync(join(root, folder), join(copy, folder), { recursive: true });
  for (const file of ["package.json", "tsconfig.json"]) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  writeFileSync(join(copy, "vitest.config.ts"), CONFIGURATION);
  return copy;
}

function testsPass(copy: string): boolean {
  const vitest = join(copy, "node_modules", "vitest", "vitest.mjs");
  const { status } = spawnSync(process.execPath, [vitest, "run"], { cwd: copy, timeout: 600_000 });
  return status === 0;
}

function main(chosen: readonly number[]): number {
  const copy = copyOfCheckers();
  try {
    if (!testsPass(copy)) throw new Error("the tests fail without any mutant");
    let unexplained = 0;
    readMutants().forEach(({ file, from, to, survives }, number) => {
      if (chosen.length > 0 && !chosen.includes(number)) return;
      const path = join(copy, "harness/check", file);
      const original = readFileSync(path, "utf8");
      writeFileSync(
        path,
        original.replace(from, () => to),
      );
      const survived = testsPass(copy);
      writeFileSync(path, original);
      if (survived && survives === undefined) unexplained += 1;
      const outcome = survived ? `SURVIVED (${survives ?? "unexplained"})` : "killed";
      console.log(
        `${number} ${file}: ${JSON.stringify(from.slice(0, 60))} -> ${JSON.stringify(to.slice(0, 40))}: ${outcome}`,
      );
    });
    return unexplained;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = main(process.argv.slice(2).map(Number)) > 0 ? 1 : 0;
}
