import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { problemOfLoading } from "../loading-problems.ts";
import { findFile } from "./find-file.ts";
import { placeOfError } from "./place-of-error.ts";
import { toJavaScript } from "./to-javascript.ts";

let folder: string;
const at = (path: string): string => join(folder, path);

const FILES = {
  "tsconfig.base.json": '{ "compilerOptions": { "paths": { "@locks/*": ["./src/locks/*"] } } }',
  "tsconfig.json": '{ /* comments are allowed */ "extends": "./tsconfig.base.json", }',
  "strict/tsconfig.json": '{ "compilerOptions": { "verbatimModuleSyntax": true } }',
  "broken/tsconfig.json": '{ "compilerOptions": ',
  "src/main.ts": "",
  "src/plain.js": "",
  "src/both.js": "",
  "src/both.ts": "",
  "src/words/index.ts": "",
  "src/worker.mts": "",
  "src/locks/lock.ts": "",
  "node_modules/pack/index.js": "",
  "node_modules/pack/other.ts": "",
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-typescript-"));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  }
});

afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["./plain", "src/plain.js"],
  ["./main", "src/main.ts"],
  ["./main.js", "src/main.ts"],
  ["./worker.mjs", "src/worker.mts"],
  ["./both", "src/both.ts"],
  ["./words", "src/words/index.ts"],
  ["../src/words/", "src/words/index.ts"],
  ["@locks/lock", "src/locks/lock.ts"],
  ["@locks/lock.js", "src/locks/lock.ts"],
  ["@locks/none", undefined],
  ["./none", undefined],
  ["express", undefined],
])("in a project %s means %s", (specifier, expected) => {
  expect(findFile(specifier, at("src/main.ts"))).toBe(expected && at(expected));
});

test("an installed package is resolved by Node alone", () => {
  expect(findFile("./other", at("node_modules/pack/index.js"))).toBeUndefined();
});

test("what Node can strip is stripped: every line and column stays where it is", () => {
  const text =
    'import type { A } from "./a";\nconst a: A | undefined = undefined;\nexport default a satisfies unknown;\n';
  const { code, isRewritten } = toJavaScript(text, at("src/main.ts"));
  expect(isRewritten).toBe(false);
  expect(code).toHaveLength(text.length);
  expect(code.indexOf("export default")).toBe(text.indexOf("export default"));
});

test.each([
  ["an enum", "export enum Mode { Fast = 1 }", "Fast"],
  ["a namespace", "export namespace Words { export const one = 1 }", "Words"],
  ["a parameter property", "export class A { constructor(private readonly name: string) {} }", "this.name = name"],
])("%s is rewritten", (_, text, expected) => {
  const { code, isRewritten } = toJavaScript(text, at("src/main.ts"));
  expect(isRewritten).toBe(true);
  expect(code).toContain(expected);
});

test.each([
  ['import { A } from "./a";\nexport const x: A = 1;', false],
  ['import { A, b } from "./a";\nexport const x: A = b;', true],
  ['import A from "./a";\nexport const x: A = 1;', false],
  ['import A, { b } from "./a";\nexport const x: A = b;', true],
  ['import b, { A } from "./a";\nexport const x: A = b;', true],
  ['import * as A from "./a";\nexport const x: A.B = 1;', false],
  ['import { B as A } from "./a";\nexport const x: A = 1;', false],
  ['import { $b } from "./a";\nexport const x = $b;', true],
  ['import { A } from "./a";\nexport const BA = 1, AB = 2, $A = 3;', false],
  ['import {\n  A,\n  type C,\n  b,\n} from "./a";\nexport const x: A = b;', true],
  ['import "./a";\nexport const x = 1;', true],
  ['enum E { F }\nimport { A } from "./a";\nexport const x: A = E.F;', false],
])("an import of what is only a type goes, and no other: %j", (text, stays) => {
  const { code } = toJavaScript(text, at("src/main.ts"));
  expect(code.includes('"./a"')).toBe(stays);
  expect(code).not.toMatch(/(?<!\$)\bA\b/);
  expect(code.includes("enum") || text.includes("enum") || code.length === text.length).toBe(true);
});

