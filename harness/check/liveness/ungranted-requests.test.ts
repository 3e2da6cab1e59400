import { expect, test } from "vitest";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

/** What is said of clients that ask in vain. */
function remarksOn(recording: Recording): readonly string[] {
  return checkHistory(recording.history).remarks.filter((remark) => remark.includes("nor told that another client"));
}

/** A pause of the client from 10 to 100 ms. */
const paused = (): Recording =>
  new Recording({ clients: 2, topology: "single" })
    .acquire(0, 1, "a")
    .release(5, 1, "a")
    .fault(10, "pause-client", { processes: [0] })
    .fault(100, "pause-client", { processes: [0], phase: "heal" });

const refused = (recording: Recording, atMs: number, reason = "circuit is open"): Recording =>
  recording.seek(atMs, 0).refused(atMs + 1, 0, reason);

test("a client that only fails after the last fault is told of", () => {
  expect(remarksOn(refused(refused(paused(), 2100), 2200))).toEqual([
    'client-0 asked 2 times between 2,100 ms and 2,201 ms, later than 2,000 ms after the last fault was over, and was neither granted a lock nor told that another client holds it: the last request ended with "circuit is open"',
  ]);
});

test("also if its requests have no known outcome", () => {
  const unknown = paused().seek(2100, 0).info(2101, 0, "acquire").seek(2200, 2).info(2201, 2, "acquire");
  expect(remarksOn(unknown)).toHaveLength(1);
});

test("not for one request, nor for one that came soon after the fault", () => {
  expect(remarksOn(refused(paused(), 2100))).toEqual([]);
  expect(remarksOn(refused(refused(paused(), 2099), 2200))).toEqual([]);
});

test("not for a client that was told since the fault that another one holds the lock, or was granted it", () => {
  expect(remarksOn(refused(refused(refused(paused(), 500, "contended"), 2100), 2200))).toEqual([]);
  const granted = paused().acquire(2100, 0, "b").release(2110, 0, "b");
  expect(remarksOn(refused(refused(granted, 2200), 2300))).toEqual([]);
  const other = paused().acquire(2100, 1, "b").release(2110, 1, "b");
  expect(remarksOn(refused(refused(other, 2200), 2300))).toHaveLength(1);
});

test("not before a fault, nor while one is in force", () => {
  const calm = new Recording({ clients: 2, topology: "single" });
  expect(remarksOn(refused(refused(calm, 2100), 2200))).toEqual([]);
  const again = refused(refused(paused(), 2100), 2200).fault(2300, "pause-client", { processes: [0] });
  expect(remarksOn(again)).toEqual([]);
});
