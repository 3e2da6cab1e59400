// Before anything that loads a library.
import "../../platform/install.ts";
import type { FaultStep, Plan } from "../../../core/plan.ts";
import type { MessageMoment } from "../../../core/trigger.ts";
import type { TopologySpec } from "../../../core/topology.ts";
import type { TopologyKind } from "../../../core/topologies/registry.ts";

const fc = (await import("fast-check")).default;
const { faults } = await import("../../../../faults/registry.ts");
const { catalogue } = await import("../../../../workloads/catalogue.ts");
const { contentionPlans } = await import("../../../../workloads/contention.ts");
const { planOf } = await import("../../../../workloads/scenario.ts");
const { planSchema } = await import("../../../core/plan.ts");
const { topologySchema } = await import("../../../core/topology.ts");

type NamedPlan = readonly [name: string, Plan];

const SCENARIOS = ["pause-past-lease", "async-failover", "node-clock-jump"];

/**
 * What is shaken with every kind of fault that can occur there. Our own locks, and libraries, which reach for what the
 * platform offers: `redlock5` draws its delays from Math.random, `redlock4` has promises and a queue of its own. With
 * these seeds every fault takes effect on every topology.
 */
const SHAKEN: readonly (readonly [lock: string, kind: TopologyKind, seed: number])[] = [
  ["fenced", "single", 0],
  ["fenced", "sentinel", 2],
  ["redlock5", "redlock", 0],
  ["redlock4", "redlock", 0],
  ["redis-semaphore", "sentinel", 21],
  ["redis-semaphore-redlock", "redlock", 1],
];

const CLIENTS = 3;
/** Faults come one after another, and each is healed before the next: a dead node could not be paused. */
const FAULT_EVERY_MS = 250;
const FAULT_FOR_MS = 150;
/** Every client tries this often, and together they hold most of the time: faults hit a held lock. */
const SECTION_EVERY_MS = 400;
/** The last fault, so that the others hit living clients. */
const LAST = "kill-client";
/**
 * Never used in a search, because no lock is to blame for it; it takes no parameters, and needs fencing tokens to
 * forget.
 */
const UNSEARCHED = "forget-fences";

/** Plans of every topology: of the catalogue, drawn ones with several faults, and long ones with every kind of fault. */
export function plansToRepeat(): readonly NamedPlan[] {
  return [...ofTheCatalogue(), ...drawn(), ...atMessages(), ...shakenPlans()];
}

/** Plans with a fault at each moment of a message. */
function atMessages(): readonly NamedPlan[] {
  const section = { key: "k1", ttlMs: 600, waitMs: 900, steps: [{ do: "write" as const }] };
  const at = (moment: MessageMoment, count: number): FaultStep["at"] => ({ moment, server: "node-0", count });
  const step = (kind: string, params: FaultStep["params"], moment: MessageMoment, count: number): FaultStep => {
    return { kind, params, at: at(moment, count), until: { ...at(moment, count), afterMs: 20 } };
  };
  const pair = { between: [["client-1"], ["node-0"]] };
  return SHAKEN.slice(0, 3).map(([lock, kind, seed]): NamedPlan => {
    const plan = planSchema.parse({
      format: "lockstorm-plan",
      version: 1,
      seed,
      lock,
      topology: { kind },
      clients: [{ sections: [section, section] }, { sections: [section, section] }],
      faults: [
        step("stall", pair, "before", 1),
        step("pause-node", { targets: ["node-0"] }, "after", 3),
        step("pause-client", { targets: ["client-0"] }, "send", 4),
        step("reset", pair, "reply", 5),
      ],
    });
    return [`${lock} on ${kind}, at messages`, plan];
  });
}

/** One plan per lock and topology that contains every kind of fault that can occur there. */
export function shakenPlans(): readonly NamedPlan[] {
  return SHAKEN.map(([lock, kind, seed]) => [`${lock} on ${kind}, every fault`, shaken(lock, kind, seed)]);
}

function ofTheCatalogue(): readonly NamedPlan[] {
  return catalogue
    .filter(({ slug }) => SCENARIOS.includes(slug))
    .map((scenario) => [scenario.slug, planOf(scenario, { seed: 7 })]);
}

function drawn(): readonly NamedPlan[] {
  return SHAKEN.slice(0, 3).flatMap(([lock, kind]) => {
    const plans = contentionPlans({ lock, topology: topologySchema.parse({ kind, persistence: "everysec" }), faults });
    const several = fc.sample(plans, { seed: 11, numRuns: 20 }).filter((plan) => plan.faults.length > 1);
    return several.slice(0, 1).map((plan): NamedPlan => [`${lock} on ${kind}, drawn`, plan]);
  });
}

function shaken(lock: string, kind: TopologyKind, seed: number): Plan {
  const topology = topologySchema.parse({ kind, persistence: "everysec" });
  const steps = drawnFaults(lock, topology, seed);
  const rounds = Math.ceil((steps.length * FAULT_EVERY_MS) / SECTION_EVERY_MS) + 1;
  const sections = Array.from({ length: rounds }, (_, round) => ({
    key: "k1",
    ttlMs: 600,
    waitMs: 350,
    after: { atMs: round * SECTION_EVERY_MS },
    steps: [{ do: "write" }, { do: "hold", forMs: 100 }],
  }));
  return planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed,
    lock,
    topology,
    clients: Array.from({ length: CLIENTS }, () => ({ sections })),
    faults: steps.map((step, index) => {
      const atMs = 100 + index * FAULT_EVERY_MS;
      return { ...step, at: { atMs }, until: { atMs: atMs + FAULT_FOR_MS } };
    }),
  });
}

function drawnFaults(
  lock: string,
  topology: TopologySpec,
  seed: number,
): readonly Pick<FaultStep, "kind" | "params">[] {
  const found = faults.flatMap((fault): Pick<FaultStep, "kind" | "params">[] => {
    const { kind } = fault;
    if (kind === UNSEARCHED) return lock === "fenced" ? [{ kind, params: {} }] : [];
    const params = fault.arbitrary(topology, CLIENTS);
    return params === undefined ? [] : fc.sample(params, { seed, numRuns: 1 }).map((each) => ({ kind, params: each }));
  });
  return found.toSorted((a, b) => Number(a.kind === LAST) - Number(b.kind === LAST));
}
