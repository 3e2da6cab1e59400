import { expect, test } from "vitest";
import { ladderCells } from "./cells.ts";

function expectedOf(lock: string, fault: string | undefined, topology: "single" | "sentinel" = "single") {
  const cells = ladderCells({ all: true, only: [lock], topology, backend: "simulated" });
  return cells.find((cell) => cell.fault?.kind === fault)?.expected;
}

test("a client may outlive its lease where the lock is known to let it, whatever it claims", () => {
  expect(expectedOf("redis-semaphore", "pause-node")).toBe("outlived");
  expect(expectedOf("redis-semaphore", "kill-client")).toBe("holds");
  expect(expectedOf("watchdog", "pause-node")).toBe("holds");
});
