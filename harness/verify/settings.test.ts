import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { requireNode, settingsFrom } from "./settings.ts";

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

test("a Node that is older than package.json allows is refused, and named", () => {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const [, oldest = ""] = /"node": ">=([\d.]+)"/.exec(manifest) ?? [];
  expect(() => requireNode(oldest)).not.toThrow();
  expect(() => requireNode("24.0.0")).not.toThrow();
  for (const old of ["20.20.2", "22.21.9"]) expect(() => requireNode(old)).toThrow(`Node ${old} is too old`);
});
