import { describe, expect, test } from "vitest";
import { runMain } from "../testing/run-main.ts";

const FAILOVER =
  "the fault failover cannot happen on single: it has no replicas; leave it out, or choose a topology that has it: sentinel";

describe("a fault that the topology cannot have", () => {
  test.each([
    ["a hunt", ["hunt", "--topology", "single", "--faults", "failover"]],
    ["a list of which only some fit", ["hunt", "--lock", "single", "--faults", "reset,failover"]],
    ["a table", ["hunt", "--ladder", "--lock", "fenced", "--topology", "single", "--faults", "reset,failover"]],
    ["the table of all locks", ["hunt", "--all", "--lock", "fenced", "--topology", "single", "--faults", "failover"]],
  ])("is refused in one line in %s", { tags: "long" }, async (_, words) => {
    const { code, stderr, stdout } = await runMain(words);
    expect([code, stdout]).toEqual([254, ""]);
    expect(stderr).toContain(FAILOVER);
  });
});
