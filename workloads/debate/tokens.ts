import type { Random } from "../../harness/core/random.ts";
import type { Frequency } from "../../harness/core/measurement.ts";
import type { TopologyKind } from "../../harness/core/topologies/registry.ts";
import { type DrawnPlan, drawn, type Experiment, pairs } from "./experiment.ts";
import { alwaysBroken, brokenIn, inRows, violatedWords, namesOf, neverBroken } from "./numbers.ts";
import { faultsTookEffect, granted } from "./observations.ts";

interface Guard {
  readonly name: string;
  readonly lock: string;
  readonly kind: TopologyKind;
  readonly resource: { readonly fencing: boolean; readonly versions?: boolean };
}

const UNGUARDED: readonly Guard[] = [
  { name: "single, nothing checked", lock: "single", kind: "single", resource: { fencing: false } },
  { name: "redlock, nothing checked", lock: "redlock", kind: "redlock", resource: { fencing: false } },
  { name: "redlock, fencing tokens checked", lock: "redlock", kind: "redlock", resource: { fencing: true } },
];
const FENCED: Guard = {
  name: "fenced, fencing tokens checked",
  lock: "fenced",
  kind: "single",
  resource: { fencing: true },
};
const COMPARED: readonly Guard[] = [
  { name: "single, compare and set", lock: "single", kind: "single", resource: { fencing: false, versions: true } },
  { name: "redlock, compare and set", lock: "redlock", kind: "redlock", resource: { fencing: false, versions: true } },
];

/** What happens to client 0 between its read and its write. */
const MISHAPS = ["write delayed", "paused at the write", "paused until the rival has read"] as const;
type Mishap = (typeof MISHAPS)[number];
/** The mishap in which the rival has not shown its fencing token yet when the late write comes. */
const UNSEEN = "paused until the rival has read" satisfies Mishap;

const rowsOf = (guards: readonly Guard[]): readonly string[] => guards.map(({ name }) => name);

/** A read-modify-write that comes late. The parameter is what the resource checks. */
export const tokens: Experiment = {
  id: "tokens",
  question: "What must a resource check, so that a holder whose lease is over does no harm?",
  says: {
    kleppmann:
      "A lock that protects data needs a number that grows with every grant, and a resource that refuses smaller ones; Redlock has none.",
    antirez:
      "A resource that can compare numbers can as well compare and set: a random owner value is then enough, without an order.",
  },
  rowAxis: "lock and what the resource checks",
  columnAxis: "what happens to the holder",
  counts: ["lost-updates", "stale-writes"],
  cells: () =>
    pairs([...UNGUARDED, FENCED, ...COMPARED], MISHAPS).map(([guard, mishap]) => ({
      row: guard.name,
      column: mishap,
      expected: {
        "lost-updates": expectedLoss(guard, mishap),
        ...(guard === FENCED ? { "stale-writes": "never" } : {}),
      },
      plans: drawn((random) => plan(guard, mishap, random)),
    })),
  met: (history) => granted(history, 0, 1) && faultsTookEffect(history),
  predictions: [
    {
      by: "kleppmann",
      claim: "without a check at the resource a late write destroys an update, with Redlock too",
      holds: (cells) => alwaysBroken(inRows(cells, rowsOf(UNGUARDED)), "lost-updates"),
      expected: true,
    },
    {
      by: "kleppmann",
      claim: "a resource that checks fencing tokens accepts no stale write",
      holds: (cells) => neverBroken(inRows(cells, [FENCED.name]), "stale-writes"),
      expected: true,
    },
    {
      by: "antirez",
      claim: "compare and set loses no update, and needs no order of grants",
      holds: (cells) => neverBroken(inRows(cells, rowsOf(COMPARED)), "lost-updates"),
      expected: true,
    },
  ],
  conclude: (cells) => {
    const fenced = inRows(cells, [FENCED.name]);
    const hole = brokenIn(fenced, "lost-updates");
    const exception =
      hole.length === 0
        ? "with fencing tokens none"
        : `with fencing tokens only where the holder of the larger one had not written yet (${namesOf(hole, "column")}: ${violatedWords(hole, "lost-updates")})`;
    return (
      `Updates were lost in ${violatedWords(inRows(cells, rowsOf(UNGUARDED)), "lost-updates")} that checked nothing the lock could give, ` +
      `in ${violatedWords(inRows(cells, rowsOf(COMPARED)), "lost-updates")} with compare and set, and ${exception}.`
    );
  },
};

function expectedLoss(guard: Guard, mishap: Mishap): Frequency {
  if (COMPARED.includes(guard)) return "never";
  return guard === FENCED && mishap !== UNSEEN ? "never" : "sometimes";
}

function plan({ lock, kind, resource }: Guard, mishap: Mishap, random: Random): DrawnPlan {
  const ttlMs = random.integer(500, 1500);
  return {
    lock,
    topology: { kind },
    resource,
    clients: [
      {
        sections: [
          {
            key: "k1",
            ttlMs,
            waitMs: 0,
            steps: [{ do: "read" }, { do: "hold", forMs: random.integer(0, ttlMs / 2) }, { do: "write" }],
          },
        ],
      },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 4000,
            waitMs: 3 * ttlMs,
            tries: 20,
            after: { on: "acquire:ok", client: 0, afterMs: random.integer(0, ttlMs) },
            steps: [{ do: "read" }, { do: "hold", forMs: random.integer(100, 500) }, { do: "write" }],
          },
        ],
      },
    ],
    faults: [fault(mishap, random.integer(1, 50))],
  };
}

function fault(mishap: Mishap, afterMs: number): DrawnPlan["faults"][number] {
  const pause = { kind: "pause-client", params: { targets: ["client-0"] } };
  switch (mishap) {
    case "write delayed":
      return {
        kind: "stall",
        params: { between: [["client-0"], ["resource"]], oneWay: true },
        at: { on: "write:invoke", client: 0 },
        until: { on: "write:ok", client: 1, afterMs },
      };
    case "paused at the write":
      return {
        ...pause,
        params: { targets: ["client-0"], atSend: { to: ["resource"], count: 1 } },
        at: { on: "read:ok", client: 0 },
        until: { on: "write:ok", client: 1, afterMs },
      };
    case UNSEEN:
      return { ...pause, at: { on: "read:ok", client: 0 }, until: { on: "read:ok", client: 1, afterMs } };
  }
}
