import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addCommand } from "./package-manager.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "package-manager-"));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), "{}");
  }
}

const command = (folder = ".", userAgent = ""): string =>
  addCommand(join(root, folder), "testcontainers@12", userAgent).words.join(" ");

describe("the command that adds a dependency", () => {
  test.each([
    ["package-lock.json", "npm install --save-dev testcontainers@12"],
    ["npm-shrinkwrap.json", "npm install --save-dev testcontainers@12"],
    ["pnpm-lock.yaml", "pnpm add --save-dev testcontainers@12"],
    ["yarn.lock", "yarn add --dev testcontainers@12"],
    ["bun.lock", "bun add --dev testcontainers@12"],
  ])("is that of the project's lock file: %s", (lockFile, expected) => {
    write("package.json", lockFile);
    expect(command(".", "npm/11.0.0 node/v24.0.0 linux x64")).toBe(expected);
  });

  test("without a lock file is that of the package manager that runs us, or npm's", () => {
    write("package.json");
    expect(command(".", "pnpm/10.1.0 npm/? node/v24.0.0 linux x64")).toMatch(/^pnpm add /);
    expect(command(".", "yarn/4.5.0 npm/? node/v24.0.0 linux x64")).toMatch(/^yarn add /);
    expect(command(".", "vlt/1.0.0")).toMatch(/^npm install /);
    expect(command()).toMatch(/^npm install /);
  });

  test("in a workspace is that of the lock file above, and runs in the project", () => {
    write("package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", "packages/a/package.json", "packages/a/src/x.ts");
    expect(addCommand(join(root, "packages/a/src"), "testcontainers@12")).toEqual({
      folder: join(root, "packages/a"),
      words: ["pnpm", "add", "--save-dev", "testcontainers@12"],
    });
  });

  test("at the root of a pnpm workspace says that the root is meant", () => {
    write("package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml");
    expect(command()).toBe("pnpm add --save-dev --workspace-root testcontainers@12");
  });

  test("runs in the folder itself where there is no project", () => {
    expect(addCommand(root, "testcontainers@12").folder).toBe(root);
  });
});
