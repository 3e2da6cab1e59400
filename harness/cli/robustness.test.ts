import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readArguments } from "./command.ts";
import { hunt } from "./commands/hunt.ts";
import { runCli, startCli, type CliResult } from "./testing/run-cli.ts";
import { runMain, type MainResult } from "./testing/run-main.ts";

const folder = mkdtempSync(join(tmpdir(), "lockstorm-robustness-"));
const HISTORY = [
  { format: "lockstorm-history", version: 1, clients: 1 },
  { index: 0, time: 0, process: 0, type: "invoke", f: "acquire", key: "k", value: { ttlMs: 1000, waitMs: 0 } },
  { index: 1, time: 1, process: 0, type: "ok", f: "acquire", key: "k", value: { owner: "a", validForMs: 999 } },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join("");
const REST =
  "return { acquire: async (key) => ({ type: 'ok', value: { key, owner: String(Math.random()), validForMs: 100 } }), " +
  "release: async () => ({ type: 'ok', value: { released: true } }), [Symbol.asyncDispose]: async () => {} };";
/** Connects to where no server is, and hears nothing. */
const DEAF = `import { createConnection } from "node:net";
  export const driver = { connect: async () => {
    createConnection(6379).on("error", () => {});
    ${REST.replace("type: 'ok', value: { key, owner: String(Math.random()), validForMs: 100 }", "type: 'info', reason: 'no answer'")}
  } };`;
const ATTACK = String.raw`\u001b[2J\u001b]0;pwn\u0007\r\n::error::pwn\n##[error]pwn\u202e\u200b`;
const FILES: Readonly<Record<string, string | Uint8Array>> = {
  "history.jsonl": HISTORY,
  "talks.mjs": `console.log("${ATTACK}"); process.stderr.write("${ATTACK}\\n"); process.emitWarning("${ATTACK}");
    export const driver = { connect: async () => { console.log("${ATTACK}"); ${REST} } };`,
  "warns.mjs": `process.emitWarning("one line\\n  and another"); export const driver = { connect: async () => { ${REST} } };`,
  "fakes-timers.mjs": `import { mock } from "node:test"; mock.timers.enable();
    export const driver = { connect: async () => { ${REST} } };`,
  "deaf.mjs": DEAF,
  "throws.mjs": `export const driver = { connect: async () => { throw new Error("${ATTACK}"); } };`,
  "throws-at-load.mjs": `throw new Error("${ATTACK}");`,
  "rejects-at-load.mjs": `Promise.reject(new Error("${ATTACK}")); export const driver = { connect: async () => { ${REST} } };`,
  "exits.mjs": `process.exit(0);`,
  "breaks-arrays.mjs": `Array.prototype.map = () => { throw new Error("map"); }; export const driver = { connect: async () => { ${REST} } };`,
  "never.mjs": `await new Promise(() => {});`,
  "loops.mjs": `export const driver = { connect: async () => { for (;;); } };`,
  "binary.json": Uint8Array.from({ length: 1000 }, (_, index) => index % 256),
  "deep.json": "[".repeat(100_000) + "]".repeat(100_000),
  "prototype.json": '{"__proto__":{"format":"lockstorm-plan","version":1}}',
  "lock.json": JSON.stringify({
    format: "lockstorm-plan",
    version: 1,
    seed: 1,
    lock: JSON.parse(`"${ATTACK}"`) as string,
    topology: { kind: "single" },
    clients: [{ sections: [] }],
    faults: [],
  }),
};

const at = (name: string): string => join(folder, name);
const run = (...words: readonly string[]): Promise<CliResult> => runCli(words, { cwd: folder });

beforeAll(() => {
  for (const [name, content] of Object.entries(FILES)) writeFileSync(at(name), content);
  execFileSync("mkfifo", [at("pipe")]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a hunt in which nothing is granted says why, and how to check the driver", { tags: "long" }, async () => {
  const { code, stdout } = await run("hunt", "--lock", "./deaf.mjs", "--runs", "3", "--seed", "1");
  const text = stdout.replaceAll(/\s+/g, " ");
  expect(code).toBe(2);
  expect(text).toContain(
    "ended as info: no answer; it tried to connect to an address that is not in `servers`: an address: 3 runs",
  );
  expect(text).toContain(
    "no run decided anything. Seed 1. Check the driver: npx lockstorm conform ./deaf.mjs --topology single",
  );
});

function expectOneLine(result: MainResult | CliResult, code: number, line: RegExp): void {
  expect(result.stderr).toMatch(line);
  expect([result.code, result.stdout]).toEqual([code, ""]);
  expect(result.stderr.split("\n").filter((text) => text.startsWith("lockstorm: "))).toHaveLength(1);
  expectPlain(result);
}

/** No foreign formatting: no control characters, no line of its own, no command to a CI. */
function expectPlain({ stdout, stderr }: Pick<MainResult, "stdout" | "stderr">): void {
  for (const text of [stdout, stderr]) {
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(text).not.toMatch(/##\w*\[|^\s*::[a-z].*::/m);
  }
}

test.each([
  [["hunt", "--lock", "./throws.mjs", "--runs", "2", "--seed", "1"], 254, /could not connect: .*fix its driver$/m],
  [["hunt", "--lock", "./throws-at-load.mjs", "--runs", "2"], 254, /cannot be loaded: .*pwn/],
  [["replay", "lock.json"], 254, /there is no lock "/],
  [["replay", "binary.json"], 254, /it is not UTF-8 text/],
  [["replay", "deep.json"], 254, /is not a plan/],
  [["replay", "prototype.json"], 254, /is not a plan/],
  [["replay", "/dev/zero"], 254, /it is not a file/],
  [["replay", "."], 254, /it is a folder/],
  [["report", "\u001b[2J\n::error::x"], 254, /is not the folder of a run/],
  [["check", "\u001b[2J\n::error::x"], 254, /there is no such file/],
  [
    ["hunt", "--lock", "single", "--runs", "1", "--store", "/proc/x"],
    254,
    /cannot record the campaign in \/proc\/x: .*; name another path$/m,
  ],
  [
    ["hunt", "--lock", "single", "--runs", "1", "--store", "history.jsonl"],
    254,
    /cannot record .*; name another path$/m,
  ],
  [["hunt", "--lock", "single", "--runs", "1", "--store", "/dev/full/x"], 254, /cannot record .*; name another path$/m],
  [
    ["check", "history.jsonl", "--write-edn", "/dev/full"],
    254,
    /\/dev\/full cannot be written: there is no space left/,
  ],
  [["check", "history.jsonl", "--write-edn", "missing/x.edn"], 254, /no such file or folder/],
  [["hunt", "--path", "a:b:c"], 254, /--path "a:b:c" is not a path/],
  [["hunt", "--path", "99999999999"], 254, /is not a path/],
  [["hunt", "--lock", "single", "--store", ""], 254, /--store "" names no folder; give one, or leave out --store$/m],
  [["check", "history.jsonl", "--write-edn="], 254, /--write-edn "" names no file/],
  [["hunt", "--lock", "single", "--former", "."], 254, /--former is of a table of locks/],
  [["hunt", "--ladder", "--persistence", "always"], 254, /--persistence cannot be combined with a table of locks/],
  [["hunt", "--all", "--shrink-runs", "9"], 254, /--shrink-runs cannot be combined with a table of locks/],
] as const)("%j ends with %d and says why in one line", { tags: "long" }, async (words, code, line) => {
  expectOneLine(await runMain(words, { cwd: folder }), code, line);
});

// What becomes of the process is the subject.
test.concurrent.each([
  [["hunt", "--lock", "./rejects-at-load.mjs", "--runs", "2"], 254, /rejects-at-load\.mjs:1 threw, or rejected/],
  [
    ["hunt", "--lock", "./breaks-arrays.mjs", "--runs", "2"],
    254,
    /the lock altered Array\.prototype\.map, which lockstorm needs too: map; /,
  ],
  [["hunt", "--lock", "./never.mjs", "--runs", "2"], 254, /never\.mjs never finishes loading/],
  [
    ["hunt", "--lock", "./exits.mjs", "--runs", "2"],
    254,
    /ended the process \(exit code 0\); let its file load without process\.exit$/m,
  ],
] as const)("%j ends the process with %d and says why in one line", { tags: "long" }, async (words, code, line) => {
  expectOneLine(await run(...words), code, line);
});

test.each(["NaN", "1e400", "-1", "0x", "", " ", "1.5", "99999999999999999999", "Infinity", "１"])(
  "%j is no number for a flag",
  (value) => {
    for (const [name, min] of [
      ["seed", 0],
      ["runs", 1],
    ] as const) {
      const { flags } = readArguments(hunt, [`--${name}=${value}`]);
      expect(() => flags.integer(name, min)).toThrow("is not a whole number");
    }
  },
);

test("a number that is too large is told the largest, and a port one that a user may take", () => {
  const { flags } = readArguments(hunt, ["--runs=99999999999999999999", "--proxy-port=70000"]);
  expect(() => flags.integer("runs", 1)).toThrow("is not a whole number from 1 to 9007199254740991");
  const port = () => flags.integer("proxy-port", 0, 65_535, { example: 8474 });
  expect(port).toThrow(expect.objectContaining({ hint: "give one: --proxy-port 8474" }));
});

test(
  "what a driver prints goes to standard error, made plain; standard output stays JSON",
  { tags: "long" },
  async () => {
    const result = await run(
      "hunt",
      "--lock",
      "./talks.mjs",
      "--runs",
      "2",
      "--seed",
      "1",
      "--faults",
      "none",
      "--json",
    );
    expect(JSON.parse(result.stdout)).toHaveProperty("verdict");
    expect(result.stderr).toContain("pwn");
    expectPlain(result);
  },
);

test("a warning of several lines is one line", { tags: "long" }, async () => {
  const { stderr } = await run("hunt", "--lock", "./warns.mjs", "--runs", "1", "--shrink-runs", "1", "--seed", "1");
  expect(stderr).toContain("(node) Warning: one line and another\n");
});

test("a driver that fakes timers is refused before anybody waits for one", { tags: "long" }, async () => {
  const { code, stderr } = await run("hunt", "--lock", "./fakes-timers.mjs", "--runs", "1", "--backend", "live");
  expect(code).toBe(254);
  expect(stderr).toMatch(/^lockstorm: \S+fakes-timers\.mjs fakes the timers of its process; take useFakeTimers .*\n$/);
});

test("a module in a package without a type is taken without a warning", { tags: "long" }, async () => {
  mkdirSync(at("typeless"));
  writeFileSync(at("typeless/package.json"), "{}");
  writeFileSync(at("typeless/lock.js"), `export const driver = { connect: async () => { ${REST} } };`);
  const { stderr } = await run("conform", "./typeless/lock.js");
  expect(stderr).not.toContain("Warning");
});

test("no name of the history that is read lets it be overwritten", { tags: "long" }, async () => {
  symlinkSync("history.jsonl", at("soft.edn"));
  linkSync(at("history.jsonl"), at("hard.edn"));
  for (const name of ["history.jsonl", "soft.edn", "hard.edn"]) {
    const { code, stderr } = await runMain(["check", "history.jsonl", "--write-edn", name], { cwd: folder });
    expect([code, stderr]).toEqual([
      254,
      "lockstorm: --write-edn would overwrite the history that is read; name another file\n",
    ]);
  }
  const input = execFileSync(
    "/bin/sh",
    ["-c", 'node "$0" check - --write-edn history.jsonl < history.jsonl 2>&1; echo $?', launcher()],
    {
      cwd: folder,
      encoding: "utf8",
    },
  );
  expect(input).toContain("--write-edn would overwrite");
  expect(readFileSync(at("history.jsonl"), "utf8")).toBe(HISTORY);
});

test(
  "a report that cannot be written is an error that still tells the verdict; a reader that leaves is none",
  { tags: "long" },
  () => {
    const shell = (line: string): string =>
      execFileSync("/bin/bash", ["-c", line, launcher()], { cwd: folder, encoding: "utf8" });
    expect(shell('node "$0" check history.jsonl 2>&1 >/dev/full; echo $?')).toMatch(
      /^lockstorm: standard output cannot be written: there is no space left, and the verdict is valid \(exit code 0\); .*\n254\n$/,
    );
    expect(shell('node "$0" check history.jsonl | true; echo ${PIPESTATUS[0]}')).toBe("0\n");
  },
);

test.each([
  ["a lock that loops for ever", ["hunt", "--lock", "./loops.mjs", "--runs", "2", "--seed", "1"], "hunting: "],
  ["a hunt", ["hunt", "--lock", "fenced", "--runs", "1000000", "--seed", "1"], "hunting: "],
] as const)("SIGINT ends %s", { tags: "long" }, async (_, words, sign) => {
  const { child, says, result } = startCli(words, { cwd: folder });
  await says(sign);
  child.kill("SIGINT");
  const { code, stderr } = await result;
  expect(code).toBe(130);
  expect(stderr).toContain("lockstorm: interrupted");
});

test("SIGINT ends what waits for a pipe that nobody writes to", async () => {
  const { child, result } = startCli(["check", "pipe"], { cwd: folder });
  // It succeeds only when somebody reads.
  const isRead = (): boolean => {
    try {
      return openSync(at("pipe"), "w") > 0;
    } catch {
      return false;
    }
  };
  expect(isRead()).toBe(true);
  child.kill("SIGINT");
  expect((await result).code).toBe(130);
});

function launcher(): string {
  return new URL("launch.js", import.meta.url).pathname;
}
