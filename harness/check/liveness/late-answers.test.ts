import { expect, test } from "vitest";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

const recorded = (): Recording => new Recording({ backend: "simulated", clients: 2, topology: "single" });

/** What is said of answers that came late. */
function remarksOn({ history }: Recording): readonly string[] {
  return checkHistory(history).remarks.filter((remark) => remark.endsWith("although no fault had happened"));
}

test("a release and an extension that take more than half a second are told of", () => {
  const slow = recorded()
    .acquire(0, 0, "a")
    .seekExtension(10, 0, "a", 1000)
    .extended(511, 0, "a")
    .leave(600, 0, "a")
    .left(1101, 0);
  expect(remarksOn(slow)).toEqual([
    "the extension of client-0 at 10 ms was answered at 511 ms, 501 ms later, although no fault had happened",
    "the release of client-0 at 600 ms was answered at 1,101 ms, 501 ms later, although no fault had happened",
  ]);
  const soon = recorded()
    .acquire(0, 0, "a")
    .seekExtension(10, 0, "a", 1000)
    .extended(510, 0, "a")
    .leave(600, 0, "a")
    .left(1100, 0);
  expect(remarksOn(soon)).toEqual([]);
});

test("an acquire counts from the end of its wait", () => {
  const waited = recorded().acquire(0, 0, "a", { ttlMs: 5000 }).seek(10, 1, { waitMs: 300 });
  expect(remarksOn(waited.refused(811, 1))).toEqual([
    "the acquire of client-1 at 10 ms was answered at 811 ms, 501 ms after its wait was over, although no fault had happened",
  ]);
  const patient = recorded().acquire(0, 0, "a", { ttlMs: 5000 }).seek(10, 1, { waitMs: 301 });
  expect(remarksOn(patient.refused(811, 1))).toEqual([]);
  expect(remarksOn(recorded().seek(10, 1).granted(511, 1, "a"))).toEqual([
    "the acquire of client-1 at 10 ms was answered at 511 ms, 501 ms later, although no fault had happened",
  ]);
});

test("a driver may give up an acquire a second after its wait: the lock has not answered it", () => {
  const givenUp = (atMs: number): Recording =>
    recorded().acquire(0, 0, "a", { ttlMs: 5000 }).seek(10, 1, { waitMs: 300 }).info(atMs, 1, "acquire");
  expect(remarksOn(givenUp(1810))).toEqual([]);
  expect(remarksOn(givenUp(1811))).toEqual([
    "the acquire of client-1 at 10 ms was answered at 1,811 ms, 1,501 ms after its wait was over, although no fault had happened",
  ]);
});

test("a fault may hold up anything after it, and others may record what they like", () => {
  const faulty = recorded()
    .acquire(0, 0, "a")
    .fault(5, "pause-client", { processes: [0] });
  expect(remarksOn(faulty.leave(10, 0, "a").left(2000, 0))).toEqual([]);
  expect(remarksOn(new Recording({ clients: 2 }).acquire(0, 0, "a").leave(10, 0, "a").left(2000, 0))).toEqual([]);
});

test("writes to the resource are not the lock's", () => {
  expect(remarksOn(recorded().acquire(0, 0, "a").write(10, 0, "a", "x").wrote(900, 0, 1))).toEqual([]);
});
