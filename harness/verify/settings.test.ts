import { expect, test } from "vitest";
import { settingsFrom } from "./settings.ts";

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

test("a topology that is none, or that the simulation does not have, is refused in terms of the options", () => {
  expect(refused({ topology: "sentinal" })).toBe('there is no topology "sentinal"; did you mean sentinel?');
  expect(refused({ topology: "zookeeper" })).toBe(
    "the simulation has no servers for the topology zookeeper; use lockstorm hunt --backend containers",
  );
});
