import type { Random } from "../../harness/core/random.ts";
import { type DrawnPlan, drawn, type Experiment, pairs } from "./experiment.ts";
import { alwaysBroken, brokenIn, inRows, violatedWords, namesOf, neverBroken } from "./numbers.ts";
import { faultsTookEffect, granted } from "./observations.ts";

type FaultInput = DrawnPlan["faults"][number];

/** Where in the protocol client 0 stops executing. The network takes about a quarter of a millisecond each way. */
interface Moment {
  readonly name: string;
  readonly checked: boolean;
  readonly faults: (forMs: number) => readonly FaultInput[];
}

const CLIENT = ["client-0"];

function pausedFrom(at: FaultInput["at"], forMs: number, atSend?: { to: string[]; count: number }): FaultInput {
  const from = "on" in at ? at : { on: "acquire:invoke" as const };
  return {
    kind: "pause-client",
    params: { targets: CLIENT, atSend },
    at,
    until: { ...from, afterMs: (from.afterMs ?? 0) + forMs },
  };
}

const INVOKED = { on: "acquire:invoke", client: 0 } as const;
const GRANTED = { on: "acquire:ok", client: 0 } as const;
const READ = { on: "read:ok", client: 0 } as const;

/** The replies of some nodes take 20 ms, so that a pause can come between those of the others and theirs. */
function lateReplies(nodes: readonly string[]): FaultInput {
  return {
    kind: "latency",
    params: { between: [nodes, CLIENT], oneWay: true, delayMs: 20 },
    at: INVOKED,
    until: { ...INVOKED, afterMs: 21 },
  };
}

const MOMENTS: readonly Moment[] = [
  { name: "before the first clock read", checked: false, faults: (forMs) => [pausedFrom(INVOKED, forMs)] },
  {
    name: "before the first request",
    checked: false,
    faults: (forMs) => [pausedFrom(INVOKED, forMs, { to: ["nodes"], count: 1 })],
  },
  {
    name: "between the requests",
    checked: false,
    faults: (forMs) => [pausedFrom(INVOKED, forMs, { to: ["nodes"], count: 4 })],
  },
  {
    name: "before the replies",
    checked: false,
    faults: (forMs) => [lateReplies(["nodes"]), pausedFrom({ ...INVOKED, afterMs: 10 }, forMs)],
  },
  {
    name: "between the replies, before the check",
    checked: false,
    faults: (forMs) => [lateReplies(["node-2", "node-3", "node-4"]), pausedFrom({ ...INVOKED, afterMs: 10 }, forMs)],
  },
  { name: "after the check", checked: true, faults: (forMs) => [pausedFrom(GRANTED, forMs)] },
  { name: "after reading the resource", checked: true, faults: (forMs) => [pausedFrom(READ, forMs)] },
  {
    name: "at the write",
    checked: true,
    faults: (forMs) => [pausedFrom(READ, forMs, { to: ["resource"], count: 1 })],
  },
];

const TTL_MS = 1000;
/** Pauses as shares of the lease. */
const LENGTHS = [0.5, 0.9, 1.5, 3] as const;

const before = MOMENTS.filter(({ checked }) => !checked).map(({ name }) => name);
const after = MOMENTS.filter(({ checked }) => checked).map(({ name }) => name);

/** Redlock's client stops executing. The parameters are where in the protocol, and for how long. */
export const pause: Experiment = {
  id: "pause",
  question: "Where in Redlock's protocol does a pause of the client break mutual exclusion?",
  says: {
    kleppmann:
      "A client that is paused while its replies come, for longer than the lease, believes that it holds what another holds. Against a pause right before the write nothing that the lock checks can help.",
    antirez:
      "The client reads the clock again when it has its majority, so every pause before that is noticed and the lock refused. A pause after it concerns every lock that expires.",
  },
  rowAxis: "where the client pauses",
  columnAxis: "for how long, in leases",
  counts: ["mutual-exclusion", "lost-updates", "lease-exclusion"],
  cells: () =>
    pairs(MOMENTS, LENGTHS).map(([moment, length]) => {
      const frequency = moment.checked && length > 1 ? "sometimes" : "never";
      return {
        row: moment.name,
        column: String(length),
        x: length,
        expected: { "mutual-exclusion": frequency, "lost-updates": frequency, "lease-exclusion": "never" },
        plans: drawn((random) => plan(moment, length, random)),
      };
    }),
  met: (history) => granted(history, 1) && faultsTookEffect(history),
  predictions: [
    {
      by: "kleppmann",
      claim: "a pause while the replies are on their way breaks Redlock",
      holds: (cells) => brokenIn(inRows(cells, before), "mutual-exclusion").length > 0,
      expected: false,
    },
    {
      by: "antirez",
      claim: "a pause before the second clock read is harmless, however long",
      holds: (cells) => neverBroken(inRows(cells, before), "mutual-exclusion"),
      expected: true,
    },
    {
      by: "kleppmann",
      claim: "a pause longer than the lease, between the check and the write, breaks it",
      holds: (cells) =>
        alwaysBroken(
          inRows(cells, after).filter(({ x = 0 }) => x > 1),
          "mutual-exclusion",
        ),
      expected: true,
    },
    {
      by: "antirez",
      claim: "then it is the client that outlives its lease: no two leases are ever in force at once",
      holds: (cells) => neverBroken(cells, "lease-exclusion"),
      expected: true,
    },
  ],
  conclude: (cells) => {
    const broken = brokenIn(inRows(cells, after), "mutual-exclusion");
    return (
      `Two clients held at once in ${violatedWords(inRows(cells, before), "mutual-exclusion")} with the pause before the elapsed check, ` +
      `and in ${violatedWords(inRows(cells, after), "mutual-exclusion")} with the pause after it (pauses of ${namesOf(broken, "column")} leases); ` +
      `two leases overlapped in ${violatedWords(cells, "lease-exclusion")}.`
    );
  },
};

function plan(moment: Moment, length: number, random: Random): DrawnPlan {
  const forMs = Math.round(TTL_MS * length * (1 + random.integer(-5, 5) / 100));
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
            steps: [{ do: "read" }, { do: "hold", forMs: random.integer(0, 20) }, { do: "write" }],
          },
        ],
      },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 6000,
            waitMs: 5000,
            after: { ...INVOKED, afterMs: random.integer(100, 400) },
            steps: [
              { do: "read" },
              { do: "write" },
              { do: "await", until: { on: "release:invoke", client: 0 }, atMostMs: 2000 },
              { do: "write" },
            ],
          },
        ],
      },
    ],
    faults: [...moment.faults(forMs)],
  };
}
