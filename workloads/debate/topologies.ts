import fc from "fast-check";
import type { Fault } from "../../harness/core/fault.ts";
import { type MeasuredCell, totalOf } from "../../harness/core/measurement.ts";
import type { Plan } from "../../harness/core/plan.ts";
import { dataNodes, topologySchema } from "../../harness/core/topology.ts";
import type { TopologyKind } from "../../harness/core/topologies/registry.ts";
import { contentionPlans } from "../contention.ts";
import { type ExperimentCell, type Experiment, pairs } from "./experiment.ts";
import { brokenIn, inRows, violatedWords, namesOf, neverBroken } from "./numbers.ts";

interface Candidate {
  readonly name: string;
  readonly lock: string;
  readonly kind: TopologyKind;
  /** Each fault of nodes hits exactly one node. */
  readonly oneNode: boolean;
}

const SINGLE: Candidate = { name: "single", lock: "reference", kind: "single", oneNode: true };
const SENTINEL: Candidate = { name: "sentinel", lock: "reference", kind: "sentinel", oneNode: true };
const ONE_OF_FIVE: Candidate = { name: "redlock, one hit", lock: "redlock", kind: "redlock", oneNode: true };
const ANY_OF_FIVE: Candidate = { name: "redlock, any hit", lock: "redlock", kind: "redlock", oneNode: false };
const CANDIDATES = [SINGLE, SENTINEL, ONE_OF_FIVE, ANY_OF_FIVE] as const;

const NO_FAULT = "none";
/** Faults that no lock should mind: nothing is forgotten, and no clock is wrong. */
const HARMLESS = [NO_FAULT, "pause-client", "kill-client", "latency", "stall", "reset"];
/** Faults that take a master away. */
const MASTER_LOSS = ["kill-node", "restart-node", "power-loss", "failover", "partition", "pause-node"];

/** Generated schedules of one kind of fault, by topology. */
export const topologies: Experiment = {
  id: "topologies",
  question: "Are five nodes worth it: which faults break the leases of which topology?",
  says: {
    kleppmann:
      "Five nodes are too much for a lock that only saves work, and not safe enough for one that protects data: for the first take one node, for the second a system with consensus and fencing.",
    antirez: "Five independent masters are safer than one with failover to a replica, which forgets locks by design.",
  },
  rowAxis: "fault",
  columnAxis: "topology",
  counts: ["lease-exclusion", "lost-updates"],
  cells: (faults) =>
    pairs([undefined, ...faults], CANDIDATES).flatMap(([fault, candidate]) => cellOf(fault, candidate)),
  // Every run of these is judged.
  met: () => true,
  predictions: [
    {
      by: "antirez",
      claim: "with one node hit at a time, Redlock breaks less often than a master with failover",
      holds: (cells) => lossOf(cells, ONE_OF_FIVE) < lossOf(cells, SENTINEL),
      expected: true,
    },
    {
      by: "kleppmann",
      claim: "some faults of nodes and clocks break Redlock",
      holds: (cells) => brokenIn(of(cells, ANY_OF_FIVE), "lease-exclusion").length > 0,
      expected: true,
    },
    {
      by: "antirez",
      claim: "slow clients and slow links break no lease of any of them",
      holds: (cells) => neverBroken(inRows(cells, HARMLESS), "lease-exclusion"),
      expected: true,
    },
  ],
  conclude: (cells) =>
    CANDIDATES.map((candidate) => {
      const mine = of(cells, candidate);
      const broken = brokenIn(mine, "lease-exclusion");
      return `${candidate.name}: ${violatedWords(mine, "lease-exclusion")} (${namesOf(broken, "row")})`;
    })
      .join("; ")
      .concat("."),
};

function of(cells: readonly MeasuredCell[], { name }: Candidate): readonly MeasuredCell[] {
  return cells.filter(({ column }) => column === name);
}

/** The share of runs without a master for a while in which leases overlapped. */
function lossOf(cells: readonly MeasuredCell[], candidate: Candidate): number {
  const { violated, judged } = totalOf(inRows(of(cells, candidate), MASTER_LOSS), "lease-exclusion");
  return judged === 0 ? Number.NaN : violated / judged;
}

function cellOf(fault: Fault | undefined, { name, lock, kind, oneNode }: Candidate): readonly ExperimentCell[] {
  const topology = topologySchema.parse({ kind });
  if (fault !== undefined && fault.arbitrary(topology, 2) === undefined) return [];
  const row = fault?.kind ?? NO_FAULT;
  const aimed = fault === undefined ? [] : [oneNode ? onOneNode(fault) : fault];
  const plans = contentionPlans({ lock, topology, faults: aimed });
  return [
    {
      row,
      column: name,
      expected: HARMLESS.includes(row) ? { "lease-exclusion": "never" } : {},
      plans: (seed, runs): Iterable<Plan> => fc.sample(plans, { seed, numRuns: runs }),
    },
  ];
}

/** The same fault, on one of several independent masters where it would hit any number of them. */
function onOneNode(fault: Fault): Fault {
  return {
    ...fault,
    arbitrary: (topology, clients) => {
      const params = fault.arbitrary(topology, clients);
      if (params === undefined || topology.kind !== "redlock") return params;
      return fc
        .tuple(params, fc.constantFrom(...dataNodes("redlock")))
        .map(([drawn, node]) => (isOnNodes(drawn["targets"]) ? { ...drawn, targets: [node] } : drawn));
    },
  };
}

function isOnNodes(targets: unknown): boolean {
  return Array.isArray(targets) && targets.every((target) => String(target).startsWith("node"));
}
