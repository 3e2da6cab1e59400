import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EXIT } from "../core/verdict.ts";
import { readArguments } from "./command.ts";
import { allCommands } from "./commands/registry.ts";
import { runMain, type MainResult } from "./testing/run-main.ts";

const commands = await allCommands();

/**
 * Bad usage: exit code 254, nothing on standard output, one line on standard error that names the problem and the
 * remedy.
 */
function expectRefusal({ code, stdout, stderr }: MainResult, line: string): void {
  expect(stderr).toBe(`lockstorm: ${line}\n`);
  expect([code, stdout]).toEqual([254, ""]);
}

test.each([
  [["frob"], `there is no command "frob"; choose one of ${commands.map(({ name }) => name).join(", ")}`],
  [["hutn"], 'there is no command "hutn"; did you mean hunt?'],
  [["help", "reprodcue"], 'there is no command "reprodcue"; did you mean reproduce?'],
  [["version"], 'there is no command "version"; did you mean --version?'],
  [["--versoin"], 'there is no flag "--versoin" without a command; did you mean --version?'],
  [["advise", "--json"], "advise: Unknown option '--json'; did you mean --format json?"],
  [["open", "--port", "8080"], "--port needs --live; without it no server runs: leave out --port"],
  [["hunt", "--lok", "single"], "hunt: Unknown option '--lok'; did you mean --lock?"],
  [
    ["debate", "--exprmt", "pause"],
    "debate: Unknown option '--exprmt'; choose one of --only, --runs, --seed, --store, --json",
  ],
  [["open", "--nosuch"], "open: Unknown option '--nosuch'; choose one of --store, --live, --port, --static"],
  [["hunt", "--runs", "-1"], '--runs "-1" is not a whole number of at least 1; give one: --runs 1'],
  [["hunt", "--lock", "-x"], "hunt: --lock needs a value: --lock <lock>; see lockstorm hunt --help"],
  [
    ["hunt", "--path", "7:0:1"],
    "--path needs the seed of its hunt; give the seed that the hunt printed: --seed 1 --path 7:0:1",
  ],
  [["--frob"], 'there is no flag "--frob" without a command; see lockstorm --help'],
  [["hunt", "--frob"], "hunt: Unknown option '--frob'; see lockstorm hunt --help"],
  [
    ["hunt", "--lock", "sngle"],
    'there is no lock "sngle"; did you mean single? Or give the path of a driver: ./my-lock.ts, or ./my-lock.worker.json for another language',
  ],
  [["hunt", "--faults", "failovr"], '--faults does not know "failovr"; did you mean failover?'],
  [
    ["hunt", "--ladder", "--faults", "none,pause-client"],
    "--faults cannot combine none with other kinds; leave none out: schedules without faults are drawn too, and a table always has the column none",
  ],
  [["hunt", "--topology", "sentinal"], '--topology cannot be "sentinal"; did you mean sentinel?'],
  [
    ["check", "x", "--require", "mutual-exclusoin"],
    '--require does not know "mutual-exclusoin"; did you mean mutual-exclusion?',
  ],
  [["reproduce", "async-failovr"], 'there is no scenario "async-failovr"; did you mean async-failover?'],
  [
    ["hunt", "--budget", "soon"],
    '--budget "soon" is not a duration; give a number with a unit: --budget 90s, --budget 5m',
  ],
  [
    ["explore", "--resolution", "0"],
    '--resolution "0" is not a duration; give a number with a unit: --resolution 10ms, --resolution 1s',
  ],
  [
    ["runs", "--older-than", "3q"],
    '--older-than "3q" is not a duration; give a number with a unit: --older-than 12h, --older-than 30d',
  ],
  [["check", "x", "--require"], "check: --require needs a value: --require <properties>; see lockstorm check --help"],
  [["check"], "check takes one history; give a history.jsonl, or - for standard input"],
  [["check", "a", "b"], "check takes one history; give a history.jsonl, or - for standard input"],
  [["reproduce"], "reproduce takes one slug; see lockstorm reproduce --list"],
  [["reproduce", "no-such"], 'there is no scenario "no-such"; see lockstorm reproduce --list'],
  [["replay"], "replay takes one plan; give the plan.json of a run"],
  [["report"], "report takes one run; give the folder of a run"],
  [["hunt", "single"], 'hunt takes no "single"; name the lock with --lock'],
  [
    ["debate", "--only", "pause", "--store", "/dev/null/x"],
    "/dev/null/x cannot be written: part of its path is not a folder; name another path",
  ],
  [["doctor", "now"], 'doctor takes no "now"; see lockstorm doctor --help'],
  [["setup", "now"], 'setup takes no "now"; see lockstorm setup --help'],
  [["setup", "--with", "rust"], '--with does not know "rust"; choose from go, java, python'],
  [["setup", "--server", "redis8,redis2"], '--server does not know "redis2"; choose from redis8, redis7, valkey'],
  [["init", "here"], 'init takes no "here"; see lockstorm init --help'],
  [["completion"], "completion takes one shell; choose one of bash, zsh, fish"],
  [["completion", "tcsh"], "completion takes one shell; choose one of bash, zsh, fish"],
  [["completion", "bas"], "completion takes one shell; did you mean bash?"],
  [
    ["report", "nowhere"],
    "nowhere is not the folder of a run: there is no nowhere/plan.json; lockstorm runs lists the runs",
  ],
  [
    ["advise", "--store", "nowhere"],
    "there is no store nowhere; run something first: npx lockstorm reproduce async-failover; or give a history, or durations",
  ],
  [["hunt", "--runs", "many"], '--runs "many" is not a whole number of at least 1; give one: --runs 1'],
  [["hunt", "--runs", "0"], '--runs "0" is not a whole number of at least 1; give one: --runs 1'],
  [["hunt", "--runs", ""], '--runs "" is not a whole number of at least 1; give one: --runs 1'],
  [
    ["reproduce", "plain-del", "--proxy-port", "70000"],
    '--proxy-port "70000" is not a whole number from 0 to 65535; give one: --proxy-port 8474',
  ],
  [
    ["reproduce", "plain-del", "--server", "redis2"],
    '--server cannot be "redis2"; choose one of redis8, redis7, valkey',
  ],
  [
    ["hunt", "--backend", "containers", "--faults", "partition,clock-rate"],
    "the fault clock-rate cannot be injected on containers; leave it out, or simulate",
  ],
  [
    ["hunt", "--lock", "redlock", "--topology", "single"],
    "the lock redlock does not run on the topology single; choose one of redlock",
  ],
  [
    ["hunt", "--lock", "sql-version"],
    "the simulation has no servers for the topology postgres; run it with --backend containers",
  ],
  [
    ["hunt", "--lock", "sql-version", "--backend", "containers", "--faults", "partition,eviction"],
    "the fault eviction cannot happen on postgres: only Redis servers evict keys; leave it out, or choose a topology that has it: single, sentinel, redlock",
  ],
  [
    ["hunt", "--lock", "single", "--topology", "postgres", "--backend", "containers"],
    "the lock single does not run on the topology postgres; choose one of single, sentinel",
  ],
] as const)("%j is refused", async (words, line) => {
  expectRefusal(await runMain(words), line);
});

