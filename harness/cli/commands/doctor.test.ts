import { expect, test } from "vitest";
import { doctorExitCode, simulationNote } from "./doctor.ts";

test.each([
  ["all there", [{ state: "ok" }, { state: "ok", optional: true }], 0],
  ["something missing that lockstorm runs without", [{ state: "ok" }, { state: "missing", optional: true }], 0],
  ["something broken that lockstorm runs without", [{ state: "broken", optional: true }], 0],
  ["something missing", [{ state: "missing" }, { state: "ok" }], 2],
  ["something broken", [{ state: "ok" }, { state: "broken", optional: false }], 2],
] as const)("%s", (_, findings, code) => {
  expect(doctorExitCode(findings)).toBe(code);
});

test("says what runs without what is missing, unless that is Node or nothing", () => {
  const node = { name: "Node", state: "ok" } as const;
  const missing = { name: "testcontainers", state: "missing" } as const;
  expect(simulationNote([node, missing])).toMatch(
    /^Only --backend containers needs what is missing or broken here\. Simulation/,
  );
  expect(simulationNote([{ ...node, state: "broken" }, missing])).toBeUndefined();
  expect(simulationNote([node, { ...missing, optional: true }])).toBeUndefined();
});
