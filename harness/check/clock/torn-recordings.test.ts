import { expect, it } from "vitest";
import type { History, HistoryHeader } from "../../history/history.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

const TTL = { ttlMs: 2000 };

/** Client 1 is granted the key at 500 ms, which client 0 may have given back at that time. */
const recorded = (facts: Partial<HistoryHeader>): Recording =>
  new Recording({ version: 2, clients: 2, ...facts })
    .seek(0, 0, TTL)
    .granted(100, 0, "a")
    .seek(300, 1, TTL)
    .granted(500, 1, "b");

function accused(history: History): boolean {
  return ["lease-exclusion", "linearizability"].every((property) => {
    const { [property as "linearizability"]: found } = checkHistory(history, { foreign: true }).properties;
    return found?.verdict === "invalid";
  });
}

function ended(history: History): History {
  const { length: index } = history.events;
  const value = { run: "completed", at: 600_000_000 } as const;
  return { ...history, end: { index, time: 600_000_000, process: "harness", type: "end", value } };
}

const exactly = ({ header, events }: History): History => ({
  header,
  events: events.map((event) => ({ ...event, time: event.time + 7 * event.index ** 2 + 1 })),
});
const asItIs = (history: History): History => history;

it.each<[string, Partial<HistoryHeader>, (history: History) => History]>([
  ["a coarse clock", {}, asItIs],
  ["clocks that differ", { clockUncertaintyMs: 30 }, exactly],
])("where a recording lost its end, %s may hide what came before its last answers", (_, facts, timed) => {
  const { history } = recorded(facts);
  expect(accused(timed(history))).toBe(false);
  expect(accused(ended(timed(history)))).toBe(true);
  // What happens later shows that everything before is recorded.
  expect(accused(timed(recorded(facts).on("other").seek(700, 1, TTL).history))).toBe(true);
});

it("by an exact clock everything is recorded that came before the last answer", () => {
  expect(accused(exactly(recorded({}).history))).toBe(true);
  expect(accused(recorded({ backend: "simulated" }).history)).toBe(true);
});
