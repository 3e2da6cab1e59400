/**
 * `npm run pack:check [-- 22 26]`: packs the package, installs it in empty projects, and uses it as a user does, under
 * this Node and further versions of it.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isEngineRequired } from "../harness/containers/testing/test-engine.ts";
import { expectLean } from "./installed-packages.ts";
import { foreignImports } from "./package-contents.ts";
import { expectCode, run, step } from "./steps.ts";
import { follow } from "./walkthrough.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const area = mkdtempSync(join(tmpdir(), "lockstorm-package-"));
/** Documents that tell how large an installation is. */
const SIZED = ["README.md", "docs/getting-started.md"];
const QUIET = ["--prefer-offline", "--no-audit", "--no-fund"];

const LIBRARY = `
  import assert from "node:assert/strict";
  import { LockBrokenError, Locks, verifyLock } from "lockstorm";
  assert.equal(typeof Locks.connect, "function");
  const { valid } = await verifyLock({ lock: "fenced", runs: 30 });
  assert.ok(valid > 0);
  await assert.rejects(verifyLock({ lock: "set-px", topology: "single" }), LockBrokenError);
`;

/** As Jest runs it: with a global `test`, and without modules. */
const COMMONJS = `
  const assert = require("node:assert/strict");
  const { LockBrokenError, lockstorm } = require("lockstorm/jest");
  globalThis.test = (name, body) => assert.rejects(body(), LockBrokenError);
  lockstorm("set-px", { lock: "set-px", topology: "single" });
`;

const TYPED = `
  import { Locks, verifyLock, type Config, type LockDriver } from "lockstorm";
  import { lockstorm, type VerifyOptions } from "lockstorm/vitest";

  const driver: LockDriver = { connect: () => Promise.reject(new Error("no")) };
  const options: VerifyOptions = { lock: () => driver, topology: "sentinel", require: ["lease-exclusion"] };
  lockstorm("it holds", options);
  export const valid: Promise<number> = verifyLock(options).then((verification) => verification.valid);
  export const config = { lock: "./a.ts", proxyPort: 8474 } satisfies Config;
  export async function hold(locks: Locks): Promise<number | undefined> {
    await using held = await locks.lock("orders", { leaseMs: 1000 });
    return held.fencingToken;
  }
  // @ts-expect-error there is no such topology
  export const wrong: VerifyOptions = { lock: "single", topology: "star" };
`;

try {
  const tarball = await step("packs", pack);
  const bare = await step("installs in an empty project", () => install(tarball));
  await step("needs nothing that it does not install", async () => {
    const foreign = foreignImports(join(bare, "node_modules", "lockstorm"));
    if (foreign.length > 0) throw new Error(foreign.join("\n"));
  });
  await step("installs no client of container engines, nothing native", async () =>
    expectLean(bare, Object.fromEntries(SIZED.map((path) => [path, readFileSync(join(root, path), "utf8")]))),
  );
  await step("resolves its types", () => compile(bare));
  for (const node of await nodes(process.argv.slice(2))) {
    const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env["PATH"]}`, NO_COLOR: "1" };
    const { stdout } = await expectCode(0, node, ["--version"], {});
    await step(`runs under Node ${stdout.trim()}`, () => use(bare, env));
  }
  await step("does what docs/getting-started.md says", () => getStarted(tarball));
  await step("runs containers once testcontainers is installed", () => useContainers(bare));
} finally {
  rmSync(area, { recursive: true });
}

/** Packs the package, prints its size, and returns its path. */
async function pack(): Promise<string> {
  const packed = await expectCode(0, "npm", ["pack", "--json", "--pack-destination", area], { cwd: root });
  const start = packed.stdout.search(/^\s*[[{]/m);
  const report = JSON.parse(packed.stdout.slice(start)) as unknown;
  const [made] = Object.values(report as object) as readonly PackReport[];
  if (made === undefined) throw new Error("npm packed nothing");
  const strange = made.files
    .map(({ path }) => path)
    .filter((path) => /\.test\.|\.bench\.|\/testing\/|testdata/.test(path));
  if (strange.length > 0) throw new Error(`the package holds ${strange.join(", ")}`);
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(2)} MB`;
  console.log(
    `      ${made.files.length} files, ${megabytes(made.size)} packed, ${megabytes(made.unpackedSize)} installed`,
  );
  return join(area, made.filename);
}

interface PackReport {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** An empty project with only the package, and the types of Node for the compiler. */
async function install(tarball: string): Promise<string> {
  const folder = join(area, "bare");
  mkdirSync(folder);
  await expectCode(0, "npm", ["init", "-y"], { cwd: folder });
  await expectCode(0, "npm", ["install", ...QUIET, tarball, "@types/node@24"], { cwd: folder });
  return folder;
}

/** Type-checks a user's program against the installed types, the way Node and the way bundlers resolve them. */
async function compile(folder: string): Promise<void> {
  writeFileSync(join(folder, "typed.mts"), TYPED);
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const strict = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "esnext", "--types", "node"];
  for (const way of [
    ["--module", "nodenext"],
    ["--module", "preserve", "--moduleResolution", "bundler"],
  ]) {
    await expectCode(0, process.execPath, [compiler, ...strict, ...way, "typed.mts"], { cwd: folder });
  }
}

