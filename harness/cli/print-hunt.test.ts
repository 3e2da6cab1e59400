import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runMain } from "./testing/run-main.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-print-hunt-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const hunt = (...words: readonly string[]) =>
  runMain(["hunt", "--seed", "1", "--threads", "1", ...words], { cwd: folder });

test("a hunt that drew no plan at random says that it gives no bound, and what would", { tags: "long" }, async () => {
  const { code, stdout } = await hunt("--lock", "single", "--runs", "2");
  expect(code).toBe(0);
  expect(stdout.replaceAll("\n", " ")).toContain(
    "no property that the lock claims was violated: these plans were taken in order, not drawn at random, so they give no bound for other plans; a hunt with more --runs also draws some. Seed 1.",
  );
});

test("a path that leads to no counterexample says that no other plan was run", { tags: "long" }, async () => {
  const { code, stdout, stderr } = await hunt("--lock", "single", "--path", "1:2");
  expect(code).toBe(0);
  expect(stdout.replaceAll("\n", " ")).toContain(
    "1 run: 1 valid, 0 unknown; no property that the lock claims was violated: this says nothing of other plans than the one at --path 1:2. Seed 1.",
  );
  expect(stderr).toContain("seed 1, path 1:2\n");
  expect(stderr).not.toContain(" of 1,000");
});

test(
  "the Markdown of a badge names its files from where the README is, also if the store is named from the root",
  { tags: "long" },
  async () => {
    const { stdout } = await hunt(
      "--lock",
      "single",
      "--runs",
      "1",
      "--report",
      "badge",
      "--store",
      join(folder, "kept"),
    );
    expect(stdout).toContain("](kept/hunt-single-single.badge.svg)](kept/hunt-single-single.html)\n");
  },
);

/** The text of the page that a hunt leaves, without its spaces and marks. */
const pageOf = (name: string): string =>
  readFileSync(join(folder, ".lockstorm", `hunt-${name}.html`), "utf8").replaceAll(/<[^>]*>|\s+/g, " ");

test("the page of a quiet hunt says the same as the terminal", { tags: "long" }, async () => {
  await hunt("--lock", "single", "--runs", "2");
  expect(pageOf("single-single").replaceAll(/ +/g, " ")).toContain(
    "No property that the lock claims was violated: these plans were taken in order, not drawn at random, so they give no bound for other plans;",
  );
});

test(
  "a hunt says of how many unknown runs nothing is open but that the lock crashed its client",
  { tags: "long" },
  async () => {
    const factory = new URL("testing/stranger-lock.ts", import.meta.url).href;
    writeFileSync(
      join(folder, "crashing.mts"),
      `import { strangerLock } from ${JSON.stringify(factory)};
     const sound = strangerLock({});
     export const driver = {
       async connect(environment) {
         const lock = await sound.connect(environment);
         const release = (grant) => {
           if (environment.client === "client-0") void Promise.reject(new Error("boom"));
           return lock.release(grant);
         };
         return { ...lock, release };
       },
     };`,
    );
    const words = ["--lock", "./crashing.mts", "--runs", "4", "--faults", "none"];
    const { code, stdout } = await hunt(...words);
    expect([code, stdout.replaceAll(/(?<=\S)\n(?=\S)/g, " ")]).toEqual([
      2,
      expect.stringMatching(
        /\n4 runs: 0 valid, 4 unknown; in all of the unknown runs the lock crashed its own client, and nothing else is open\. Seed 1\.\n/,
      ),
    ]);
    const { stdout: json } = await hunt(...words, "--json");
    expect(JSON.parse(json)).toMatchObject({ verdict: "unknown", runs: 4, unknown: 4, crashedOrFlooded: 4 });
  },
);

test("the page of a hunt that found a counterexample begins with it", { tags: "long" }, async () => {
  await hunt("--lock", "set-px", "--runs", "2", "--shrink-runs", "0");
  const page = pageOf("set-px-single");
  expect(page.indexOf("INVALID")).toBeGreaterThan(0);
  expect(page.indexOf("INVALID")).toBeLessThan(page.indexOf("At a glance"));
});

