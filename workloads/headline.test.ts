import { expect, test } from "vitest";
import { CLIENTS, headlinePlans, PAUSE_EVERY_MS, TTL_MS } from "./headline.ts";
import { CONTENDERS, GUARDS } from "./headline-contenders.ts";

const single = { lock: "single", topology: "single" } as const;

test("a client pauses every five seconds, for longer than the lease, and never two at once", () => {
  const plans = [...headlinePlans(single, "nothing", { seed: 1, from: 0, minutes: 3 })];
  expect(plans).toHaveLength(3);
  for (const { faults, clients, limitMs } of plans) {
    expect(clients).toHaveLength(CLIENTS);
    expect(faults.length).toBeGreaterThan(limitMs / PAUSE_EVERY_MS - 2);
    for (const [index, { kind, at, until }] of faults.entries()) {
      if (!("atMs" in at) || until === undefined || !("atMs" in until)) throw new Error("a pause has its times");
      expect([kind, at.atMs]).toEqual(["pause-client", (index + 1) * PAUSE_EVERY_MS]);
      expect(until.atMs - at.atMs).toBeGreaterThan(TTL_MS);
      expect(until.atMs - at.atMs).toBeLessThan(PAUSE_EVERY_MS);
    }
  }
});

test("all locks and all resources are put through the same minutes, and a minute is the same whenever it is asked for", () => {
  const scheduleOf = (contender: (typeof CONTENDERS)[number], guard: (typeof GUARDS)[number]): unknown => {
    const [plan] = headlinePlans(contender, guard, { seed: 7, from: 4, minutes: 1 });
    return { clients: plan?.clients, faults: plan?.faults, seed: plan?.seed };
  };
  const [, , , , fifth] = headlinePlans(single, "nothing", { seed: 7, from: 0, minutes: 5 });
  const wanted = { clients: fifth?.clients, faults: fifth?.faults, seed: fifth?.seed };
  for (const contender of CONTENDERS) for (const guard of GUARDS) expect(scheduleOf(contender, guard)).toEqual(wanted);
});
