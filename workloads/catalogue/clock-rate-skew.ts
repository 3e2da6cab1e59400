import { interruptedHolder, rival } from "./clients.ts";
import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const clockRateSkew: Scenario = {
  number: 41,
  slug: "clock-rate-skew",
  title: "the servers' clocks run a tenth too fast, and Redlock allows for a hundredth",
  source: SOURCES.antirez,
  says: "The clocks' rates may differ by a known bound, even one of ten per cent, if the validity allows for it.",
  summary:
    "The clocks of all five servers run ten per cent fast, so keys expire after 9.1 of their ten seconds. The " +
    "client trusts its lease for 9.9 seconds, since its drift factor is one per cent. For eight tenths of a second " +
    "two clients hold valid leases. With clocks that differ by less than the drift factor, as in the control, the " +
    "lease ends for its holder first.",
  plan: {
    lock: "redlock",
    topology: { kind: "redlock" },
    clients: [interruptedHolder(10_000, 9700), rival({ ttlMs: 10_000, waitMs: 12_000 })],
    faults: [
      { kind: "clock-rate", params: { targets: ["nodes"], rate: 1.1 }, at: { on: "acquire:invoke", client: 0 } },
    ],
  },
  expected: { "mutual-exclusion": "clock-rate", "lease-exclusion": "clock-rate" },
  control: {
    by: "a drift factor that is larger than the real difference",
    plan: {
      faults: [
        { kind: "clock-rate", params: { targets: ["nodes"], rate: 1.005 }, at: { on: "acquire:invoke", client: 0 } },
      ],
    },
    keeps: ["mutual-exclusion", "lease-exclusion"],
  },
  onlyInSimulation: "containers cannot change the speed of a clock",
};
