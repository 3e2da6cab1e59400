import { expect, it } from "vitest";
import { Recording } from "./testing/recording.ts";
import type { FaultEvent } from "../history/history.ts";
import { faultInWords } from "./words.ts";

function fault(f: string, targets: readonly string[]): FaultEvent {
  const [event] = new Recording().fault(100, f, { targets: [...targets] }).history.events;
  return event as FaultEvent;
}

it("names a fault by its kind, its targets and its moment", () => {
  expect(faultInWords(fault("kill-node", ["node-0"]))).toBe("kill-node of node-0 at 100 ms (event 0)");
  expect(faultInWords(fault("clock-jump", ["node-0", "node-1"]))).toBe(
    "clock-jump of node-0 and node-1 at 100 ms (event 0)",
  );
  expect(faultInWords(fault("promotion", ["node-2"]))).toBe("the promotion of node-2 at 100 ms (event 0)");
});

it("names both ends of a link, and all members of the groups that a partition separates", () => {
  expect(faultInWords(fault("stall", ["client-0", "resource"]))).toBe(
    "stall between client-0 and resource at 100 ms (event 0)",
  );
  expect(faultInWords(fault("partition", ["node-0", "node-1", "node-2"]))).toBe(
    "partition of node-0, node-1 and node-2 at 100 ms (event 0)",
  );
});

it("does not name again what the sentence is about", () => {
  expect(faultInWords(fault("pause-client", ["client-0"]), "client-0")).toBe("pause-client at 100 ms (event 0)");
  expect(faultInWords(fault("pause-client", ["client-0", "client-1"]), "client-0")).toBe(
    "pause-client of client-0 and client-1 at 100 ms (event 0)",
  );
});
