import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { resolveModule } from "./resolution.ts";

test("what is requested again is found again for the same file and way of requesting, and for no other", () => {
  const home = mkdtempSync(join(tmpdir(), "lockstorm-resolution-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const write = (path: string, text: string): void => {
    const file = join(home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const entries = { exports: { import: "./import.mjs", require: "./require.cjs" } };
  for (const folder of ["", "inner/"]) {
    write(`${folder}node_modules/two-ways/package.json`, JSON.stringify({ name: "two-ways", ...entries }));
    write(`${folder}node_modules/two-ways/import.mjs`, "");
    write(`${folder}node_modules/two-ways/require.cjs`, "");
  }
  const [outer, inner] = [join(home, "asking.js"), join(home, "inner/asking.js")];
  for (let time = 0; time < 2; time += 1) {
    expect(resolveModule("two-ways", outer, "import")).toBe(join(home, "node_modules/two-ways/import.mjs"));
    expect(resolveModule("two-ways", outer, "require")).toBe(join(home, "node_modules/two-ways/require.cjs"));
    expect(resolveModule("two-ways", inner, "import")).toBe(join(home, "inner/node_modules/two-ways/import.mjs"));
    expect(resolveModule("two-ways", inner, "require")).toBe(join(home, "inner/node_modules/two-ways/require.cjs"));
    expect(resolveModule("fs", outer, "require")).toBe("node:fs");
  }
  expect(() => resolveModule("./late.js", outer, "require")).toThrow("Cannot find module");
  write("late.js", "");
  expect(resolveModule("./late.js", outer, "require")).toBe(join(home, "late.js"));
});
