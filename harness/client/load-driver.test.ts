import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { locks } from "../../lock-impl/registry.ts";
import { UserError } from "../core/errors.ts";
import { globalsOfDrivers } from "./globals-of-drivers.ts";
import { isModulePath, loadDriver } from "./load-driver.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-drivers-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function module(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test("a name is that of a lock, a path that of a module", () => {
  expect(["single", "redlock"].filter(isModulePath)).toEqual([]);
  expect(["./a.ts", "../a.mjs", "/a.js"].filter((path) => !isModulePath(path))).toEqual([]);
});

describe("a driver", () => {
  test.each(locks.map(({ name }) => name))("of the registered lock %s is loaded", async (name) => {
    expect(await loadDriver(name)).toHaveProperty("connect");
  });

  test.each([
    ["default.mjs", "export default { connect() {} };"],
    ["named.mjs", "export const driver = { connect() {} };"],
    ["both.mjs", "export default 3; export const driver = { connect() {} };"],
    ["common.cjs", "module.exports = { driver: { connect() {} } };"],
  ])("of a user's module is loaded: %s", async (name, text) => {
    expect(await loadDriver(module(name, text))).toHaveProperty("connect");
  });

  test("is found from the working directory", async () => {
    const path = relative(process.cwd(), module("relative.mjs", "export default { connect() {} };"));
    expect(await loadDriver(path.startsWith(".") ? path : `./${path}`)).toHaveProperty("connect");
  });
});

test("what the modules of a driver put on globalThis when they are loaded is known", async () => {
  await loadDriver(module("storing.mjs", "globalThis.storeOfLibrary ??= new Map(); export default { connect() {} };"));
  expect(globalsOfDrivers).toContain("storeOfLibrary");
  expect(Reflect.deleteProperty(globalThis, "storeOfLibrary")).toBe(true);
});

test("the package that a lock asks for is the one it is tested with", () => {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const packages = locks.flatMap(({ npmPackage }) => npmPackage ?? []);
  expect(packages.length).toBeGreaterThan(2);
  for (const asked of packages) {
    const [, name = "", version = asked] = /^(@?[^@]+)@(\S+)/.exec(asked) ?? [];
    expect(manifest.devDependencies[name]).toBe(version);
  }
});

