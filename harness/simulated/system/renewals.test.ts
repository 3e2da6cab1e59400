import { expect, test } from "vitest";
import { planSchema } from "../../core/plan.ts";
import { judge, runSimulated } from "./testing/simulated-run.ts";

/**
 * The holder extends to a longer lease while replies are slow, so that its watchdog's renewal to the shorter one is
 * pending at the same time and arrives later. A second client waits for the lock.
 */
const plan = (lock: string) =>
  planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 767711048,
    lock,
    topology: { kind: "single" },
    clients: [
      {
        sections: [
          {
            key: "k1",
            ttlMs: 300,
            waitMs: 0,
            steps: [
              { do: "hold", forMs: 93 },
              { do: "extend", ttlMs: 900 },
              { do: "hold", forMs: 400 },
            ],
          },
        ],
      },
      { sections: [{ key: "k1", ttlMs: 800, waitMs: 3300, after: { on: "acquire:ok", client: 0 }, steps: [] }] },
    ],
    faults: [
      {
        kind: "latency",
        params: { between: [["client-0"], ["nodes"]], oneWay: false, delayMs: 57 },
        at: { on: "acquire:ok", client: 0 },
      },
    ],
  });

test.each(["watchdog", "watchdog-check-at-unlock", "reference"])(
  "%s: a renewal that overtakes an extension does not shorten what the holder was promised",
  async (lock) => {
    const run = await runSimulated(plan(lock));
    const { verdict, properties } = judge(run, ["lease-exclusion", "linearizability"]);
    expect(Object.values(properties).flatMap(({ violations }) => violations)).toEqual([]);
    expect(verdict).toBe("valid");
    const freed = run.history.events.find(({ type, f, process }) => process === 0 && type === "ok" && f === "release");
    expect(freed).toMatchObject({ value: { released: true } });
  },
);