/** This Node, and others by their major version, from npm. */
async function nodes(majors: readonly string[]): Promise<readonly string[]> {
  const found = [process.execPath];
  for (const major of majors) {
    const folder = join(area, `node-${major}`);
    await expectCode(0, "npm", ["install", ...QUIET, "--prefix", folder, `node@${major}`], { cwd: area });
    found.push(join(folder, "node_modules", "node", "bin", "node"));
  }
  return found;
}

/** The program and the library, in the project where nothing else is installed. */
async function use(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const lockstorm = (code: number, ...words: string[]) =>
    expectCode(code, join(folder, "node_modules", ".bin", "lockstorm"), words, { cwd: folder, env });
  await lockstorm(0, "--help");
  const shown = await lockstorm(1);
  if (!/^ {2}overlap .*▲/m.test(shown.stdout)) throw new Error(shown.stdout);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };
  if ((await lockstorm(0, "--version")).stdout !== `${version}\n`) throw new Error("it does not know its version");
  await lockstorm(1, "hunt", "--lock", "set-px", "--seed", "1");
  await lockstorm(0, "hunt", "--lock", "redlock", "--seed", "1", "--runs", "30", "--faults", "latency");
  await lockstorm(1, "replay", "docs/locks/plans/redlock.json");
  const worker = join("kits", "python", "examples", "own-lock.worker.json");
  const refusal = await lockstorm(254, "hunt", "--lock", join("node_modules", "lockstorm", worker));
  if (!refusal.stderr.includes("cannot be simulated")) throw new Error(refusal.stderr);
  const { stderr } = await lockstorm(254, "hunt", "--lock", "redlock4");
  if (!/^lockstorm: .* is not installed; .*npm install redlock4@.*\n$/.test(stderr)) throw new Error(stderr);
  const small = ["--topology", "redlock", "--faults", "clock-jump", "--runs", "1"];
  const { stdout } = await lockstorm(2, "hunt", "--all", ...small);
  if (!/Left out, since their packages are not installed: npm install .*redlock4@/.test(stdout))
    throw new Error(stdout);
  writeFileSync(join(folder, "library.mjs"), LIBRARY);
  await expectCode(0, "node", ["library.mjs"], { cwd: folder, env });
  writeFileSync(join(folder, "library.cjs"), COMMONJS);
  await expectCode(0, "node", ["library.cjs"], { cwd: folder, env });
}

/**
 * Containers in the same project: lockstorm refuses them in one line, and they work after the command that the line
 * names. Where no engine runs, the program must say that instead.
 */
async function useContainers(folder: string): Promise<void> {
  const program = join(folder, "node_modules", ".bin", "lockstorm");
  const options = { cwd: folder, env: { ...process.env, NO_COLOR: "1" } };
  const hunt = ["hunt", "--lock", "single", "--backend", "containers", "--seed", "1", "--runs", "2"];
  const { stderr } = await expectCode(254, program, hunt, options);
  const command = /^lockstorm: .*testcontainers.* is not installed; run `npm install (.*)`$/m.exec(stderr)?.[1];
  if (command === undefined) throw new Error(stderr);
  await expectCode(0, "npm", ["install", ...QUIET, ...command.split(" ")], { cwd: folder });
  const { code, stdout } = await run(program, ["doctor", "--json"], options);
  const findings = JSON.parse(stdout) as readonly { readonly name: string; readonly state: string }[];
  const stateOf = (name: string): string | undefined => findings.find((finding) => finding.name === name)?.state;
  if (stateOf("testcontainers") !== "ok") throw new Error(stdout);
  if (stateOf("container engine") !== "ok") {
    if (isEngineRequired(process.env)) throw new Error(stdout);
    console.log("      no container engine answers here: nothing was run in containers");
  } else if (code === 0) await expectCode(0, program, hunt, options);
  else throw new Error(`\`npm run setup\` first:\n${stdout}`);
}

/** The tutorial's path, with this package in place of the published one. */
async function getStarted(tarball: string): Promise<void> {
  const folder = mkdtempSync(join(area, "newcomer-"));
  const page = readFileSync(join(root, "docs", "getting-started.md"), "utf8");
  const replace = (command: string): string =>
    command.replace("npm install --save-dev lockstorm", `npm install ${QUIET.join(" ")} --save-dev ${tarball}`);
  const transcript = await follow(page, folder, { env: { ...process.env, NO_COLOR: "1" }, replace });
  const target = process.env["LOCKSTORM_TRANSCRIPT"];
  if (target !== undefined) writeFileSync(target, `${transcript}\n`);
}
