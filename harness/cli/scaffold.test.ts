import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scaffold } from "./scaffold.ts";
import { runMain } from "./testing/run-main.ts";

const modules = fileURLToPath(new URL("../../node_modules", import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-init-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const text = (path: string): string => readFileSync(join(folder, path), "utf8");

test.each([
  ["module", "ts"],
  ["commonjs", "mts"],
])(
  "in a project of type %s it writes .%s, and its hunt runs and is green",
  { tags: "long" },
  async (type, extension) => {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type }));
    symlinkSync(modules, join(folder, "node_modules"));
    const { code, stdout, stderr } = await runMain(["init"], { cwd: folder });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`written   my-lock.${extension}`);
    expect(stdout).toContain(`written   my-lock.test.${extension}`);
    const hunt = await runMain(["hunt", "--runs", "40", "--seed", "1"], { cwd: folder });
    expect(hunt.stderr).toContain(
      `hunting: lock ./my-lock.${extension}, topology single, simulated, seed 1, up to 40 runs`,
    );
    expect(hunt.stdout.replaceAll(/(?<=\S)\n(?=\S)/g, " ")).toMatch(
      /^40 runs: [1-9]\d* valid, \d+ unknown; no required property was violated: .* Seed 1\.$/m,
    );
    expect(hunt.code).toBe(0);
  },
);

test("what is there stays as it was", () => {
  writeFileSync(join(folder, "my-lock.mts"), "mine");
  writeFileSync(join(folder, ".gitignore"), "dist");
  expect(scaffold(folder)).toEqual([
    { path: "lockstorm.config.mts", action: "written" },
    { path: "my-lock.mts", action: "kept" },
    { path: join(".github", "workflows", "lockstorm.yml"), action: "written" },
    { path: ".gitignore", action: "extended" },
  ]);
  expect(text("my-lock.mts")).toBe("mine");
  expect(text(".gitignore")).toBe("dist\n.lockstorm/*\n!.lockstorm/regressions/\n");
  expect(scaffold(folder).every(({ action }) => action === "kept")).toBe(true);
  expect(text(".gitignore")).toBe("dist\n.lockstorm/*\n!.lockstorm/regressions/\n");
});

test("an exception is written after what it is an exception of", () => {
  writeFileSync(join(folder, ".gitignore"), "!.lockstorm/regressions/\n");
  scaffold(folder);
  expect(text(".gitignore")).toBe("!.lockstorm/regressions/\n.lockstorm/*\n!.lockstorm/regressions/\n");
});

test("without vitest it writes no test", () => {
  scaffold(folder);
  expect(existsSync(join(folder, "my-lock.test.mts"))).toBe(false);
  mkdirSync(join(folder, "node_modules", "vitest"), { recursive: true });
  writeFileSync(join(folder, "node_modules", "vitest", "package.json"), "{}");
  scaffold(folder);
  expect(text("my-lock.test.mts")).toContain('lock: "./my-lock.mts"');
  // Vitest keeps what a failed test attaches, such as the page of its schedule.
  expect(text(".gitignore")).toBe(".lockstorm/*\n!.lockstorm/regressions/\n.vitest/\n.vitest-attachments/\n");
});

test("a package.json that is broken is said in one line", () => {
  writeFileSync(join(folder, "package.json"), "{");
  expect(() => scaffold(folder)).toThrow(/^package\.json cannot be read: /);
});

test("a folder that cannot be written is said in one line", () => {
  writeFileSync(join(folder, ".github"), "a file in the way");
  expect(() => scaffold(folder)).toThrow(/cannot be written/);
});

test("what cannot be written whole is not there: the next try would keep the rest of it", () => {
  // A write fails after the file is made, as on a full disk.
  const limited = `trap '' XFSZ; ulimit -f 0; exec "$0" "$@"`;
  const program = fileURLToPath(new URL("launch.js", import.meta.url));
  const { status, stderr } = spawnSync("sh", ["-c", limited, process.execPath, program, "init"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(stderr).toMatch(/^lockstorm: .*lockstorm\.config\.mts cannot be written: .*; .*\n$/);
  expect(status).toBe(254);
  expect(readdirSync(folder)).toEqual([]);
});
