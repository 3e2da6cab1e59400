import { expect, test } from "vitest";
import { isEngineRequired } from "./test-engine.ts";

test("an engine is required in CI and on request, not on a developer's machine", () => {
  expect(isEngineRequired({})).toBe(false);
  expect(isEngineRequired({ CI: "", LOCKSTORM_REQUIRE_ENGINE: "0" })).toBe(false);
  expect(isEngineRequired({ CI: "false" })).toBe(false);
  expect(isEngineRequired({ CI: "true" })).toBe(true);
  expect(isEngineRequired({ CI: "1" })).toBe(true);
  expect(isEngineRequired({ LOCKSTORM_REQUIRE_ENGINE: "1" })).toBe(true);
});
