import { expect, test } from "vitest";
import { Trace } from "./trace.ts";

/** The hash of a trace that took these events one way or the other, with bytes between them. */
function hashOf(events: readonly (readonly [number, string, string])[], asLines: boolean): string {
  const trace = new Trace();
  for (const [atUs, who, label] of events) {
    if (asLines) trace.line(`${atUs} ${who} ${label}`);
    else trace.event(atUs, who, label);
    trace.bytes(Uint8Array.of(0, 10, 255));
  }
  return trace.digest();
}

test("an event has the hash of its line", () => {
  const times = [0, 9, 10, 99, 100, 1_234_567, 10 ** 15, Number.MAX_SAFE_INTEGER];
  const labels = ["timer", "", "bytes client-0>node-0#1", "lost clé", "renewed 🔒", "a\ud800b"];
  const events = times.flatMap((atUs) => labels.map((label) => [atUs, "client-0", label] as const));
  expect(hashOf(events, false)).toBe(hashOf(events, true));
  expect(hashOf(events.slice(1), false)).not.toBe(hashOf(events, true));
});

test("so has one at the edge of the buffer, and one that is longer than it", () => {
  const lengths = [...Array.from({ length: 60 }, (_, index) => 16_340 + index), 5, 100_000, 7];
  const events = lengths.map((length, index) => [index, "node-0", "x".repeat(length)] as const);
  expect(hashOf(events, false)).toBe(hashOf(events, true));
});
