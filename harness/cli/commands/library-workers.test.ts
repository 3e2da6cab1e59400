import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { libraryWorkers } from "../../../lock-impl/workers/workers.ts";
import { EXIT } from "../../core/verdict.ts";
import { runMain } from "../testing/run-main.ts";

let cache: string;

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});

afterEach(() => rmSync(cache, { recursive: true }));

test.each(libraryWorkers)(
  "hunt --lock $name says in a line that $language is not prepared",
  { tags: "long" },
  async ({ name, language }) => {
    const { code, stderr } = await runMain(["hunt", "--lock", name, "--backend", "live"], {
      env: { XDG_CACHE_HOME: cache },
    });
    expect(code).toBe(EXIT.usage);
    expect(stderr).toMatch(
      new RegExp(`^lockstorm: the lock ${name} needs .*npx lockstorm setup --with ${language}\n$`),
    );
  },
);
