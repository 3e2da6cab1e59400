import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Side, upstreamReports } from "./reports.ts";

const KIT = new URL("../../kits/go/", import.meta.url);

/** The modules that a module file requires, without their versions. */
function requiredBy(file: URL): readonly string[] {
  return [...readFileSync(file, "utf8").matchAll(/^(?:require)?\s+(\S+\.\S+\/\S+) v\S+/gmu)].map(
    ([, name = ""]) => name,
  );
}

/** For each version that is built with a module file of its own: the module, and that file. */
function replacedModules(): readonly (readonly [module: string, modfile: string])[] {
  const sides = upstreamReports.flatMap(({ red, green }): readonly Side[] =>
    green === undefined ? [red] : [red, green],
  );
  return sides.flatMap(({ build }) =>
    build?.language === "go" && build.modfile !== undefined ? [[build.module, build.modfile] as const] : [],
  );
}

test.each(replacedModules())("what the module %s imports is in %s as well", (module, modfile) => {
  const folder = new URL(`${module}/`, KIT);
  const required = requiredBy(new URL("go.mod", folder));
  expect(required.length).toBeGreaterThan(0);
  expect(requiredBy(new URL(modfile, folder))).toEqual(expect.arrayContaining([...required]));
});
