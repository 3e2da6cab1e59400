import { expect, it } from "vitest";
import { plan, section } from "../../run/testing/plans.ts";
import type { Plan } from "../plan.ts";
import type { Trigger } from "../trigger.ts";
import { refuseImpossibleEvents } from "./refuse-events.ts";

const waiting = (at: Trigger, steps: Parameters<typeof section>[0]["steps"] = []): Plan =>
  plan({ clients: [section({ steps })], faults: [{ kind: "eviction", at }] });

it.each([
  [waiting({ on: "acquire:ok", client: 1 }), "acquire:ok of client 1, but the plan has no such client"],
  [waiting({ on: "fault:start", fault: 1 }), "fault:start of fault 1, but the plan has no such fault"],
  [
    waiting({ atMs: 0 }, [
      { do: "reenter", ttlMs: 100, steps: [{ do: "await", until: { on: "lost", client: 7 }, atMostMs: 10 }] },
    ]),
    "lost of client 7",
  ],
])("refuses a trigger of what the plan does not have: %#", (written, message) => {
  expect(() => refuseImpossibleEvents(written)).toThrow(message);
});

it("takes what the plan has, and events of anybody", () => {
  refuseImpossibleEvents(waiting({ on: "acquire:ok", client: 0 }));
  refuseImpossibleEvents(
    waiting({ on: "fault:heal", fault: 0 }, [{ do: "await", until: { on: "lost" }, atMostMs: 10 }]),
  );
});
