import { expect, test } from "vitest";
import {
  disturbsUntilHealed,
  type FaultTraits,
  holdsMessages,
  killsClients,
  losesLockData,
  losesNodeData,
  mayCopyLocks,
  mayLoseLocks,
  movesClocks,
  pausesClients,
  PROMOTION,
  stopsNodes,
  strikesAtOnce,
} from "../harness/core/fault-traits.ts";
import { type FaultKind, faults } from "./registry.ts";
import { jepsenFault, traitsOf } from "./traits.ts";

/** Every question that checkers, claims and reports ask about a fault, and the hand-written answer for each fault. */
const QUESTIONS: Readonly<Record<string, readonly [(traits: FaultTraits) => boolean, readonly FaultKind[]]>> = {
  "lasts until it is healed": [
    ({ duration }) => duration === "lasting",
    ["pause-client", "kill-client", "partition", "latency", "stall", "pause-node", "kill-node", "clock-rate"],
  ],
  "strikes at one instant": [
    strikesAtOnce,
    [
      "kill-client",
      "reset",
      "kill-node",
      "restart-node",
      "power-loss",
      "failover",
      "clock-jump",
      "eviction",
      "forget-fences",
    ],
  ],
  "disturbs until it is healed": [
    disturbsUntilHealed,
    ["pause-client", "partition", "latency", "stall", "pause-node", "kill-node", "clock-rate"],
  ],
  "stops a client that goes on": [pausesClients, ["pause-client"]],
  "stops some process that goes on": [({ pauses }) => pauses !== undefined, ["pause-client", "pause-node"]],
  "ends a client": [killsClients, ["kill-client"]],
  "kills a node": [({ kills }) => kills === "node", ["kill-node", "restart-node", "power-loss"]],
  "keeps a node from running until it is healed": [stopsNodes, ["pause-node", "kill-node"]],
  "holds messages back": [holdsMessages, ["partition", "latency", "stall"]],
  "touches messages at all": [({ messages }) => messages !== undefined, ["partition", "latency", "stall", "reset"]],
  "breaks connections": [
    ({ breaksConnections }) => breaksConnections === true,
    ["partition", "stall", "reset", "kill-node", "restart-node", "power-loss", "failover"],
  ],
  "steps clocks": [({ clock }) => clock === "step", ["clock-jump"]],
  "changes what clocks show": [movesClocks, ["clock-jump", "clock-rate"]],
  "has nodes forget": [losesNodeData, ["kill-node", "restart-node", "power-loss"]],
  "has nodes forget what was synced": [({ loses }) => loses === "disk", ["restart-node"]],
  "has nodes forget what was written and not synced": [({ loses }) => loses === "unsynced", ["power-loss"]],
  "has running nodes drop keys": [({ loses }) => loses === "keys", ["eviction"]],
  "has the resource forget": [({ loses }) => loses === "fences", ["forget-fences"]],
  "promotes a replica": [({ promotes }) => promotes !== undefined, ["failover"]],
  "loses what a server had granted or counted": [
    losesLockData,
    ["kill-node", "restart-node", "power-loss", "failover", "eviction"],
  ],
  "may lose a lock": [
    mayLoseLocks,
    ["kill-node", "restart-node", "power-loss", "failover", "clock-jump", "clock-rate", "eviction"],
  ],
  "may leave a second copy of a lock": [mayCopyLocks, ["kill-node", "restart-node", "power-loss", "failover"]],
};

test.each(Object.entries(QUESTIONS))("which fault %s", (_, [matches, kinds]) => {
  expect(faults.filter(({ traits }) => matches(traits)).map(({ kind }) => kind)).toEqual(kinds);
});

test("every registered fault does something that somebody asks about", () => {
  const asked = Object.values(QUESTIONS).map(([matches]) => matches);
  for (const { kind, traits } of faults) expect([kind, asked.some((matches) => matches(traits))]).toEqual([kind, true]);
});

test("a promotion is seen at its instant, and lacks what was not replicated", () => {
  const traits = traitsOf(PROMOTION);
  expect([strikesAtOnce(traits), disturbsUntilHealed(traits), losesLockData(traits)]).toEqual([true, false, true]);
  expect(traits.promotes).toBe("seen");
});

test("a fault that nobody here knows lasts until it is healed, and may do anything but is accused of nothing", () => {
  const traits = traitsOf("smoke");
  expect([strikesAtOnce(traits), disturbsUntilHealed(traits)]).toEqual([false, true]);
  expect([mayLoseLocks(traits), mayCopyLocks(traits), traits.breaksConnections]).toEqual([true, true, true]);
  expect([losesLockData(traits), movesClocks(traits)]).toEqual([false, false]);
});

test.each([
  ["start-partition", "partition", "start"],
  ["stop-partition", "partition", "heal"],
  ["kill", "kill-node", "start"],
  ["start", "kill-node", "heal"],
  ["pause", "pause-node", "start"],
  ["resume", "pause-node", "heal"],
  ["bump-clock", "clock-jump", "start"],
  ["strobe-clock", "clock-jump", "start"],
  ["reset-clock", "clock-jump", "heal"],
])("what Jepsen calls %s is a %s: %s", (name, kind, phase) => {
  expect(jepsenFault(name)).toEqual([kind, phase]);
});

test("Jepsen's other operations are no fault of ours", () => {
  expect(jepsenFault("smoke")).toBeUndefined();
});
