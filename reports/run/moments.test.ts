import { expect, test } from "vitest";
import { checkHistory } from "../../harness/check/check.ts";
import { Recording } from "../../harness/check/testing/recording.ts";
import type { History } from "../../harness/history/history.ts";
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
      expect.stringContaining("1200: client-0 is notified that the lock renewed its lease (now 1,000 ms)"),
      expect.stringContaining("2200: client-0's lease is over; it still holds"),
    ]),
  );
});

test("owner values that begin alike are told apart", () => {
  const { history } = new Recording({ clients: 2 })
    .acquire(0, 0, "redis_1764360001_aaaa", { ttlMs: 1000 })
    .acquire(200, 1, "redis_1764360002_bbbb", { ttlMs: 1000 })
    .release(300, 0, "redis_1764360001_aaaa")
    .release(400, 1, "redis_1764360002_bbbb", false);
  const told = momentsIn(history);
  expect(told).toContain("1: client-0 is granted k (owner redis_17..1_aaaa, lease 999 ms)");
  expect(told).toContain("201: client-1 is granted k (owner redis_17..2_bbbb, lease 999 ms)");
});

test.each([
  ["perhaps over already", { waitMs: 400 }],
  ["already over", { waitMs: 0 }],
])("a grant that comes after its TTL, counted from the request, has a lease %s", (over, wait) => {
  const { history } = new Recording({ clients: 2 })
    .seek(10, 0, { ttlMs: 300, ...wait })
    .acquire(350, 1, "b", { ttlMs: 300 })
    .granted(400, 0, "a")
    .release(450, 1, "b")
    .release(460, 0, "a", false);
  expect(momentsIn(history)).toContain(`400: client-0 is granted k (owner a, lease ${over})`);
});

test.each([2 ** 64, Number.MAX_SAFE_INTEGER])("a lease of %d ms is one that does not end", (ttlMs) => {
  const { history } = new Recording({ clients: 2 })
    .acquire(0, 0, "a", { ttlMs })
    .acquire(400, 1, "b")
    .release(450, 0, "a");
  expect(momentsIn(history)).toContain("1: client-0 is granted k (owner a, no lease that ends)");
});

test("the end of a lease that may have begun late is not told as a fact, until an extension sets it", () => {
  const late = new Recording({ clients: 2 }).seek(0, 0, { ttlMs: 300, waitMs: 400 }).granted(100, 0, "a");
  const { history } = late.acquire(500, 1, "b").release(600, 0, "a", false);
  expect(momentsIn(history)).toContain("300: client-0's lease may be over; it still holds");
  const extended = new Recording({ clients: 2 })
    .seek(0, 0, { ttlMs: 300, waitMs: 400 })
    .granted(100, 0, "a")
    .extend(200, 0, "a", { ttlMs: 200 })
    .acquire(500, 1, "b")
    .release(600, 0, "a", false);
  expect(momentsIn(extended.history)).toContain("400: client-0's lease is over; it still holds");
});

/** The moments of the first violation of a history, `<milliseconds>: <words>`. */
function momentsIn(history: History): readonly string[] {
  const timeline = timelineOf(history);
  const [story] = storiesOf(checkHistory(history), timeline, history.events);
  if (story === undefined) throw new Error("nothing was violated");
  return momentsOf(story, timeline, 20).moments.map(({ time, text }) => `${time / 1e6}: ${text}`);
}

test("a client that was overtaken stood in the queue before the other asked", () => {
  const long = { ttlMs: 5000, waitMs: 5000 };
  const { history } = new Recording({ clients: 3, backend: "simulated" })
    .acquire(0, 2, "x", long)
    .seek(10, 0, long)
    .queued(20, 0)
    .seek(30, 1, long)
    .release(100, 2, "x")
    .granted(110, 1, "z")
    .release(200, 1, "z")
    .granted(210, 0, "y", { grantedAtMs: 201 });
  expect(momentsIn(history)).toEqual(
    expect.arrayContaining([
      "10: client-0 asks for k",
      "20: client-0 stands in the queue for k",
      "30: client-1 asks for k",
      expect.stringContaining("110: client-1 is granted k ("),
      expect.stringContaining("210: client-0 is granted k ("),
    ]),
  );
});

test("a grant says whether its holder reads or writes, or how many permits it has", () => {
  const modal = new Recording({ clients: 2, backend: "simulated" })
    .acquire(0, 0, "a", { mode: "exclusive" })
    .acquire(100, 1, "b", { mode: "shared" })
    .release(200, 0, "a")
    .release(300, 1, "b");
  expect(momentsIn(modal.history)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/client-0 is granted k as a writer \(/),
      expect.stringMatching(/client-1 is granted k as a reader \(/),
    ]),
  );
  const counted = new Recording({ clients: 2, backend: "simulated" })
    .acquire(0, 0, "a", { limit: 3, permits: 2 })
    .acquire(100, 1, "b", { limit: 3, permits: 2 })
    .release(200, 0, "a")
    .release(300, 1, "b");
  expect(momentsIn(counted.history)).toEqual(
    expect.arrayContaining([expect.stringMatching(/client-1 is granted 2 of 3 permits of k \(/)]),
  );
});

test("a fault of which nobody knows what it hit begins", () => {
  const { history } = new Recording({ clients: 2 })
    .acquire(0, 0, "a")
    .fault(5, "partition", { outcome: "indeterminate" })
    .fault(6, "promotion")
    .acquire(10, 1, "b")
    .release(20, 0, "a");
  expect(momentsIn(history)).toEqual(
    expect.arrayContaining(["5: partition begins, effect not seen", "6: a replica is promoted to master"]),
  );
});
