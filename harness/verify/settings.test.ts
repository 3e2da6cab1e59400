import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { requireNode, settingsFrom } from "./settings.ts";
import type { VerifyOptions } from "./verify-options.ts";

const refused = (options: object): string => {
  try {
    settingsFrom({ lock: "single", ...options }, "single", {});
  } catch (error) {
    const { message, hint } = error as { readonly message: string; readonly hint: string };
    return `${message}; ${hint}`;
  }
  return expect.unreachable();
};

test("a mistyped option is refused: it would have no effect", () => {
  expect(refused({ run: 5 })).toBe('there is no option "run"; did you mean runs?');
});

test.each([
  [{ runs: Number.NaN }, "the option runs cannot be NaN; give a whole number of at least 1"],
  [{ runs: "5" }, "the option runs cannot be '5'; give a whole number of at least 1"],
  [{ seed: 1.5 }, "the option seed cannot be 1.5; give a whole number"],
  [{ budgetMs: -1 }, "the option budgetMs cannot be -1; give a number of milliseconds above 0"],
  [{ faults: "stall" }, "the option faults cannot be 'stall'; give a list of kinds of faults"],
  [{ require: ["mutex"] }, /^the option require cannot be \[ 'mutex' \]; give a list of some of mutual-exclusion, /],
  [{ path: "x" }, /^the option path cannot be 'x'; give the path that a verification/],
  [{ persistence: "maybe" }, "the option persistence cannot be 'maybe'; give one of none, everysec, always"],
  [{ store: "" }, "the option store cannot be ''; give a text that is not empty"],
  [{ lock: undefined }, /^the option lock is missing; give the path of a driver/],
])("an option that the types forbid is refused, and named: %j", (options, problem) => {
  if (typeof problem === "string") expect(refused(options)).toBe(problem);
  else expect(refused(options)).toMatch(problem);
});

test("an option that is undefined has its default", () => {
  // As JavaScript may give it.
  const options: object = { lock: "single", runs: undefined };
  expect(settingsFrom(options as VerifyOptions, "single", {}).runs).toBe(500);
});

test("a topology that is none, or that the simulation does not have, is refused in terms of the options", () => {
  expect(refused({ topology: "sentinal" })).toBe('there is no topology "sentinal"; did you mean sentinel?');
  expect(refused({ topology: "zookeeper" })).toBe(
    "the simulation has no servers for the topology zookeeper; use lockstorm hunt --backend containers",
  );
});

test("a Node that is older than package.json allows is refused, and named", () => {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const [, oldest = ""] = /"node": ">=([\d.]+)"/.exec(manifest) ?? [];
  expect(() => requireNode(oldest)).not.toThrow();
  expect(() => requireNode("24.0.0")).not.toThrow();
  for (const old of ["20.20.2", "22.21.9"]) expect(() => requireNode(old)).toThrow(`Node ${old} is too old`);
});
