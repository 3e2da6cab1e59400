import { expect, test } from "vitest";
import { classesOf, classOf, kindOf } from "./fault-classes.ts";
import { faults } from "./registry.ts";

test("a node that lost its disk is another fault than one that kept it", () => {
  expect(classOf("restart-node", { keepData: false })).toBe("disk-loss");
  expect(classOf("restart-node", { keepData: true })).toBe("restart-node");
  expect(classOf("restart-node")).toBe("restart-node");
  expect(classOf("latency", { keepData: false })).toBe("latency");
  expect(classOf("smoke")).toBe("smoke");
});

test("every class leads back to its kind, and no two kinds share one", () => {
  const classes = faults.flatMap(({ kind }) => classesOf(kind).map((name) => [name, kind] as const));
  expect(new Set(classes.map(([name]) => name)).size).toBe(classes.length);
  for (const [name, kind] of classes) expect(kindOf(name)).toBe(kind);
});
