import { expect, test } from "vitest";
import type { History, HistoryEvent } from "./history.ts";
import { ordersIn } from "./orders.ts";

const header: History["header"] = { format: "lockstorm-history", version: 2, clients: 2 };
const of = (...events: readonly object[]): History => ({
  header,
  events: events.map((event, index) => ({ index, time: index * 1000, key: "k1", ...event }) as HistoryEvent),
});
const acquire = (process: number, owner: string): readonly object[] => [
  { process, type: "invoke", f: "acquire", value: { ttlMs: 300 } },
  { process, type: "ok", f: "acquire", value: { owner, fence: owner.length } },
];
const write = (owner: string, accepted: boolean): object => ({
  process: "storage",
  type: "audit",
  f: "write",
  value: { position: 0, owner, data: "x", accepted },
});
const pause = (target: string, outcome = "installed"): object => ({
  process: "nemesis",
  type: "fault",
  f: "pause-client",
  value: { phase: "start", targets: [target], outcome },
});
const base = of(...acquire(0, "a"), pause("client-0"), write("a", true), write("a", true), ...acquire(1, "b"));

test("each order of two events counts once", () => {
  // Twice: start, acquire:invoke and acquire:invoke, acquire:ok; then the pause, and two writes.
  expect(ordersIn(base)).toHaveLength(5);
  expect(ordersIn(of(...base.events, ...acquire(3, "c")))).toHaveLength(6);
});

test.each<[string, History]>([
  ["times", { ...base, events: base.events.map((event) => ({ ...event, time: event.time * 7 + 3 })) }],
  ["owner values and fencing tokens", of(...acquire(0, "x"), pause("client-0"), write("x", true), write("x", true))],
  [
    "which client it was",
    of(...acquire(1, "a"), pause("client-1"), write("a", true), write("a", true), ...acquire(0, "b")),
  ],
  [
    "who acts first elsewhere",
    of(...acquire(1, "b"), ...acquire(0, "a"), write("a", true), write("a", true), pause("client-0")),
  ],
  [
    "the number of a process after an indeterminate end",
    of(...acquire(2, "a"), pause("client-0"), write("a", true), write("a", true), ...acquire(1, "b")),
  ],
])("%s make no difference", (_, other) => {
  expect(ordersIn(other)).toEqual(ordersIn(base));
});

test.each<[string, History]>([
  ["an outcome", of(...base.events.slice(0, 1), { process: 0, type: "fail", f: "acquire" }, ...base.events.slice(2))],
  ["when a fault hit its client", of(...base.events.slice(0, 1), pause("client-0"), ...base.events.slice(1))],
  ["whether a fault was seen", of(...acquire(0, "a"), pause("client-0", "skipped"), ...base.events.slice(3))],
  ["whom a fault hit", of(...acquire(0, "a"), pause("node-0"), ...base.events.slice(3))],
  ["what the resource did", of(...base.events.slice(0, 4), write("a", false))],
  ["whose write followed", of(...base.events.slice(0, 4), ...acquire(1, "b"), write("b", true))],
])("%s makes a difference", (_, other) => {
  expect(ordersIn(other)).not.toEqual(ordersIn(base));
});

test("whether a release found the lock makes a difference", () => {
  const released = (found: boolean): History =>
    of(
      ...acquire(0, "a"),
      { process: 0, type: "invoke", f: "release", value: { owner: "a" } },
      { process: 0, type: "ok", f: "release", value: { released: found } },
    );
  expect(ordersIn(released(true))).not.toEqual(ordersIn(released(false)));
});
