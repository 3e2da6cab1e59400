import fc from "fast-check";
import { expect, test } from "vitest";
import { EventQueue, ScheduledEvent } from "./event-queue.ts";

function event(timeUs: number, label = ""): ScheduledEvent {
  return new ScheduledEvent(timeUs, "world", null, label, () => {});
}

function drain(queue: EventQueue): ScheduledEvent[] {
  const events: ScheduledEvent[] = [];
  for (let next = queue.peek(); next !== undefined; next = queue.peek()) {
    expect(queue.pop()).toBe(next);
    events.push(next);
  }
  return events;
}

test("events come out by time, then in the order in which they were pushed, after any cancellations", () => {
  const operations = fc.array(fc.record({ timeUs: fc.nat(20), cancel: fc.boolean(), popFirst: fc.boolean() }), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(operations, (pushes) => {
      const queue = new EventQueue();
      const expected: { timeUs: number; order: number; event: ScheduledEvent }[] = [];
      for (const [order, { timeUs, cancel, popFirst }] of pushes.entries()) {
        const pushed = event(timeUs);
        queue.push(pushed);
        if (cancel) pushed.cancel();
        else expected.push({ timeUs, order, event: pushed });
        if (!popFirst) continue;
        expected.sort((a, b) => a.timeUs - b.timeUs || a.order - b.order);
        expect(queue.peek()).toBe(expected.shift()?.event);
        queue.pop();
      }
      expected.sort((a, b) => a.timeUs - b.timeUs || a.order - b.order);
      expect(drain(queue)).toEqual(expected.map((entry) => entry.event));
    }),
    { numRuns: 200 },
  );
});

test("cancelled events are swept out before they fill the memory", () => {
  const queue = new EventQueue();
  const kept = event(5);
  queue.push(kept);
  for (let index = 0; index < 100_000; index += 1) {
    const timer = event(1_000_000);
    queue.push(timer);
    timer.cancel();
  }
  expect(queue.size).toBeLessThan(5000);
  expect(drain(queue)).toEqual([kept]);
});

test("rescheduled events keep their order among themselves", () => {
  const queue = new EventQueue();
  const [a, b, c] = [event(10, "moved"), event(20, "moved"), event(15)];
  for (const each of [a, b, c]) queue.push(each);
  queue.reschedule(
    ({ label }) => label === "moved",
    () => 30,
  );
  expect(drain(queue)).toEqual([c, a, b]);
});
