import type { Frequency, MeasuredCell } from "../../harness/core/measurement.ts";
import type { Random } from "../../harness/core/random.ts";
import { type DrawnPlan, drawn, type Experiment, pairs } from "./experiment.ts";
import { alwaysBroken, brokenIn, inRows, violatedWords, namesOf, neverBroken } from "./numbers.ts";
import { faultsTookEffect, granted } from "./observations.ts";

const TTL_MS = 2000;
/** Jumps as shares of the lease; the smallest is within the drift that Redlock allows for, 1 % and 2 ms. */
const JUMPS = [-1, 0.005, 0.25, 0.5, 0.9, 1, 2] as const;
const JUMPING = [1, 2, 3, 4, 5] as const;
const ALLOWANCE = 0.011;

/** How many nodes granted client 0 the lock. With three, node 2 alone decides between the majorities. */
const HELD = [5, 3] as const;
type Held = (typeof HELD)[number];
/** How many of those nodes must forget the lock before the others are a majority. */
const ENOUGH: Readonly<Record<Held, number>> = { 5: 3, 3: 1 };
/** The nodes that decide come first. */
const ORDER = ["node-2", "node-1", "node-0", "node-3", "node-4"] as const;

const rowName = (held: Held, jump: number): string => `held by ${held} of 5, jump of ${jump}`;
const forward = JUMPS.filter((jump) => jump > ALLOWANCE);
const harmless = JUMPS.filter((jump) => jump <= ALLOWANCE);

/** The wall clocks of some nodes step while a lease is in force. */
export const clockJump: Experiment = {
  id: "clock-jump",
  question: "How many nodes' clocks must step, and how far, for two clients to hold valid leases?",
  says: {
    kleppmann:
      "Redis judges expiry by the wall clock, which can jump; if one node's clock jumps forward its key expires early, and another client can get a majority.",
    antirez:
      "That is true, and such jumps can be avoided: nobody should step the clock of a lock server, and it is slewed if it is wrong.",
  },
  rowAxis: "nodes that granted it, and the jump in leases",
  columnAxis: "nodes whose clock jumps",
  counts: ["lease-exclusion", "lost-updates"],
  cells: () =>
    pairs(
      HELD.flatMap((held) => JUMPS.map((jump) => ({ held, jump }))),
      JUMPING,
    ).map(([{ held, jump }, count]) => ({
      row: rowName(held, jump),
      column: String(count),
      x: count,
      expected: {
        "lease-exclusion": expectedOf(held, jump, count),
        "lost-updates": expectedOf(held, jump, count),
      },
      plans: drawn((random) => plan(held, jump, count, random)),
    })),
  met: (history) => granted(history, 0, 1) && faultsTookEffect(history),
  predictions: [
    {
      by: "kleppmann",
      claim: "when the lock has a bare majority, one node's clock that jumps forward is enough",
      holds: (cells) => alwaysBroken(rowsWith(cells, 3, forward), "lease-exclusion"),
      expected: true,
    },
    {
      by: "antirez",
      claim: "as long as clocks do not step forward by more than the allowance, leases do not overlap",
      holds: (cells) => HELD.every((held) => neverBroken(rowsWith(cells, held, harmless), "lease-exclusion")),
      expected: true,
    },
  ],
  conclude: (cells) => {
    const [all, bare] = HELD.map((held) => brokenIn(rowsWith(cells, held, JUMPS), "lease-exclusion"));
    const within = HELD.flatMap((held) => rowsWith(cells, held, harmless));
    return (
      `Leases overlapped in ${violatedWords(all ?? [], "lease-exclusion")} of a lock that all five had granted, with ${namesOf(all ?? [], "column")} clocks ahead, ` +
      `and in ${violatedWords(bare ?? [], "lease-exclusion")} of one that three had granted, with ${namesOf(bare ?? [], "column")}; ` +
      `in ${violatedWords(within, "lease-exclusion")} where the jump was backward or within the drift allowance.`
    );
  },
};

function rowsWith(cells: readonly MeasuredCell[], held: Held, jumps: readonly number[]): readonly MeasuredCell[] {
  return inRows(
    cells,
    jumps.map((jump) => rowName(held, jump)),
  );
}

function expectedOf(held: Held, jump: number, count: number): Frequency {
  return jump > ALLOWANCE && count >= ENOUGH[held] ? "sometimes" : "never";
}

function plan(held: Held, jump: number, count: number, random: Random): DrawnPlan {
  return {
    lock: "redlock",
    topology: { kind: "redlock" },
    clients: [
      {
        sections: [
          {
            key: "k1",
            ttlMs: TTL_MS,
            waitMs: 0,
            // Nearly to the end of the lease; requests to nodes that do not answer have already taken a part of it.
            steps: [{ do: "read" }, { do: "hold", forMs: 0.9 * TTL_MS }, { do: "write" }],
          },
        ],
      },
      {
        sections: [
          {
            key: "k1",
            ttlMs: TTL_MS,
            waitMs: 3 * TTL_MS,
            tries: 20,
            after: { on: "acquire:ok", client: 0, afterMs: random.integer(1, 200) },
            steps: [{ do: "read" }, { do: "write" }],
          },
        ],
      },
    ],
    faults: [
      ...(held === 5 ? [] : splitMajorities()),
      {
        kind: "clock-jump",
        params: { targets: ORDER.slice(0, count), byMs: Math.round(TTL_MS * jump) },
        at: { on: "acquire:ok", client: 0, afterMs: random.integer(1, 0.4 * TTL_MS) },
      },
    ],
  };
}

/** Client 0 cannot reach nodes 3 and 4, and client 1 cannot reach nodes 0 and 1: node 2 belongs to both majorities. */
export function splitMajorities(): readonly DrawnPlan["faults"][number][] {
  return [
    {
      kind: "partition",
      params: { between: [["client-0"], ["node-3", "node-4"]] },
      at: { on: "acquire:invoke", client: 0 },
    },
    {
      kind: "partition",
      params: { between: [["client-1"], ["node-0", "node-1"]] },
      at: { on: "acquire:invoke", client: 1 },
    },
  ];
}
