import { expect, test } from "vitest";
import { doctorExitCode } from "./doctor.ts";

test.each([
  ["all there", [{ state: "ok" }, { state: "ok", optional: true }], 0],
  ["something missing that lockstorm runs without", [{ state: "ok" }, { state: "missing", optional: true }], 0],
  ["something broken that lockstorm runs without", [{ state: "broken", optional: true }], 0],
  ["something missing", [{ state: "missing" }, { state: "ok" }], 2],
  ["something broken", [{ state: "ok" }, { state: "broken", optional: false }], 2],
] as const)("%s", (_, findings, code) => {
  expect(doctorExitCode(findings)).toBe(code);
});
