import { PLAN_FORMAT, PLAN_VERSION, planSchema, type Plan } from "../../harness/core/plan.ts";
import { PLAN_BOUNDS } from "../../harness/core/plan-bounds.ts";
import { topologyOf } from "../../harness/core/topologies/registry.ts";
import type { Supports } from "../../harness/core/sharing.ts";
import type { TopologySpec } from "../../harness/core/topology.ts";
import { isShareable, smallShares } from "../sharing.ts";
import { queueShapes } from "./queue-shapes.ts";
import { severalKeysExtended, severalKeysShapes } from "./several-keys-shapes.ts";
import { type Scale, section, type SectionInput, type Shape, SOON_MS, type StepInput } from "./shape.ts";

/** What a lock can do, as a run shows: a workload uses nothing else. */
export interface Skills {
  readonly extends: boolean;
  readonly reenters: boolean;
  /** Whether it renews the leases of its holders by itself. Default: false. */
  readonly renews?: boolean | undefined;
}

/** What all small workloads of a search have in common. */
export interface WorkloadOptions {
  readonly lock: string;
  readonly topology: TopologySpec;
  readonly fencing: boolean;
  readonly seed: number;
  /** Whether clients may outlive their leases by themselves. */
  readonly outlives: boolean;
  /** What the lock supports beyond one holder at a time. */
  readonly supports?: Supports | undefined;
  /** The lease that clients ask for, in milliseconds. Default: by the topology. */
  readonly leaseMs?: number | undefined;
}

/** A workload: a plan without faults, and what it is about, in words. */
export interface Workload {
  readonly name: string;
  readonly plan: Plan;
  /** How often its run without faults is worth trying, with other random numbers: more than once where clients race. */
  readonly times: number;
}

const RACES = 3;

const BETWEEN_TRIES_MS = 50;

/**
 * Small workloads: two or three clients, one to six critical sections each, for what the lock can do. In each, the last section
 * of one client seeks the lock for as long as it takes, so that a lock that is never freed shows.
 */
export function smallWorkloads(options: WorkloadOptions, skills: Skills): readonly Workload[] {
  const shared = shapesOf(scaleOf(options));
  const scale = scaleOf(options);
  const extended = skills.extends ? severalKeysExtended(scale) : [];
  const several = options.supports?.severalKeys === true ? [...severalKeysShapes(scale), ...extended] : [];
  const shapes = [
    ...shared.plain,
    ...(skills.extends ? shared.extending : []),
    ...(skills.reenters ? shared.reentering : []),
    ...(skills.renews === true ? shared.renewing : []),
  ];
  const queue = options.supports?.fair === true ? queueShapes(scaleOf(options)) : [];
  const together = several.map(({ name, clients }) => ({ name, times: 1, plan: planOf(options, clients) }));
  const inTurn = queue.map(({ name, clients }) => ({ name, times: RACES, plan: planOf(options, clients) }));
  const common = shapes
    .filter(({ outlives }) => options.outlives || outlives !== true)
    .flatMap(({ name, clients, races }): readonly Workload[] => {
      const times = races === true ? RACES : 1;
      if (!isShareable(options.supports)) return [{ name, times, plan: planOf(options, clients) }];
      return smallShares(options.supports).map(({ name: how, share }) => {
        const sections = share(clients.map((each) => ({ sections: [...each] })));
        return {
          name: `${name}, ${how}`,
          times,
          plan: planOf(
            options,
            sections.map((each) => each.sections),
          ),
        };
      });
    });
  return [...inTurn, ...common, ...together];
}

/**
 * The workload that shows what a lock can do, and how long it takes for it: the first client extends and enters again, and
 * holds while the second one waits.
 */
export function skillsWorkload(options: WorkloadOptions): Plan {
  const scale = scaleOf(options);
  const { leaseMs } = scale;
  const inner: StepInput = { do: "reenter", ttlMs: leaseMs, steps: [] };
  const hold: StepInput = { do: "hold", forMs: Math.round(0.5 * leaseMs) };
  const steps: StepInput[] = [{ do: "extend", ttlMs: leaseMs }, inner, { do: "write" }, hold];
  return planOf(options, [[section(scale, steps)], [{ ...section(scale, []), after: { atMs: SOON_MS } }]]);
}

