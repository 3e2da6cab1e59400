import { inspect } from "node:util";
import { expect, test } from "vitest";
import { UserError } from "../core/errors.ts";
import { checkLock } from "./check-lock.ts";
import { LockBrokenError } from "./lock-broken-error.ts";
import { settingsFrom } from "./settings.ts";
import { UndecidedError } from "./undecided-error.ts";
import type { Counterexample, Verification } from "./verify-options.ts";
import { verifyLock } from "./verify-lock.ts";

const settings = settingsFrom({ lock: "set-px" }, "set-px", {});
const verification: Verification = { seed: 1, runs: 3, valid: 0, unknown: 3, notes: [], cutShort: false };
const counterexample: Counterexample = {
  properties: ["lease-exclusion"],
  causes: ["unknown"],
  text: "the picture",
  folder: ".lockstorm/runs/1",
  regression: ".lockstorm/regressions/1.json",
  shrinks: 2,
  recurrence: undefined,
} as unknown as Counterexample;

test("a failure says each thing once where a runner prints an error with its properties", () => {
  const broken = new LockBrokenError(settings, { ...verification, counterexample }, counterexample);
  expect(inspect(broken).split("the picture")).toHaveLength(2);
  expect(inspect(broken)).not.toContain("verification:");
  expect(broken.counterexample).toBe(counterexample);
  const undecided = new UndecidedError(settings, verification);
  expect(inspect(undecided)).not.toContain("verification:");
  expect(undecided.verification).toBe(verification);
});

test("a counterexample that the budget left no time to try with other seeds says so, and how to give it more", () => {
  const words = "not tried with other seeds: the test's budget of 60 s was over, or it was interrupted";
  const messageWith = (recurrence: Counterexample["recurrence"]): string =>
    new LockBrokenError(settings, verification, { ...counterexample, recurrence }).message;
  expect(messageWith({})).toContain(`\n${words}; LOCKSTORM_BUDGET=300 gives it more time\n`);
  expect(messageWith({ otherSeeds: { failed: 20, of: 20 } })).not.toContain(words);
});

test.each([verifyLock, checkLock])(
  "what a user can correct comes with what to do in the message, and once",
  async (verify) => {
    const refused: unknown = await verify({ lock: "single", run: 3 } as never).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UserError);
    const { message, hint } = refused as UserError;
    expect(hint).toBe("did you mean runs?");
    expect(message).toBe('there is no option "run"; did you mean runs?');
    expect(inspect(refused).split("did you mean")).toHaveLength(2);
  },
);