test(
  "the properties of a counterexample stand in columns, also beside the longest name",
  { tags: "long" },
  async () => {
    const { code, stdout } = await hunt("--lock", "fair-stack", "--runs", "2", "--shrink-runs", "0");
    expect(code).toBe(1);
    const rows = stdout.split("\n").filter((line) => /^ {2}[✓✗-] [a-z]+-[a-z-]+ +(?:holds|broken|n\/a)/.test(line));
    expect(rows.length).toBeGreaterThan(8);
    const columns = rows.map((row) => row.search(/ (?:holds|broken|n\/a)/));
    expect(new Set(columns).size).toBe(1);
    // The line that counts the runs stands alone.
    expect(stdout).toMatch(/\n\n\d runs?: /);
  },
);

test(
  "a hunt in which no run tested a property that the lock promises says so, as text and as JSON",
  { tags: "long" },
  async () => {
    // Of a lock that is asked once, by nobody who waits: a plan of the first deviations.
    const words = ["--lock", "fair", "--runs", "1", "--faults", "none", "--require", "lease-exclusion,all-or-nothing"];
    const { code, stdout } = await hunt(...words);
    expect(code).toBe(0);
    expect(stdout.replaceAll("\n", " ")).toContain(
      "no property that the lock claims was violated, but no run tested all-or-nothing: ",
    );
    expect(stdout).toContain(
      "Tested by no run, so that the verdict says nothing about it\n  - all-or-nothing: 1 run\n",
    );
    const { notes } = JSON.parse((await hunt(...words, "--json")).stdout) as { notes: readonly unknown[] };
    expect(notes).toContainEqual({ kind: "untested", what: "all-or-nothing", runs: 1 });
  },
);

/** A driver in a file, whose clients connect and answer like this. */
function driverFile(name: string, connect: string, answer: string): string {
  writeFileSync(
    join(folder, name),
    `import { appendFileSync, statSync } from "node:fs";
    const file = "connected";
    export const driver = { async connect() {
      ${connect}
      return {
        acquire: async (key) => (${answer}),
        release: async () => ({ type: "ok", value: { released: true } }),
        [Symbol.asyncDispose]: async () => {},
      };
    } };`,
  );
  return `./${name}`;
}

test("a hunt that cannot go on prints what it did, then why, and exits as the error does", async () => {
  const connect = `appendFileSync(file, "."); if (statSync(file).size > 7) throw new Error("no more connections");`;
  const lock = driverFile("refusing.mjs", connect, `{ type: "fail", kind: "contended", reason: "held" }`);
  // A lock that refuses everybody is at fault, and that is not asked here.
  const words = ["--lock", lock, "--runs", "30", "--faults", "none", "--require", "lease-exclusion"];
  const { code, stdout, stderr } = await hunt(...words);
  expect(code).toBe(254);
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(
    "(ended early: a run could not be done; the same command with --resume",
  );
  expect(stderr).toMatch(/\nlockstorm: the lock of client-\d+ could not connect: no more connections; .*\n$/);
});

test("a hunt whose driver answers nothing but mistakes ends soon, and says what they are", async () => {
  const words = [
    "--lock",
    driverFile("ownerless.mjs", "", `{ type: "ok", value: { key, owner: "" } }`),
    "--runs",
    "30",
    "--faults",
    "none",
  ];
  const { code, stdout } = await hunt(...words);
  expect(code).toBe(2);
  expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
    /5 runs: 0 valid, 5 unknown \(ended early: in 5 runs nothing was granted because of mistakes of the driver: .*`owner`/,
  );
});

/** The lock `single` in a file, whose releases all answer this. */
function singleAnswering(name: string, released: string): string {
  const source = new URL("../../lock-impl/ladder/single.ts", import.meta.url).href;
  writeFileSync(
    join(folder, name),
    `import { single } from ${JSON.stringify(source)};
    export const driver = { async connect(environment) {
      const lock = await (await single.load()).connect(environment);
      return {
        acquire: (...asked) => lock.acquire(...asked),
        release: async (grant) => { await lock.release(grant); return ${released}; },
        [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
      };
    } };`,
  );
  return `./${name}`;
}

