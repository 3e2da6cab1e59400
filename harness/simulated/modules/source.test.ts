import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sourceOf } from "./source.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-source-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["keys.cjs", "exports.keys = Reflect.ownKeys({}); exports.value = Reflect\n  .get({}, 'a')", false],
  ["none.mjs", "export const name = 'myReflection'", false],
  ["metadata.cjs", "Reflect.defineMetadata = () => {}", true],
  ["computed.cjs", "Reflect['defineMetadata'] = () => {}", true],
  ["passed.mjs", "Object.assign(globalThis.Reflect, { defineMetadata() {} })", true],
])("%s may add to Reflect, or not", (name, code, expected) => {
  const path = join(folder, name);
  writeFileSync(path, code);
  expect(sourceOf(path, () => Promise.reject(new Error("imports nothing")))).toMatchObject({ addsToReflect: expected });
});
