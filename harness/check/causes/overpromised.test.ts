import { expect, test } from "vitest";
import { violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

test("a lease is not counted from the request of a lock that may have waited", () => {
  const waited = (waitMs: number): string => {
    const recording = new Recording({ clients: 3 }).seek(0, 0, { waitMs }).granted(400, 0, "a", { validForMs: 1000 });
    return violationsOf("lease-exclusion", recording.acquire(1149, 1, "b").release(1300, 0, "a"))[0]?.explanation ?? "";
  };
  expect(waited(0)).toContain("client-0 had asked for its lease at 0 ms");
  expect(waited(500)).toContain(
    "the lock itself granted it twice, or it counted a lease from a later instant than the server: client-0 asked at 0 ms and was answered at 400 ms, and its lease counts from 400 ms on.",
  );
  // Both are answered late.
  const both = new Recording({ clients: 3 }).seek(0, 0, { waitMs: 2000 }).seek(20, 1, { waitMs: 2000 });
  const answered = both.granted(1300, 0, "a", { validForMs: 1000 }).granted(1300, 1, "b", { validForMs: 1000 });
  expect(violationsOf("lease-exclusion", answered.release(1310, 0, "a"))[0]?.explanation).toContain(
    "client-0 asked at 0 ms and was answered at 1,300 ms, and its lease counts from 1,300 ms on; client-1 asked at 20 ms and was answered at 1,300 ms, and its lease counts from 1,300 ms on.",
  );
  // The second was asked for while the first was in force, and it was in force until the second was answered.
  const beside = new Recording({ clients: 3 }).acquire(0, 0, "a", { ttlMs: 2400 }).seek(40, 1, { waitMs: 2000 });
  const late = beside.granted(1500, 1, "b", { validForMs: 1400 }).release(1510, 1, "b").release(1600, 0, "a");
  expect(violationsOf("lease-exclusion", late)[0]?.explanation).toMatch(/the lock itself granted it twice(?!, or)/);
  // One of several holders of a semaphore, that is neither the first nor the last.
  const shared = new Recording({ clients: 3 }).acquire(100, 2, "c", { limit: 2, ttlMs: 5000 });
  const third = shared.seek(0, 0, { limit: 2, waitMs: 500 }).granted(400, 0, "a", { validForMs: 1000 });
  const three = third.acquire(1149, 1, "b", { limit: 2 }).release(1300, 0, "a");
  expect(violationsOf("lease-exclusion", three)[0]?.explanation).toContain(
    "or it counted a lease from a later instant than the server: client-0 asked at 0 ms and was answered at 400 ms",
  );
  // In force by its first request, too; and a lease that the lock counted from the request.
  const plain = (validForMs: number | undefined, otherMs: number): string => {
    const facts = validForMs === undefined ? {} : { validForMs };
    const recording = new Recording({ clients: 3 }).seek(0, 0, { waitMs: 500 }).granted(400, 0, "a", facts);
    const [violation] = violationsOf("lease-exclusion", recording.acquire(otherMs, 1, "b").release(1300, 0, "a"));
    return violation?.explanation ?? "";
  };
  expect(plain(1000, 900)).toMatch(/the lock itself granted it twice(?!, or)/);
  expect(plain(undefined, 900)).not.toContain("later instant");
});

test("a lock that waited counted its lease from the moment that it states", () => {
  const told = (otherMs: number): string => {
    const waited = new Recording({ clients: 3 }).seek(0, 0, { waitMs: 500 });
    const stated = waited.granted(400, 0, "a", { validForMs: 1000, grantedAtMs: 380 });
    return violationsOf("lease-exclusion", stated.acquire(otherMs, 1, "b").release(1370, 0, "a"))[0]?.explanation ?? "";
  };
  expect(told(1000)).toContain(
    "or it counted a lease from a later instant than the server: client-0 asked at 0 ms and was answered at 400 ms, and its lease counts from 380 ms on.",
  );
  // By its first request, a lease of a whole second was in force.
  expect(told(990)).toMatch(/the lock itself granted it twice(?!, or)/);
});

test("a lock that promised more than it was asked for did not count from too late an instant", () => {
  const told = (validForMs: number, otherMs: number): string => {
    const longer = new Recording({ clients: 2 }).acquire(0, 0, "a", { validForMs }).acquire(otherMs, 1, "b");
    return violationsOf("lease-exclusion", longer.release(otherMs + 50, 0, "a"))[0]?.explanation ?? "";
  };
  expect(told(30_000, 1200)).toContain(
    "the lock itself granted it twice, or it promised a longer lease than it had set: at 0 ms client-0 had asked for 1,000 ms, and was promised 30,000 ms.",
  );
  expect(told(30_000, 1200)).not.toContain("too late an instant");
  expect(told(30_000, 900)).toMatch(/the lock itself granted it twice(?!, or)/);
});
