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

test("a property that a lock claims under no fault, and is known to lose under one, may break under all", () => {
  const lock = "redis-semaphore-530";
  expect(expectedOf(lock, "pause-node")).toBe("broken");
  expect(expectedOf(lock, "pause-client")).toBe("broken");
  expect(expectedOf(lock, "pause-client", "sentinel")).toBe("broken");
  expect(expectedOf(lock, "latency")).toBeUndefined();
  expect(expectedOf(lock, undefined)).toBe("holds");
});