/** The lease that the workloads ask for by default, in milliseconds. */
export function defaultLeaseMs(topology: TopologySpec): number {
  const { ttlsMs } = topologyOf(topology.kind).workload;
  // Longer than a second and no whole number of seconds: Redis has commands for both units.
  return Math.max(1000, ttlsMs[1] ?? 0) + 200;
}

function shapesOf(scale: Scale) {
  const { leaseMs } = scale;
  const hold = (share: number): StepInput => ({ do: "hold", forMs: Math.round(share * leaseMs) });
  const extendBy = (share: number): StepInput => ({ do: "extend", ttlMs: Math.round(share * leaseMs) });
  const extend = extendBy(1);
  const enter: StepInput = { do: "reenter", ttlMs: leaseMs, steps: [] };
  const write: StepInput = { do: "write" };
  const read: StepInput = { do: "read" };
  const sections = (...steps: StepInput[][]): SectionInput[] => steps.map((each) => section(scale, each));
  /** Not after an event of the other client, which a deviation may keep from coming. */
  const later = (section: SectionInput, share: number): SectionInput => ({
    ...section,
    after: { atMs: Math.round(share * leaseMs) + SOON_MS },
  });
  const seeker = section(scale, []);
  const rival = section(scale, [read, hold(0.7), write]);
  const brief = section(scale, [write]);
  const short = (...steps: StepInput[]): SectionInput => ({
    ...section(scale, steps),
    ttlMs: Math.round(0.6 * leaseMs),
  });
  const on = (key: string, section: SectionInput): SectionInput => ({ ...section, key });
  const plain: readonly Shape[] = [
    {
      name: "beyond the lease",
      outlives: true,
      clients: [[...sections([read, hold(1.6), write]), seeker], [later(rival, 0)]],
    },
    {
      name: "released at the end of another's lease",
      outlives: true,
      // The other one asks again and again, so its lease begins a little later than this one ends.
      clients: [[...sections([hold(1.94), write]), seeker], [later(section(scale, [hold(0.98), write]), 0)]],
    },
    {
      name: "at once",
      races: true,
      clients: [sections([read, write], [hold(0.3), write]), [...sections([read, write]), seeker]],
    },
    {
      name: "in turn",
      clients: [sections([read, hold(0.9), write], [read, write]), [later(rival, 0), seeker]],
    },
    {
      name: "never released",
      clients: [[{ ...section(scale, [write]), release: false }], [later(rival, 0), seeker]],
    },
    {
      name: "taken again",
      // So late that a client whose connection broke at its release has another one when it holds again.
      clients: [
        [section(scale, [hold(0.9), write]), later(rival, 1.4)],
        [later(rival, 1.7), seeker],
      ],
    },
    {
      name: "in a row",
      races: true,
      // Most clients give a command up after a second: it can be answered after the end of these leases, and in time.
      clients: [
        [short(), short(write), short(hold(0.2), write)],
        [later(short(hold(0.5), write), 0), seeker],
      ],
    },
    {
      name: "leases of two lengths",
      clients: [
        [short(hold(0.2)), ...sections([read, hold(0.9), write])],
        [later(short(hold(0.3), write), 0), seeker],
      ],
    },
    {
      name: "a longer lease before",
      outlives: true,
      clients: [[...sections([hold(0.1)]), short(hold(0.8), write), seeker], [later(rival, 0.15)]],
    },
    {
      name: "many times",
      // If an early release is held until its client gives it up, it arrives in the last hold, before the rival comes.
      clients: [
        [...sections([write], [], [], [], [hold(0.9), write]), later(brief, 1.5)],
        [later(rival, 1.3), seeker],
      ],
    },
    {
      name: "two keys",
      clients: [
        [
          brief,
          brief,
          ...sections([hold(0.3), write]),
          on("k2", brief),
          later(section(scale, [hold(0.3), write]), 0.8),
        ],
        [on("k2", section(scale, [hold(0.2), write])), on("k2", later(brief, 0.6)), later(rival, 0.9), seeker],
      ],
    },
    {
      name: "a shorter lease of another key",
      clients: [sections([read, hold(0.9), write]), [on("k2", later(short(write), 0)), rival, seeker]],
    },
    {
      name: "waited for by two, of whom one gives up",
      clients: [
        sections([hold(0.9), write]),
        [later({ ...rival, waitMs: Math.round(0.3 * leaseMs), tries: 1 }, 0)],
        [later(seeker, 0.1)],
      ],
    },
    {
      name: "not waited for",
      clients: [
        [...sections([read, hold(0.9), write]), later(seeker, 1.1)],
        [later({ ...rival, waitMs: Math.round(0.3 * leaseMs), tries: 1 }, 0)],
      ],
    },
  ];
  const extending: readonly Shape[] = [
    {
      name: "extended after the lease",
      outlives: true,
      clients: [[...sections([hold(1.2), extend, hold(0.7), write]), seeker], [later(rival, 0)]],
    },
    {
      name: "extended after another's hold",
      outlives: true,
      clients: [
        [...sections([hold(1.4), extend, hold(0.7), write]), seeker],
        [later(brief, 0), later(rival, 1.5)],
      ],
    },
    {
      name: "extended",
      clients: [[...sections([hold(0.9), extend, hold(0.7), write]), seeker], [later(rival, 0)]],
    },
    {
      name: "extended, and then beyond the lease",
      outlives: true,
      clients: [[...sections([hold(0.5), extend, hold(1.6), write]), seeker], [later(rival, 0)]],
    },
    {
      name: "extended to a shorter lease",
      outlives: true,
      clients: [[...sections([hold(0.2), extendBy(0.5), hold(0.75), write]), seeker], [later(rival, 0)]],
    },
    {
      name: "extended to a shorter lease, too late",
      outlives: true,
      clients: [[...sections([hold(1.2), extendBy(0.3)]), seeker], [later(section(scale, [hold(0.9), write]), 0)]],
    },
    {
      name: "extended to a longer lease",
      clients: [[...sections([hold(0.3), extendBy(1.5), hold(1.3), write]), seeker], [later(rival, 0)]],
    },
  ];
  const reentering: readonly Shape[] = [
    {
      name: "entered again after the lease, then contended",
      outlives: true,
      clients: [[...sections([hold(1.2), enter, hold(0.7), write]), seeker], [later(rival, 1.4)]],
    },
    {
      name: "entered again",
      clients: [[...sections([enter, hold(0.85), write]), seeker], [later(rival, 0)]],
    },
    {
      name: "entered again after the lease",
      outlives: true,
      clients: [[...sections([hold(1.2), enter, hold(0.7), write]), seeker], [later(rival, 0)]],
    },
    {
      name: "entered again before the end of the lease",
      clients: [[...sections([hold(0.9), enter, hold(0.7), write]), seeker], [later(rival, 0)]],
    },
  ];
  const renewing: readonly Shape[] = [
    {
      name: "renewed many times",
      outlives: true,
      clients: [[...sections([read, hold(4), write]), seeker], [later(rival, 3)]],
    },
    {
      name: "renewed in a first hold and in a second one",
      outlives: true,
      clients: [[...sections([hold(0.7), write], [read, hold(1.8), write]), seeker], [later(rival, 1.9)]],
    },
  ];
  return { plain, extending, reentering, renewing };
}

function scaleOf({ topology, leaseMs = defaultLeaseMs(topology) }: WorkloadOptions): Scale {
  const { tries } = topologyOf(topology.kind).workload;
  const more = Math.ceil((1.5 * leaseMs) / BETWEEN_TRIES_MS / 4);
  return { leaseMs, tries: Math.min(PLAN_BOUNDS.tries, Math.max(tries, more)) };
}

/** The longest workloads take as many leases as this, with all their waiting. */
const MOST_LEASES = 14;

function planOf(options: WorkloadOptions, clients: readonly (readonly SectionInput[])[]): Plan {
  const { lock, topology, fencing, seed } = options;
  return planSchema.parse({
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed,
    lock,
    topology,
    resource: { fencing },
    clients: clients.map((sections) => ({ sections: [...sections] })),
    faults: [],
    limitMs: Math.max(topologyOf(topology.kind).workload.limitMs, MOST_LEASES * scaleOf(options).leaseMs),
  });
}
