import { expect, test } from "vitest";
import type { History } from "../../harness/history/history.ts";
import { lostInFailover, takingTurns } from "../testdata/example-runs.ts";
import { differenceWords } from "./first-difference.ts";

function without({ header, events }: History, gone: (f: string | undefined) => boolean): History {
  return { header, events: events.filter(({ f }) => !gone(f)).map((event, index) => ({ ...event, index })) };
}

test("faults are what differs, not where it shows: the first other event is named on both sides", () => {
  const { history } = lostInFailover();
  const calm = without(history, (f) => f === "kill-node" || f === "partition" || f === "promotion");
  expect(differenceWords(history, calm)).toBeUndefined();
  const refused = calm.events.map((event) =>
    event.type === "ok" && event.f === "acquire" && event.process === 1
      ? {
          index: event.index,
          time: event.time + 1e6,
          process: 1,
          type: "fail" as const,
          f: "acquire" as const,
          key: "k1",
        }
      : event,
  );
  expect(differenceWords(history, { ...calm, events: refused })).toBe(
    "in this run client-1 is granted k1 at 3,444 ms (event 11); in the control client-1 is refused k1 at 3,445 ms",
  );
});

test("a run that ends earlier differs where it ends", () => {
  const { history } = takingTurns(2);
  const shorter = { ...history, events: history.events.slice(0, 4) };
  expect(differenceWords(history, shorter)).toMatch(
    /^in this run client-0 begins its write of k1 at 17 ms \(event 4\); the control has ended$/,
  );
  expect(differenceWords(shorter, history)).toMatch(/^this run has ended; in the control client-0 /);
});
