import type { Random } from "../../harness/core/random.ts";
import { dataNodes, RESOURCE } from "../../harness/core/topology.ts";
import { type DrawnPlan, drawn, type Experiment, pairs } from "./experiment.ts";
import { brokenIn, inRows, violatedWords, namesOf, neverBroken } from "./numbers.ts";
import { faultsTookEffect, granted } from "./observations.ts";

const TTL_MS = 1000;
/** Delays as shares of the lease. */
const DELAYS = [0.05, 0.5, 1.5, 3] as const;
const CLIENT = "client-0";

interface Edge {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** The event from which on it is slow. */
  readonly at: DrawnPlan["faults"][number]["at"];
}

const ACQUIRING = { on: "acquire:invoke", client: 0 } as const;
const nodes = dataNodes("redlock");

/** All links to or from the lock's nodes, one by one and together. */
const LOCK_EDGES: readonly Edge[] = [...nodes, "nodes"].flatMap((node) => [
  { name: `client -> ${node}`, from: CLIENT, to: node, at: ACQUIRING },
  { name: `${node} -> client`, from: node, to: CLIENT, at: ACQUIRING },
]);
const WRITE: Edge = {
  name: "client -> resource",
  from: CLIENT,
  to: RESOURCE,
  at: { on: "write:invoke", client: 0 },
};
const ACKNOWLEDGEMENT: Edge = {
  name: "resource -> client",
  from: RESOURCE,
  to: CLIENT,
  at: { on: "write:invoke", client: 0 },
};
const EDGES: readonly Edge[] = [...LOCK_EDGES, WRITE, ACKNOWLEDGEMENT];

const lockRows = LOCK_EDGES.map(({ name }) => name);

/** Only one direction of one link is slow. */
export const delay: Experiment = {
  id: "delay",
  question: "Which messages of a Redlock client may be slow, and how slow?",
  says: {
    kleppmann:
      "Redlock is safe only if delays are bounded, and short beside the lease; in a network without such a bound it is not.",
    antirez:
      "Delays between the client and the lock's nodes make a lock late, not wrong, because the elapsed time is checked; the way to the resource is as dangerous as with any other lock.",
  },
  rowAxis: "what is slow",
  columnAxis: "by how much, in leases",
  counts: ["lost-updates", "lease-exclusion"],
  cells: () =>
    pairs(EDGES, DELAYS).map(([edge, delay]) => ({
      row: edge.name,
      column: String(delay),
      x: delay,
      expected: {
        "lost-updates": edge === WRITE && delay > 1 ? "sometimes" : "never",
        "lease-exclusion": "never",
      },
      plans: drawn((random) => plan(edge, delay, random)),
    })),
  met: (history) => granted(history, 1) && faultsTookEffect(history),
  predictions: [
    {
      by: "kleppmann",
      claim: "delays without a bound, between client and lock nodes too, break Redlock",
      holds: (cells) => brokenIn(inRows(cells, lockRows), "lost-updates").length > 0,
      expected: false,
    },
    {
      by: "antirez",
      claim: "no delay between client and lock nodes does harm",
      holds: (cells) =>
        neverBroken(inRows(cells, lockRows), "lost-updates") && neverBroken(inRows(cells, lockRows), "lease-exclusion"),
      expected: true,
    },
    {
      by: "kleppmann",
      claim: "a write that takes longer than the lease arrives when another client holds the lock",
      holds: (cells) => brokenIn(inRows(cells, [WRITE.name]), "lost-updates").some(({ x = 0 }) => x > 1),
      expected: true,
    },
  ],
  conclude: (cells) => {
    const broken = brokenIn(cells, "lost-updates");
    return (
      `Updates were lost only where this was slow: ${namesOf(broken, "row")} (delays of ${namesOf(broken, "column")} leases: ` +
      `${violatedWords(broken, "lost-updates")}); between client and lock nodes in ${violatedWords(inRows(cells, lockRows), "lost-updates")}.`
    );
  },
};

function plan({ from, to, at }: Edge, delay: number, random: Random): DrawnPlan {
  const delayMs = Math.max(1, Math.round(TTL_MS * delay * (1 + random.integer(-5, 5) / 100)));
  return {
    lock: "redlock",
    topology: { kind: "redlock" },
    clients: [
      {
        sections: [
          {
            key: "k1",
            ttlMs: TTL_MS,
            waitMs: 2000,
            steps: [{ do: "read" }, { do: "hold", forMs: random.integer(0, 200) }, { do: "write" }],
          },
        ],
      },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 5000,
            waitMs: 6000,
            after: { ...ACQUIRING, afterMs: random.integer(1, 400) },
            steps: [{ do: "read" }, { do: "hold", forMs: random.integer(0, 300) }, { do: "write" }],
          },
        ],
      },
    ],
    faults: [{ kind: "latency", params: { between: [[from], [to]], oneWay: true, delayMs }, at }],
  };
}
