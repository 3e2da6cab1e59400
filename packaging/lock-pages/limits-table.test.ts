import { expect, test } from "vitest";
import { leaseLimits } from "../../lock-impl/claim-tables.ts";
import type { Limit } from "../../lock-impl/claims.ts";
import { libraries } from "../../lock-impl/libraries/libraries.ts";
import { libraryWorkers } from "../../lock-impl/workers/workers.ts";
import { limitsTables } from "./limits-table.ts";

const SINGLE = leaseLimits("single");

test("what breaks every lock with leases is told once, and of a lock what differs", () => {
  const own: Limit = {
    property: "linearizability",
    topology: "single",
    under: "stall",
    cause: "overrun",
    source: "here",
  };
  const jumps = SINGLE.filter(({ under }) => under !== "clock-jump");
  const lines = limitsTables([
    { name: "plain", topologies: ["single", "redlock"], limits: [...SINGLE, ...leaseLimits("redlock")] },
    { name: "worse", topologies: ["single"], limits: [...SINGLE, own] },
    { name: "better", topologies: ["single"], limits: jumps },
  ]);
  expect(lines.filter((line) => line.includes("power-loss"))).toHaveLength(1);
  expect(lines).toContain("| plain | single, redlock |  |  |");
  expect(lines).toContain("| worse | single | **linearizability**: stall |  |");
  expect(lines).toContain("| better | single |  | **lease-exclusion**: clock-jump |");
});

test("a limit of every lock with leases, for a reason of the lock's own, is told of the lock", () => {
  const own: Limit = { ...SINGLE[0]!, cause: "clock-jump" };
  const lines = limitsTables([{ name: "odd", topologies: ["single"], limits: [...SINGLE, own] }]);
  expect(lines).toContain(`| odd | single | **${own.property}**: ${own.under} |  |`);
});

test("each lock has a row for each of its topologies", () => {
  const locks = [...libraries, ...libraryWorkers];
  const rows = limitsTables(locks);
  for (const { name, topologies } of locks) {
    const told = rows.flatMap((row) =>
      row.startsWith(`| ${name} | `) ? (row.split(" | ")[1]?.split(", ") ?? []) : [],
    );
    expect(told.toSorted(), name).toEqual([...topologies].toSorted());
  }
});
