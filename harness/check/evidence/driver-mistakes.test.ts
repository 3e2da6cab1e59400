import { expect, test } from "vitest";
import { INVALID_ANSWER, type HistoryEvent } from "../../history/history.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

/** A refused release, twice, in a history that is in order. */
function history(reason: string, violated: boolean): Parameters<typeof checkHistory>[0] {
  const recording = new Recording({ clients: 2 }).acquire(1, 0, "a").fail(5, 1);
  if (violated) recording.acquire(6, 1, "b");
  const { header, events } = recording.release(10, 0, "a").seek(12, 0).history;
  const value = { reason, detail: "`owner` is empty" };
  const at = { process: 0, key: "k", f: "acquire" as const };
  const more: HistoryEvent[] = [
    { index: events.length, time: 13e6, ...at, type: "info", value },
    { index: events.length + 1, time: 14e6, ...at, process: 2, type: "invoke", value: { ttlMs: 10 } },
    { index: events.length + 2, time: 15e6, ...at, process: 2, type: "info", value },
  ];
  return { header, events: [...events, ...more] };
}

const required = ["mutual-exclusion"] as const;

test("a driver's mistake makes a run unknown, and is told first", () => {
  const { verdict, reasons } = checkHistory(history(INVALID_ANSWER, false), { required });
  expect([verdict, reasons]).toEqual([
    "unknown",
    ["the lock's driver made a mistake in acquire of client-0 at 13 ms (event 7): `owner` is empty, and 1 more"],
  ]);
});

test("it is told before what it led to, that the run came to its time limit", () => {
  const value = { run: "limit", at: 20e6, sections: { planned: 3, done: 1 } } as const;
  const end = { index: 99, time: 20e6, process: "harness", type: "end", value } as const;
  const { reasons } = checkHistory({ ...history(INVALID_ANSWER, false), end }, { required });
  expect(reasons).toEqual([
    expect.stringMatching(/^the lock's driver made a mistake in acquire of client-0 /),
    expect.stringMatching(/^the run reached its time limit /),
  ]);
});

test("what such a history proves is proved", () => {
  expect(checkHistory(history(INVALID_ANSWER, true), { required }).verdict).toBe("invalid");
});

test("other operations that nobody knows the end of are no mistake", () => {
  expect(checkHistory(history("timed out", false), { required }).verdict).toBe("valid");
});
