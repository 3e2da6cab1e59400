import { expect, it } from "vitest";
import { planSchema } from "../plan.ts";
import { refuseAbsent } from "./refuse-absent.ts";

const plan = (at: object, steps: readonly object[] = [], faults = 1) =>
  planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 1,
    lock: "single",
    topology: { kind: "single" },
    clients: [{ sections: [{ key: "k1", ttlMs: 100, waitMs: 0, steps }] }],
    faults: faults === 0 ? [] : [{ kind: "eviction", params: {}, at }],
  });

it.each([
  [plan({ on: "acquire:ok", client: 1 }), "acquire:ok of client 1, but the plan has no such client"],
  [plan({ on: "fault:start", fault: 1 }), "fault:start of fault 1, but the plan has no such fault"],
  [
    plan({ atMs: 0 }, [
      { do: "reenter", ttlMs: 100, steps: [{ do: "await", until: { on: "lost", client: 7 }, atMostMs: 10 }] },
    ]),
    "lost of client 7",
  ],
])("refuses a trigger of what the plan does not have: %#", (written, message) => {
  expect(() => refuseAbsent(written)).toThrow(message);
});

it("takes what the plan has, and events of anybody", () => {
  refuseAbsent(plan({ on: "acquire:ok", client: 0 }));
  refuseAbsent(plan({ on: "fault:heal", fault: 0 }, [{ do: "await", until: { on: "lost" }, atMostMs: 10 }]));
});
