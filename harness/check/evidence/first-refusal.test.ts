import { expect, test } from "vitest";
import type { History } from "../../history/history.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

const required = ["mutual-exclusion"] as const;

/** Two acquires that end as `info`, and what comes then; the driver says this of the first. */
function refused(says: string, then: (recording: Recording) => Recording = (recording) => recording): History {
  const recording = new Recording({ clients: 2 }).seek(0, 0).seek(0, 1).info(1, 0, "acquire").info(2, 1, "acquire");
  const { header, events } = then(recording).history;
  const told = events.map((event) =>
    event.type === "info" && event.process === 0 ? { ...event, value: { reason: says } } : event,
  );
  return { header, events: told };
}

test("where no acquire was granted, the verdict says how the first one ended", () => {
  const { verdict, reasons } = checkHistory(refused("TypeError: client.SET is not a function"), { required });
  expect(verdict).toBe("unknown");
  // What follows from it is not said beside it: that nothing was contended, and that no property was concerned.
  expect(reasons).toEqual([
    "no acquire was granted, and the first that was not contended ended as info: TypeError: client.SET is not a function",
  ]);
});

test("so it does where others were refused as contended: whose outcome is unknown may have the lock for ever", () => {
  const { verdict, reasons } = checkHistory(
    refused("Command timed out", (recording) => recording.fail(5, 1).fail(10, 1)),
    { required },
  );
  expect([verdict, reasons]).toEqual([
    "unknown",
    ["no acquire was granted, and the first that was not contended ended as info: Command timed out"],
  ]);
});

test("and no more of it than fits a line or two", () => {
  const { reasons } = checkHistory(refused("x".repeat(10_000)), { required });
  for (const reason of reasons) expect(reason.length).toBeLessThan(300);
});

test("a history in which a lock was granted or refused as contended says nothing of the sort", () => {
  const granted = refused("timed out", (recording) => recording.acquire(5, 0, "a").release(10, 0, "a"));
  expect(checkHistory(granted, { required }).reasons).toEqual(["no lock was ever contended"]);
});

test("where all acquires were refused as contended, the verdict says that nobody was granted the lock", () => {
  const recording = new Recording({ clients: 2 }).fail(0, 0).fail(2, 1);
  const { verdict, reasons } = checkHistory(recording.history, { required });
  expect([verdict, reasons]).toEqual([
    "unknown",
    ["every acquire was refused as contended, though no acquire was granted"],
  ]);
  const granted = new Recording({ clients: 2 }).acquire(0, 0, "a").fail(2, 1).release(4, 0, "a");
  expect(checkHistory(granted.history, { required }).reasons).toEqual([]);
  const later = new Recording({ clients: 2 }).fail(0, 0).acquire(2, 1, "a").release(4, 1, "a");
  expect(checkHistory(later.history, { required: ["fencing-tokens"] }).reasons).toEqual([
    "no event of the history concerns a required property",
  ]);
});
