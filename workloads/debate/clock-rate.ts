import type { Frequency } from "../../harness/core/measurement.ts";
import type { Random } from "../../harness/core/random.ts";
import { type DrawnPlan, drawn, type Experiment, pairs } from "./experiment.ts";
import { alwaysBroken, brokenIn, violatedWords, neverBroken } from "./numbers.ts";
import { faultsTookEffect, granted } from "./observations.ts";

const TTLS_MS = [1000, 10_000] as const;
const RATES = [0.95, 1, 1.005, 1.01, 1.0125, 1.02, 1.05, 1.1, 1.2] as const;
/** The drift that Redlock allows for: a share of the lease, and a constant (redis.io). */
const DRIFT_FACTOR = 0.01;
const DRIFT_MS = 2;
/** The time of an acquisition in simulation, request and reply, with a margin. */
const ACQUIRING_MS = 2;

/** All servers' clocks run at another rate than the clients'. */
export const clockRate: Experiment = {
  id: "clock-rate",
  question: "How much faster may the servers' clocks run than the client's, if Redlock allows for 1 % and 2 ms?",
  says: {
    kleppmann: "The algorithm rests on clocks that run alike within a known bound, and nothing checks that they do.",
    antirez:
      "Clocks need not show the same time, only run at about the same rate; an error of ten per cent is harmless if it is allowed for.",
  },
  rowAxis: "lease",
  columnAxis: "rate of the servers' clocks",
  counts: ["lease-exclusion"],
  cells: () =>
    pairs(TTLS_MS, RATES).map(([ttlMs, rate]) => {
      const expected = expectedOf(ttlMs, rate);
      return {
        row: `${ttlMs / 1000} s`,
        column: String(rate),
        x: rate,
        expected: expected === undefined ? {} : { "lease-exclusion": expected },
        plans: drawn((random) => plan(ttlMs, rate, random)),
      };
    }),
  met: (history) => granted(history, 0, 1) && faultsTookEffect(history),
  predictions: [
    {
      by: "antirez",
      claim: "no two leases overlap while the rates differ by no more than the allowance",
      holds: (cells) =>
        neverBroken(
          cells.filter(({ x = 1 }) => x <= 1 + DRIFT_FACTOR),
          "lease-exclusion",
        ),
      expected: true,
    },
    {
      by: "kleppmann",
      claim: "clocks whose rates differ by more than is allowed for give two clients valid leases",
      holds: (cells) =>
        alwaysBroken(
          cells.filter(({ x = 1 }) => x >= 1.05),
          "lease-exclusion",
        ),
      expected: true,
    },
  ],
  conclude: (cells) => {
    const least = Math.min(...brokenIn(cells, "lease-exclusion").map(({ x = 1 }) => x));
    const below = cells.filter(({ x = 1 }) => x < least);
    const above = cells.filter(({ x = 1 }) => x >= least);
    if (above.length === 0) return `Leases never overlapped: ${violatedWords(cells, "lease-exclusion")}.`;
    return (
      `Leases overlapped from a rate of ${least} on (${violatedWords(above, "lease-exclusion")}), and below it in ${violatedWords(below, "lease-exclusion")}; ` +
      `the allowance is ${1 + DRIFT_FACTOR} and ${DRIFT_MS} ms.`
    );
  },
};

/** For how long the client still trusts its lease after the keys have expired. */
function overlapMs(ttlMs: number, rate: number): number {
  return ttlMs * (1 - DRIFT_FACTOR) - DRIFT_MS - ttlMs / rate;
}

function expectedOf(ttlMs: number, rate: number): Frequency | undefined {
  const overlap = overlapMs(ttlMs, rate);
  if (overlap <= 0) return "never";
  // The rival needs time to be granted the lock: within a few milliseconds it may or may not succeed.
  return overlap > 5 * ACQUIRING_MS ? "sometimes" : undefined;
}

/** The rival asks when the keys are about to be gone by the servers' clocks: a moment that chance seldom meets. */
function plan(ttlMs: number, rate: number, random: Random): DrawnPlan {
  const asksAtMs = Math.max(1, Math.round(ttlMs / rate) + random.integer(-5, 10));
  return {
    lock: "redlock",
    topology: { kind: "redlock" },
    clients: [
      {
        sections: [
          {
            key: "k1",
            ttlMs,
            waitMs: 0,
            steps: [{ do: "hold", forMs: Math.round(1.1 * ttlMs) }],
          },
        ],
      },
      {
        sections: [
          {
            key: "k1",
            ttlMs,
            waitMs: ttlMs,
            after: { on: "acquire:ok", client: 0, afterMs: asksAtMs },
            steps: [],
          },
        ],
      },
    ],
    faults: [{ kind: "clock-rate", params: { targets: ["nodes"], rate }, at: { on: "acquire:invoke", client: 0 } }],
  };
}