describe("what is no driver is refused in one line", () => {
  test.each([
    [
      "unheard-of",
      "see lockstorm explain locks, or give the path of a driver: ./my-lock.ts, or ./my-lock.worker.json for another language",
    ],
    [
      "sngle",
      "did you mean single? Or give the path of a driver: ./my-lock.ts, or ./my-lock.worker.json for another language",
    ],
  ])("a lock that nobody knows, %s, with where to find one", async (name, hint) => {
    const refused = await loadDriver(name).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UserError);
    expect(refused).toMatchObject({ message: `there is no lock "${name}"`, hint });
  });

  test("a name that a file has, with how to name the file", async () => {
    await expect(loadDriver("package.json")).rejects.toMatchObject({
      hint: "for the file of that name, write ./package.json",
    });
  });

  test.each([
    [
      "an import that leads nowhere",
      "nowhere",
      'import "lockstorm-unheard-of";',
      /^install what it imports, or correct/,
    ],
    [
      "a syntax error",
      "syntax",
      "export const driver = { connect( { } };",
      /^correct it: node .*x\.mjs shows where it fails$/,
    ],
    ["an error of its own", "throwing", 'throw new Error("no way");', /^correct it: it fails at .*g\.mjs:1$/],
    [
      "an error in a file that it requires",
      "requiring",
      'import { createRequire } from "node:module";\ncreateRequire(import.meta.url)("./thrower.cjs");',
      /^correct it: it fails at .*thrower\.cjs:2$/,
    ],
    ["an error that is none", "throwing-text", 'throw "no way";', /^correct it: node .*t\.mjs shows where it fails$/],
    [
      "a syntax error in a file whose name a shell would split",
      "it's mine",
      "export const driver = { connect( { } };",
      /^correct it: node '\S*it'\\''s mine\.mjs' shows where it fails$/,
    ],
  ])("%s, with what to do", async (_, name, source, hint) => {
    module("thrower.cjs", '// a comment\nthrow new Error("no way");');
    const refused = await loadDriver(module(`${name}.mjs`, source)).catch((error: unknown) => error);
    expect(refused).toMatchObject({ hint: expect.stringMatching(hint) });
  });

  test.each([
    ["number", "7"],
    ["host", '"Error\\n    at f (file://host/x.ts:1:1)"'],
    ["escape", '"Error\\n    at f (file:///%zz/x.ts:1:1)"'],
    ["file", '"Error\\n    at f (/nowhere/x.ts:1:1)"'],
  ])("an error whose stack says nothing that can be read (%s)", async (name, stack) => {
    const thrown = `throw Object.assign(new Error("no way"), { stack: ${stack} });`;
    await expect(loadDriver(module(`stack-${name}.mjs`, thrown))).rejects.toMatchObject({
      message: expect.stringMatching(/cannot be loaded: no way$/),
      hint: expect.stringMatching(/^correct it: node \S+ shows where it fails$/),
    });
  });

  test.each(["notes.txt", "lock.py", "driver"])("a file that is no module by its name: %s", async (name) => {
    await expect(loadDriver(module(name, "export default {};"))).rejects.toMatchObject({
      message: expect.stringMatching(/ is no module: its name ends in none of \.mts, \.ts, /),
      hint: "give the file of a driver, or my-lock.worker.json for a lock in another language",
    });
  });

  test("an error in a file that had to be rewritten, with its line there", async () => {
    const source =
      "interface A {\n  a: string;\n}\nenum Answer {\n  Yes,\n}\nconst a: A = (undefined as any).of(Answer.Yes);\n";
    await expect(loadDriver(module("rewritten.mts", source))).rejects.toMatchObject({
      hint: expect.stringMatching(/^correct it: it fails at \S*rewritten\.mts:7$/),
    });
  });

  test("an import by a path alias", async () => {
    await expect(loadDriver(module("aliased.mjs", 'import "@/locks/orders";'))).rejects.toMatchObject({
      hint: expect.stringMatching(
        /^if it is an alias, name what it stands for under paths .* lock: \(\) => import\(\.\.\.\)$/,
      ),
    });
  });

  test("an ES module that Node takes for a CommonJS module, in words that vitest does not take for its own", async () => {
    const refusal = 'throw new SyntaxError("Cannot use import statement outside a module");';
    for (const [name, which] of Object.entries({ "untyped.js": "it", "typed.mjs": "a file that it imports" })) {
      await expect(loadDriver(module(name, refusal))).rejects.toMatchObject({
        message: expect.stringContaining(`cannot be loaded: ${which} is written as an ES module, and Node `),
        hint: 'name that file .mts or .mjs, or write "type": "module" in package.json',
      });
    }
  });

  // In Node's words: vitest looks for packages in its own way.
  test("a package without its main file", async () => {
    const message = "Cannot find package '/x/node_modules/source-only/index.js' imported from /x/lock.mjs";
    const thrown = `throw Object.assign(new Error(${JSON.stringify(message)}), { code: "ERR_MODULE_NOT_FOUND" });`;
    await expect(loadDriver(module("without-main.mjs", thrown))).rejects.toMatchObject({
      hint: "that package is installed without the file that its package.json names: take another version, or a copy of its source beside the driver",
    });
  });

  // In Node's words: vitest reads what is not there as undefined.
  test.each([
    ["./types", "Options", "export Options there, or import it by import type, if it is a type"],
    [
      "some-lock",
      "createLock",
      `import what it exports: node -e 'import("some-lock").then(console.log)' shows it; a type needs import type`,
    ],
    [
      "@some/lock",
      "default",
      `import what it exports by name, or all by import * as: node -e 'import("@some/lock").then(console.log)' shows it; a type needs import type`,
    ],
  ])("an import of what is not exported: by %s, %s", async (from, missing, hint) => {
    const message = `The requested module '${from}' does not provide an export named '${missing}'`;
    const file = module(`${missing}.ts`, `throw new SyntaxError(${JSON.stringify(message)});`);
    await expect(loadDriver(file)).rejects.toMatchObject({ hint });
  });

  test("several names", async () => {
    await expect(loadDriver("single,redlock")).rejects.toMatchObject({
      message: 'there is no lock "single,redlock"',
      hint: "give one lock, or have a table of several: lockstorm hunt --all --lock single,redlock",
    });
  });

  test("a package whose files for import are not all there", async () => {
    const half = join(folder, "node_modules/half");
    mkdirSync(half, { recursive: true });
    writeFileSync(join(half, "package.json"), '{ "type": "module", "exports": "./index.js" }');
    writeFileSync(join(half, "index.js"), 'export * from "./rest";');
    await expect(loadDriver(module("halved.mjs", 'import "half";'))).rejects.toMatchObject({
      hint: "a file of that package is missing: load the package by createRequire(import.meta.url), if it has files for require, or take another version",
    });
  });

  test("a file with another extension than the one that is there", async () => {
    module("own-lock.mts", "export default {};");
    await expect(loadDriver(join(folder, "own-lock.ts"))).rejects.toMatchObject({ hint: "did you mean own-lock.mts?" });
    await expect(loadDriver(join(folder, "own-look.ts"))).rejects.toMatchObject({
      hint: "correct the path of the lock",
    });
  });

  test.each([
    ["under another name", "export const lock = { connect() {} };", "it exports one as `lock`"],
    ["as a function that makes it", "export const driver = () => ({ connect() {} });", "its `driver` is a function"],
    ["as a default function", "export default () => ({ connect() {} });", "its default export is a function"],
    ["nowhere", "export const x = 1;", "as default or as `driver`"],
  ])("a driver that is exported %s: the hint says so", async (name, source, hint) => {
    await expect(loadDriver(module(`exported-${name.replaceAll(" ", "-")}.mjs`, source))).rejects.toMatchObject({
      hint: expect.stringMatching(new RegExp(`${hint}$`)),
    });
  });

  test.each([
    ["a folder", () => folder, "is a folder"],
    ["a file that is not there", () => join(folder, "nothing.mjs"), "there is no file"],
    ["a file whose name is too long", () => join(folder, `${"n".repeat(300)}.mjs`), "its name is too long"],
    ["a module that throws", () => module("throws.mjs", 'throw new Error("no\\nway");'), "cannot be loaded: no way"],
    ["a module that is none", () => module("broken.mjs", "export default {"), "cannot be loaded"],
    [
      "a module that throws what no text can be made of",
      () => module("untellable.mjs", "throw Object.create(null);"),
      "cannot be loaded: an error that cannot be shown",
    ],
    [
      "a driver that nobody can look into",
      () => module("revoked.mjs", "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); export default proxy;"),
      "exports something that cannot be read: Cannot perform 'get' on a proxy that has been revoked",
    ],
    ["a module without a driver", () => module("empty.mjs", "export const x = 1;"), "exports no lock driver"],
    [
      "a driver that cannot connect",
      () => module("other.mjs", "export default { connect: 1 };"),
      "exports no lock driver",
    ],
  ])("%s", async (_, path, message) => {
    const refused = await loadDriver(path()).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UserError);
    expect((refused as UserError).message).toContain(message);
    expect((refused as UserError).message).not.toContain("\n");
  });
});