test.each([
  [
    ["hunt", "--lock", "no-such"],
    /^lockstorm: there is no lock "no-such"; see lockstorm explain locks, or give the path/,
  ],
  [["hunt", "--lock", "./no-such.ts"], /^lockstorm: there is no file .*no-such\.ts; correct the path of the lock\n$/],
  [["check", "x", "--require", "speed"], /^lockstorm: --require does not know "speed"; choose from mutual-exclusion, /],
  [["hunt", "--faults", "partition,rain"], /^lockstorm: --faults does not know "rain"; choose from pause-client, /],
  [["hunt", "--backend", "cloud"], /^lockstorm: --backend cannot be "cloud"; choose one of .*containers/],
  [["replay", "package.json"], /^lockstorm: package\.json is not a plan: .*\n$/],
] as const)("%j is refused with the words there are", async (words, line) => {
  const { code, stdout, stderr } = await runMain(words);
  expect(stderr).toMatch(line);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect([code, stdout]).toEqual([254, ""]);
});

test("without a command it draws a failover that breaks a lock, and says what to type next", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lockstorm-usage-"));
  const { code, stdout, stderr } = await runMain([], { cwd: folder });
  expect([code, stderr]).toEqual([1, ""]);
  expect(stdout).toContain("INVALID  async-failover: the master dies before its replicas learn of the lock");
  expect(stdout).toMatch(/^ {2}overlap .*▲▲▲/m);
  expect(stdout).toContain("lost-in-failover");
  // What it says to type is understood.
  const next = [...stdout.matchAll(/^ {2}npx lockstorm (\S.*?)(?: {2,}.*)?$/gm)].map(([, words = ""]) =>
    words.split(" "),
  );
  expect(next.length).toBeGreaterThan(3);
  for (const [name = "", ...words] of next) {
    const command = commands.find((each) => each.name === name);
    if (command === undefined) expect(name).toBe("--help");
    else expect(() => readArguments(command, words)).not.toThrow();
  }
  // Looking costs nothing.
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

test("the help has every command", async () => {
  const { stdout } = await runMain(["--help"]);
  for (const { name, summary } of commands) expect(inOneLine(stdout)).toContain(`${name} ${summary}`);
});

test.each(["--version", "-V"])("%s is that of the package", async (word) => {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  expect(await runMain([word])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
});

test.each([
  [undefined, 100],
  [200, 100],
  [90, 90],
  [63, 63],
  [40, 40],
  [10, 40],
])("on a terminal of %s columns no line of the help is longer than %d, except examples", async (columns, width) => {
  for (const command of [undefined, ...commands.map(({ name }) => name)]) {
    const { stdout } = await runMain(["help", ...(command ?? "").split(" ").filter(Boolean)], {
      ...(columns && { columns }),
    });
    const long = stdout.split("\n").filter((line) => line.length > width && !line.includes("  lockstorm "));
    expect(long).toEqual([]);
  }
});

test("help of a command is the same, however it is asked for", async () => {
  expect(await runMain(["help", "hunt"])).toEqual(await runMain(["hunt", "--help"]));
});

test.each([
  ["70", 70],
  ["130", 130],
  ["wide", 100],
  ["", 100],
])("in a pipe COLUMNS=%s gives a picture of %d columns", { tags: "long" }, async (columns, width) => {
  const { stdout } = await runMain([], { env: { COLUMNS: columns } });
  const axis = stdout.split("\n").find((line) => line.includes("┬"));
  expect(axis?.length).toBeGreaterThan(width - 10);
  expect(axis?.length).toBeLessThanOrEqual(width);
});

test.each([
  ["a pipe", {}, undefined, false],
  ["a pipe with FORCE_COLOR", { FORCE_COLOR: "1", NO_COLOR: "" }, undefined, true],
  ["a terminal", { NO_COLOR: "", TERM: "xterm" }, 100, true],
  ["a terminal with NO_COLOR", { NO_COLOR: "1", TERM: "xterm" }, 100, false],
  ["a terminal with FORCE_COLOR=0", { NO_COLOR: "", FORCE_COLOR: "0", TERM: "xterm" }, 100, false],
  ["a dumb terminal", { NO_COLOR: "", TERM: "dumb" }, 100, false],
])("on %s colours are as asked for", async (_, env, columns, colored) => {
  const { stdout } = await runMain(["explain", "failover"], {
    env: { FORCE_COLOR: "", ...env },
    ...(columns && { columns }),
  });
  expect(stdout.includes("\u001b[1m")).toBe(colored);
});

function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

test.each(["--help", "-h", "help"])("%s explains the program and its exit codes", async (word) => {
  const { code, stdout, stderr } = await runMain([word]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("Exit codes: 0 valid, 1 invalid, 2 unknown, 130 interrupted, 254 ");
});

test.each(commands)("--help of $name ends with its exit codes", async (command) => {
  const { stdout } = await runMain([command.name, "--help"]);
  const [, listed = ""] = stdout.split("\nExit codes:\n");
  const codes = [...listed.matchAll(/^ {2}(\d+) /gm)].map(([, code]) => Number(code));
  expect(codes).toEqual([
    EXIT.valid,
    ...(command.exits.invalid === undefined ? [] : [EXIT.invalid]),
    ...(command.exits.unknown === undefined ? [] : [EXIT.unknown]),
    130,
    EXIT.usage,
    EXIT.harness,
  ]);
  for (const means of Object.values(command.exits)) expect(inOneLine(listed)).toContain(means);
});

test.each(commands)("--help of $name has every flag, and examples that parse", async (command) => {
  const { code, stdout, stderr } = await runMain([command.name, "--help"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain(`Usage: lockstorm ${command.name}`);
  for (const [flag, { help }] of Object.entries(command.flags)) {
    expect(stdout).toContain(`--${flag}`);
    expect(inOneLine(stdout)).toContain(help);
  }
  expect(command.examples.length).toBeGreaterThan(0);
  for (const example of command.examples) {
    expect(stdout).toContain(example);
    const [, name, ...words] = example.replace(/ [<>] .*/, "").split(" ");
    expect(name).toBe(command.name);
    expect(() => readArguments(command, words)).not.toThrow();
  }
});

test("the list of scenarios names each with what is expected of it", async () => {
  const { code, stdout } = await runMain(["reproduce", "--list"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^24 +async-failover +single +sentinel +both +ME LE LU lost-in-failover$/m);
});

test.each([
  ["a table of locks", ["hunt", "--ladder", "--lock", "redlock", "--backend", "containers"]],
  ["the catalogue on both backends", ["reproduce", "--all", "--backend", "both"]],
])("for %s a missing engine is said before anything is simulated", async (_, words) => {
  const store = mkdtempSync(join(tmpdir(), "lockstorm-engineless-"));
  const { code, stdout, stderr } = await runMain([...words, "--store", store], {
    env: { DOCKER_HOST: "unix:///nonexistent/docker.sock" },
  });
  rmSync(store, { recursive: true });
  expect([code, stdout]).toEqual([254, ""]);
  expect(stderr).toMatch(/^lockstorm: .*\/nonexistent\/docker\.sock; .*DOCKER_HOST\n$/);
});

test("an engine that is named and not there is one line, before anything is recorded", async () => {
  const DOCKER_HOST = "unix:///nonexistent/docker.sock";
  const { code, stdout, stderr } = await runMain(
    ["reproduce", "plain-del", "--backend", "containers", "--store", "/nonexistent"],
    {
      env: { DOCKER_HOST },
    },
  );
  expect([code, stdout]).toEqual([254, ""]);
  expect(stderr).toMatch(/^lockstorm: .*\/nonexistent\/docker\.sock; .*DOCKER_HOST\n$/);
});

test("the first minute fits a terminal of 80 columns", async () => {
  const columns = 80;
  const { code, stdout } = await runMain([], { env: { COLUMNS: String(columns) } });
  expect(code).toBe(1);
  expect(stdout.split("\n").filter((line) => line.length > columns)).toEqual([]);
});