test("a comment that begins a line does not use the names that it mentions", () => {
  const text = 'import { A } from "./a";\n/**\n * @param x an A\n */\nexport const f = (x: A) => x;\n  // an A\n';
  expect(toJavaScript(text, at("src/main.ts")).code).not.toContain("./a");
  const used = 'import { A } from "./a";\n/** one */ export const x = A; // two\n/** three */\n';
  expect(toJavaScript(used, at("src/main.ts")).code).toBe(used);
});

test("a name that is mentioned anywhere else stays, and so do all where the project keeps them", () => {
  const mentioned = 'import { A } from "./a";\nexport const x: A = 1; // A';
  expect(toJavaScript(mentioned, at("src/main.ts"))).toMatchObject({ isRewritten: false });
  const beside = 'import b, * as C from "./a";\nexport const x: C.D = b;';
  expect(toJavaScript(beside, at("src/main.ts")).code).toContain("b, * as C from");
  const text = 'import { A } from "./a";\nexport const x: A = 1;';
  expect(toJavaScript(text, at("strict/main.ts"))).toMatchObject({ isRewritten: false });
  expect(toJavaScript(text, at("strict/main.ts")).code).toContain("./a");
});

test("settings that cannot be read count as none", () => {
  expect(toJavaScript("export enum Mode { Fast }", at("broken/main.ts")).code).toContain("Fast");
  expect(findFile("@locks/lock", at("broken/main.ts"))).toBeUndefined();
});

test("what an installed package contains is left to Node, which says what it refuses", () => {
  expect(() => toJavaScript("export enum Mode { Fast }", at("node_modules/pack/other.ts"))).toThrow("enum");
});

test("what is not TypeScript is refused with Node's own words", () => {
  expect(() => toJavaScript("export const = 1;", at("src/main.ts"))).toThrow(SyntaxError);
});

test("where code failed is told as a line of the file that its author wrote", () => {
  const path = at("rewritten.mts");
  const text =
    "interface A {\n  a: string;\n}\nenum Answer {\n  Yes,\n}\nexport const a: A = (undefined as any).of(Answer.Yes);\n";
  writeFileSync(path, text);
  const lines = toJavaScript(text, path).code.split("\n");
  const failing = lines.findIndex((line) => line.startsWith("export const a")) + 1;
  expect(failing).not.toBe(7);
  const error = new TypeError("no of");
  const inPackage = `    at wrapped (${at("node_modules/pack/index.js")}:1:1)`;
  error.stack = `TypeError: no of\n${inPackage}\n    at ${pathToFileURL(path).href}?x=1:${failing}:18`;
  expect(placeOfError(error)).toEqual({ path, line: 7 });
  error.stack = `TypeError: no of\n${inPackage}\n    at async node:internal/modules/esm/loader:1:1`;
  expect(placeOfError(error)).toBeUndefined();
  writeFileSync(path, text.replace(/enum[^}]*}/, "type B =\n  1\n;"));
  error.stack = `TypeError: no of\n    at Object.<anonymous> (${path}:7:18)`;
  expect(placeOfError(error)).toEqual({ path, line: 7 });
});

test("a decorator, which Node cannot read, is named by its file and line where loading fails because of it", () => {
  const text =
    "// A service.\nfunction Injectable(x: object) {\n  return x;\n}\n@Injectable({ of: (1) })\nexport class A {}\n";
  const path = at("src/service.ts");
  const problem = (written: string, error: Error) => {
    toJavaScript(written, path);
    return problemOfLoading(error, "driver.mts").message;
  };
  const unread = new SyntaxError("Invalid or unexpected token");
  expect(problem(text, unread)).toBe(`driver.mts cannot be loaded: ${path}:5 has a decorator, which Node cannot read`);
  expect(problem(text, new Error("no licence"))).toBe("driver.mts cannot be loaded: no licence");
  const commented = "/*\n@Injectable()\nclass A */\nclass B {}\n";
  expect(problem(commented, unread)).toBe("driver.mts cannot be loaded: Invalid or unexpected token");
});
