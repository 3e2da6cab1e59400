import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { digestOfDriver } from "./driver-code.ts";

const folder = mkdtempSync(join(tmpdir(), "lockstorm-code-"));
afterAll(() => rmSync(folder, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

const PROJECT = {
  "driver.mts": 'import { take } from "./lock.mts";\nexport { free } from "../out/free.mts";\nimport "ioredis";\n',
  "lock.mts": 'const later = await import(`./later.mts`);\nimport "./driver.mts";\n',
  "later.mts": 'const old = require("./old");\nnew URL("./program.js", import.meta.url);\n',
  "old.cjs": "module.exports = 1;\n",
  "program.js": "run();\n",
  "alone.mts": "export const driver = 1;\n",
};

test.each(["driver.mts", "lock.mts", "later.mts", "old.cjs", "program.js"] as const)(
  "the digest of a driver differs when %s differs",
  (changed) => {
    write(PROJECT);
    const before = digestOfDriver(join(folder, "driver.mts"));
    expect(digestOfDriver(join(folder, "driver.mts"))).toBe(before);
    write({ [changed]: `${PROJECT[changed]}// changed\n` });
    expect(digestOfDriver(join(folder, "driver.mts"))).not.toBe(before);
  },
);

test("files that a driver does not import, and files that are not there, make no difference", () => {
  write(PROJECT);
  const before = digestOfDriver(join(folder, "driver.mts"));
  write({ "alone.mts": "changed" });
  expect(digestOfDriver(join(folder, "driver.mts"))).toBe(before);
});

test("the program of a worker file counts, and what it imports", () => {
  const worker = { command: { program: "node", arguments: ["worker.mjs"] }, topologies: ["single"] };
  write({ "w.worker.json": JSON.stringify(worker), "worker.mjs": 'import "./deep.mjs";\n', "deep.mjs": "1;\n" });
  const before = digestOfDriver(join(folder, "w.worker.json"));
  write({ "deep.mjs": "2;\n" });
  expect(digestOfDriver(join(folder, "w.worker.json"))).not.toBe(before);
});
