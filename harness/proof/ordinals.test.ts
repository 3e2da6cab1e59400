import { expect, it } from "vitest";
import { Recording } from "../check/testing/recording.ts";
import { ordinalOf } from "./ordinals.ts";

const ordinalIn = ({ history }: Recording, index: number): number | undefined =>
  ordinalOf(history, history.events[index]!);

const recorded = (): Recording => new Recording({ clients: 2 });

it("counts the operations of a client in the order of their invocations", () => {
  const run = recorded().acquire(0, 0, "a").acquire(5, 1, "b").release(10, 0, "a").acquire(20, 2, "c");
  expect([0, 2, 4, 6].map((index) => ordinalIn(run, index))).toEqual([1, 1, 1, 2]);
});

it("counts tasks that ask at different times, whether or not they wait at the same time", () => {
  const run = recorded().seek(0, 0).seek(1, 2).granted(5, 2, "b").granted(10, 0, "a");
  expect([0, 1].map((index) => ordinalIn(run, index))).toEqual([1, 2]);
});

it("does not count tasks that ask at the same time, or of which a fault struck the first while it asked", () => {
  const same = recorded().seek(0, 0).seek(0, 2).granted(5, 2, "b").granted(10, 0, "a");
  expect([0, 1].map((index) => ordinalIn(same, index))).toEqual([undefined, undefined]);
  const fault = (before: Recording): Recording => before.fault(2, "latency");
  const struck = fault(recorded().seek(0, 0).seek(1, 2)).granted(5, 2, "b").granted(10, 0, "a");
  expect([0, 1].map((index) => ordinalIn(struck, index))).toEqual([undefined, undefined]);
  const later = fault(recorded().acquire(0, 0, "a")).seek(3, 2);
  expect([0, 3].map((index) => ordinalIn(later, index))).toEqual([1, 2]);
});

it("counts an operation on several keys once", () => {
  const run = recorded()
    .on("l")
    .seek(0, 0, { alsoKeys: ["k"] })
    .on("k")
    .seek(0, 2, { alsoKeys: ["l"] });
  run.on("l").granted(5, 0, "a").on("k").granted(5, 2, "a").on("l").release(7, 0, "a").on("k").acquire(9, 0, "b");
  expect([0, 1, 6].map((index) => ordinalIn(run, index))).toEqual([1, 1, 2]);
});
