import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findTestcontainers, loadTestcontainers } from "./load-testcontainers.ts";

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "testcontainers-"));
});
afterEach(() => rmSync(project, { recursive: true }));

const place = (): string => join(project, "package.json");

function install(version: string): void {
  const folder = join(project, "node_modules", "testcontainers");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "testcontainers", version, main: "main.js" }));
  writeFileSync(join(folder, "main.js"), "exports.GenericContainer = class {};");
}

test("testcontainers that is not installed is named with the command that installs it", () => {
  expect(() => loadTestcontainers([place()])).toThrow(
    expect.objectContaining({
      message: "containers need testcontainers, which is not installed",
      hint: "run `npm install --save-dev testcontainers@12`",
    }),
  );
});

test("of another major version it is refused", () => {
  install("11.4.0");
  expect(() => loadTestcontainers([place()])).toThrow("testcontainers 11.4.0 is installed, but lockstorm needs 12");
});

test("is found in the second place when it is not in the first, also when it was installed in between", () => {
  const elsewhere = join(project, "elsewhere", "package.json");
  expect(findTestcontainers([elsewhere])).toBeUndefined();
  install("12.9.9");
  expect(findTestcontainers([join(tmpdir(), "package.json"), place()])).toMatchObject({ version: "12.9.9" });
  expect(loadTestcontainers([place()])).toHaveProperty("GenericContainer");
});
