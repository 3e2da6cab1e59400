// First: libraries store functions of the platform when they are loaded.
import { ladderDocument, libraryDocument, LOCK_PAGES, lockDocument } from "./lock-documents.ts";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { kindOf } from "../../faults/fault-classes.ts";
import { ladder } from "../../lock-impl/ladder/ladder.ts";
import { libraryWorkers } from "../../lock-impl/workers/workers.ts";
import { libraries } from "../../lock-impl/libraries/libraries.ts";
import { findLock, locks } from "../../lock-impl/registry.ts";
import { isSimulated } from "../../harness/core/topology.ts";
import { hasVisibleOverlap } from "../../harness/campaign/visible-overlap.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

describe("the pages of the locks are up to date (npm run docs:locks)", () => {
  test.each(locks.map((lock) => [lock.name, lock] as const))("%s", async (_, lock) => {
    const { run, document } = await lockDocument(lock, root);
    expect(read(document.path)).toBe(document.text);
    expect(run !== undefined).toBe(lock.topologies.some(isSimulated));
    if (run === undefined) return;
    expect(run.verdict.verdict).toBe("invalid");
    const [, named, drawn] = /\nOf ([\w-]+) .*\n[^]*?\n {4}Violation(?: 1 of \d+)?: ([^\n]*)/.exec(document.text) ?? [];
    expect(drawn).toContain(named);
    expect(hasVisibleOverlap(run.verdict)).toBe(true);
    const { under } = lock.lesson.shows;
    expect(run.plan.faults.filter(({ kind }) => kind !== kindOf(under))).toEqual([]);
  });

  test("the ladder", () => {
    const { path, text } = ladderDocument();
    expect(read(path)).toBe(text);
  });

  test("the libraries (npm run docs:libraries)", () => {
    const { path, text } = libraryDocument(root);
    expect(read(path)).toBe(text);
    for (const { name, documented } of [...libraries, ...libraryWorkers]) expect(documented, name).toMatch(/\.$/);
  });

  test("no page is left of a lock that is gone", () => {
    const pages = readdirSync(join(root, LOCK_PAGES)).filter((name) => name.endsWith(".md"));
    expect(pages.toSorted()).toEqual(["README.md", ...locks.map(({ name }) => `${name}.md`)].toSorted());
  });
});

describe("lessons", () => {
  test.each(locks.map((lock) => [lock.name, lock] as const))(
    "%s: shows a limit of its own",
    (_, { limits, lesson }) => {
      const { shows, fixedBy } = lesson;
      expect(limits).toContainEqual(expect.objectContaining(shows));
      if (fixedBy !== undefined) expect(findLock(fixedBy)).toMatchObject({ name: fixedBy });
    },
  );

  test("every flawed rung is mended by a higher one", () => {
    for (const lock of ladder.filter(({ name, flawed }) => flawed && name !== "reentrant-naive")) {
      const mends = ladder.findIndex(({ name }) => name === lock.lesson.fixedBy);
      expect(mends, lock.name).toBeGreaterThan(ladder.indexOf(lock));
    }
  });
});
