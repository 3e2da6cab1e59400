import { expect, test } from "vitest";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

/** A release that takes 600 ms, after a write that takes so long. */
function releasedAfter(writeMs: number): Recording {
  const recording = new Recording({ backend: "live", clients: 2, topology: "single" }).acquire(0, 0, "a", {
    ttlMs: 9000,
  });
  return recording
    .write(10, 0, "a", "x")
    .wrote(10 + writeMs, 0, 1)
    .leave(1000, 0, "a")
    .left(1600, 0);
}

function remarksOn({ history }: Recording): readonly string[] {
  return checkHistory(history).remarks.filter((remark) => remark.includes("although no fault had happened"));
}

test("where the resource was as slow, nobody knows whether the lock is to blame", () => {
  expect(remarksOn(releasedAfter(100))).toHaveLength(1);
  expect(remarksOn(releasedAfter(101))).toEqual([]);
});

test("what a fault holds up later says nothing of the machine", () => {
  const faulty = releasedAfter(5).fault(2000, "latency").write(2010, 0, "a", "y").wrote(2900, 0, 2);
  expect(remarksOn(faulty)).toHaveLength(1);
});