test(
  "a counterexample of a user's lock in which releases freed what was not theirs says how to check the driver's answers",
  { tags: "long" },
  async () => {
    const check = (lock: string) =>
      `\nCheck whether its releases answer truthfully: npx lockstorm conform ${lock} --topology single\n`;
    const words = ["--runs", "30", "--shrink-runs", "0", "--faults", "none"];
    const boastful = singleAnswering("boastful.mjs", `{ type: "ok", value: { released: true } }`);
    expect((await hunt("--lock", boastful, ...words)).stdout).toContain(check(boastful));
    const silent = singleAnswering("silent.mjs", `{ type: "info", reason: "it does not say" }`);
    const { code, stdout } = await hunt("--lock", silent, ...words);
    expect(code).toBe(0);
    expect(stdout).not.toContain("Check whether");
    expect((await hunt("--lock", "set-px", ...words)).stdout).not.toContain("Check whether");
  },
);

test(
  "a counterexample of a user's lock that was granted too late says how to check who states the validity",
  { tags: "long" },
  async () => {
    const lock = "./late.mjs";
    const driver = new URL("../../lock-impl/flawed/no-elapsed-check.ts", import.meta.url).href;
    writeFileSync(
      join(folder, lock),
      `import { noElapsedCheck } from ${JSON.stringify(driver)};
      export const driver = { connect: async (environment) => (await noElapsedCheck.load()).connect(environment) };`,
    );
    const words = ["--topology", "redlock", "--faults", "latency", "--runs", "30", "--shrink-runs", "0"];
    const { code, stdout } = await hunt("--lock", lock, ...words);
    expect(code).toBe(1);
    expect(stdout).toContain(
      `\nCheck whether the library states that validity, or its driver (late-grant): npx lockstorm conform ${lock} --topology redlock\n`,
    );
    expect((await hunt("--lock", "no-elapsed-check", ...words)).stdout).not.toContain("Check whether");
  },
);

test(
  "a hunt in which no run tested a promise of a user's lock names the check that does, on the backend of the hunt",
  { tags: "long" },
  async () => {
    const lock = singleAnswering("silent.mjs", `{ type: "info", reason: "it does not say" }`);
    const words = ["--lock", lock, "--runs", "1", "--faults", "none"];
    const asked = [...words, "--require", "lease-exclusion,all-or-nothing"];
    const check = `\nSee what a driver's checks say of it (several-keys): npx lockstorm conform ${lock} --topology single`;
    expect((await hunt(...asked)).stdout).toContain(`${check}\n`);
    expect((await hunt(...asked, "--backend", "live")).stdout).toContain(`${check} --backend live\n`);
    expect((await hunt(...words)).stdout).not.toContain("driver's checks");
  },
);

test("a hunt that ended early says how it goes on", async () => {
  const { stdout } = await hunt("--lock", "single", "--runs", "1000", "--budget", "1ms");
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(
    "(ended early: the budget was used up; the same command with --resume goes on)",
  );
});

test.each([
  ["simulated", "fixed: 1 of 1 plans that broke it before break nothing that is required now"],
  [
    "live",
    "1 of 1 plans that broke it before broke nothing that is required in this run, which may be chance in real time",
  ],
])(
  "a plan that breaks the lock no more says only in simulation that it was mended: %s",
  { tags: "long" },
  async (backend, words) => {
    const regressions = join(folder, backend, "regressions");
    mkdirSync(regressions, { recursive: true });
    const section = { key: "k1", ttlMs: 500, waitMs: 0, steps: [] };
    const plan = {
      seed: 1,
      lock: "single",
      topology: { kind: "single" },
      clients: [{ sections: [section] }],
      faults: [],
    };
    const file = { format: "lockstorm-plan", version: 1, ...plan, limitMs: 5000 };
    writeFileSync(join(regressions, "single-single-1.json"), JSON.stringify(file));
    const more = ["--lock", "single", "--runs", "1", "--backend", backend, "--store", join(folder, backend)];
    const { stdout, stderr } = await hunt(...more);
    expect(stdout.replaceAll("\n", " ")).toContain(words);
    expect(stderr).not.toContain("run 2 of 1");
  },
);
