// @module-tag long
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { HarnessError, UserError } from "../core/errors.ts";
import { checkLock } from "./check-lock.ts";
import { LockBrokenError } from "./lock-broken-error.ts";
import { UndecidedError } from "./undecided-error.ts";
import { verifyLock } from "./verify-lock.ts";
import type { VerifyOptions } from "./verify-options.ts";

const tutorial = new URL("testing/tutorial-lock.ts", import.meta.url);
const asFunction = (): Promise<unknown> => import("./testing/tutorial-lock.ts");

let folder: string;
let stores = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-verify-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const newStore = (): string => join(folder, `store-${(stores += 1)}`);

async function broken(options: VerifyOptions): Promise<LockBrokenError> {
  const error: unknown = await verifyLock(options).catch((error: unknown) => error);
  if (error instanceof LockBrokenError) return error;
  throw error instanceof Error ? error : new Error("the lock holds");
}

/** The plan that was kept, without the lock's name. */
function keptPlan({ counterexample: { regression } }: LockBrokenError): unknown {
  const { lock: _, ...plan } = JSON.parse(readFileSync(regression, "utf8")) as Record<string, unknown>;
  return plan;
}

describe("a lock that is broken", () => {
  test("fails with the shortest schedule as lanes, the cause, and the way back", async () => {
    const store = newStore();
    const { message, counterexample } = await broken({ lock: tutorial, store, seed: 2 });
    expect(message).toMatch(
      /^\.\/harness\/verify\/testing\/tutorial-lock\.ts breaks .*\(.*foreign-release.*\), in run /,
    );
    expect(new Set(message.match(/^ {2}client-\d(?= .*[█╌])/gm))).toEqual(new Set(["  client-0", "  client-1"]));
    expect(message).not.toContain("not required");
    expect(message).toContain(`LOCKSTORM_SEED=2 LOCKSTORM_PATH=${counterexample.path}`);
    expect(message).toContain(`npx lockstorm replay ${counterexample.folder}/plan.json`);
    expect(readdirSync(join(store, "regressions"))).toHaveLength(1);
    expect(readdirSync(counterexample.folder)).toContain("report.html");
  });

  test("is a result of a check, not an error", async () => {
    const options = { lock: tutorial, seed: 2, shrinkRuns: 10 };
    const { counterexample, ...counts } = await checkLock({ ...options, store: newStore() });
    const { verification } = await broken({ ...options, store: newStore() });
    expect({ ...verification, counterexample: undefined }).toEqual({ ...counts, counterexample: undefined });
    expect(counterexample?.properties).toEqual(verification.counterexample?.properties);
    expect(counterexample?.path).toBe(verification.counterexample?.path);
  });

  test.each([1, 2, 3, 4, 5])("is found within a few plans, though it does not wait (seed %d)", async (seed) => {
    const { verification } = await broken({ lock: tutorial, store: newStore(), seed, runs: 50, shrinkRuns: 10 });
    expect(verification.runs).toBeLessThan(50);
  });

  test("is found by its regression first the next time, and without it again by seed and path", async () => {
    const store = newStore();
    const first = await broken({ lock: tutorial, store, shrinkRuns: 50 });
    const again = await broken({ lock: tutorial, store, runs: 1, shrinkRuns: 0 });
    expect(again.counterexample.path).toBeUndefined();
    expect(again.verification.runs).toBe(1);
    vi.stubEnv("LOCKSTORM_SEED", String(first.verification.seed));
    vi.stubEnv("LOCKSTORM_PATH", first.counterexample.path);
    try {
      const elsewhere = await broken({ lock: tutorial, store: newStore(), seed: 99, shrinkRuns: 0 });
      expect(elsewhere.verification.runs).toBe(1);
      expect(keptPlan(elsewhere)).toEqual(keptPlan(first));
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test("is found alike in a process of its own and in this one", async () => {
    const apart = await broken({ lock: tutorial, store: newStore(), shrinkRuns: 50 });
    const here = await broken({ lock: asFunction, store: newStore(), shrinkRuns: 50, replayCommand: "npm test" });
    expect(keptPlan(here)).toEqual(keptPlan(apart));
    expect(here.counterexample.path).toBe(apart.counterexample.path);
    expect(here.message).toContain("Replay\n  npm test\n");
  });
});

describe("a lock that holds", () => {
  test.each(["single", "redlock"] as const)("on %s does so in every run, every time", async (topology) => {
    const lock = { single: "fenced", redlock: "redlock" }[topology];
    const options = { lock, topology, runs: 60, store: newStore() };
    const first = await verifyLock(options);
    expect(first).toMatchObject({ runs: 60, seed: 1, cutShort: false });
    expect(first.valid).toBeGreaterThan(20);
    expect(await verifyLock(options)).toEqual(first);
  });

  test("does not under a fault that no such lock survives, when that is asked for", async () => {
    const { counterexample } = await broken({ lock: "single", faults: ["clock-jump"], store: newStore() });
    expect(counterexample.causes).toContain("clock-jump");
  });
});

describe("what cannot be verified", () => {
  const missing = [
    [{ lock: "./no-such-lock.ts" }, /^there is no file .*no-such-lock\.ts; \S/],
    [{ lock: "no-such-lock" }, /^there is no lock "no-such-lock"; \S/],
    [{ lock: () => ({}) }, /^the function given as lock exports no lock driver; \S/],
    [{ lock: "single", faults: ["rain"] }, /^there is no fault "rain"; \S/],
  ] as const;
  test.each(missing)("%j is refused in one line, with a hint", async (options, message) => {
    const refused: unknown = await verifyLock(options).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UserError);
    expect((refused as UserError).message).toMatch(message);
    // A test runner prints the message only.
    expect((refused as UserError).message).toMatch(/^[^\n]+$/);
    expect((refused as UserError).hint).toMatch(/^\S/);
  });

  test("a module that Node cannot load as it is called is refused with a hint", async () => {
    writeFileSync(join(folder, "package.json"), '{"type":"commonjs"}');
    writeFileSync(join(folder, "lock.js"), "export const driver = { connect() {} };");
    const refused = await verifyLock({ lock: join(folder, "lock.js") }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ hint: expect.stringContaining(".mts or .mjs") as string });
  });

  test("a number in the environment that is none is refused", async () => {
    vi.stubEnv("LOCKSTORM_RUNS", "many");
    await expect(verifyLock({ lock: "single" })).rejects.toThrow('LOCKSTORM_RUNS "many" is not a whole number');
    vi.unstubAllEnvs();
  });

  test("a process that dies is the harness's failure, with its last words", async () => {
    const lock = new URL("testing/dying-lock.ts", import.meta.url);
    const failed = await verifyLock({ lock }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(HarnessError);
    expect(failed).toMatchObject({ message: expect.stringContaining("SIGKILL): the last words of a lock") as string });
  });

  test("a lock that never yields is ended by the signal", async () => {
    const given = new AbortController();
    const endless = verifyLock({ lock: new URL("testing/endless-lock.ts", import.meta.url) }, given.signal);
    setImmediate(() => given.abort(new Error("enough")));
    await expect(endless).rejects.toThrow("enough");
  });

  test("nothing decided is not success", async () => {
    const never = {
      connect: async () => ({ acquire: refuse, release: refuse, [Symbol.asyncDispose]: async () => {} }),
    };
    const refuse = async () => ({ type: "fail", kind: "error", reason: "out of order" });
    await expect(verifyLock({ lock: () => never, runs: 3, store: newStore() })).rejects.toThrow(UndecidedError);
  });

  test("fake timers are refused: nothing would ever happen", async () => {
    vi.useFakeTimers();
    try {
      await expect(verifyLock({ lock: asFunction })).rejects.toThrow("fake timers are in force");
    } finally {
      vi.useRealTimers();
    }
  });
});
