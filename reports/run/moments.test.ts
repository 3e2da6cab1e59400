import { expect, test } from "vitest";
import { checkHistory } from "../../harness/check/check.ts";
import { Recording } from "../../harness/check/testing/recording.ts";
import { momentsOf } from "./moments.ts";
import { storiesOf } from "./story.ts";
import { timelineOf } from "./timeline.ts";

test("extensions and renewals are told, and a renewed lease lasts until its true end", () => {
  const { history } = new Recording({ clients: 2, backend: "simulated" })
    .acquire(0, 0, "a", { ttlMs: 1000 })
    .extend(500, 0, "a", { ttlMs: 1000 })
    .renewed(1200, 0, "a", 1000)
    .acquire(1800, 1, "b", { ttlMs: 1000 })
    .release(2500, 0, "a", false)
    .release(2600, 1, "b");
  const timeline = timelineOf(history);
  const [story] = storiesOf(checkHistory(history), timeline, history.events);
  if (story === undefined) throw new Error("nothing was violated");
  const [hold] = timeline.holds;
  expect(hold).toMatchObject({ grantedUntil: 1000e6, leaseUntil: 2200e6, lease: [{ from: 1e6, to: 2200e6 }] });
  const told = momentsOf(story, timeline, 20).moments.map(({ time, text }) => `${time / 1e6}: ${text}`);
  expect(told).toEqual(
    expect.arrayContaining([
      expect.stringContaining("1: client-0 is granted k (owner a, lease 999 ms)"),
      expect.stringContaining("501: client-0 extends its lease (now 999 ms)"),
      expect.stringContaining("1200: client-0 is notified that the lock renewed its lease (now 1000 ms)"),
      expect.stringContaining("2200: client-0's lease is over; it still holds"),
    ]),
  );
});
