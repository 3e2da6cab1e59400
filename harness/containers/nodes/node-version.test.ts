import { expect, test } from "vitest";
import { isAtLeast, oldestNode } from "./node-version.ts";

test("versions compare by number, place by place", () => {
  expect(isAtLeast("22.22.0", "22.22.0")).toBe(true);
  expect(isAtLeast("22.22.1", "22.22.0")).toBe(true);
  expect(isAtLeast("24.0.0", "22.22.0")).toBe(true);
  expect(isAtLeast("22.9.0", "22.22.0")).toBe(false);
  expect(isAtLeast("20.99.99", "22.22.0")).toBe(false);
});

test("this Node is one that the package supports", () => {
  expect(isAtLeast(process.versions.node, oldestNode())).toBe(true);
});
