import {
  BETWEEN_TRIES_MS,
  type FaultStep,
  PLAN_FORMAT,
  PLAN_VERSION,
  planSchema,
  type Plan,
} from "../../harness/core/plan.ts";
import { PLAN_BOUNDS } from "../../harness/core/plan-bounds.ts";
import { topologyOf } from "../../harness/core/topologies/registry.ts";
import type { Supports } from "../../harness/core/sharing.ts";
import type { TopologySpec } from "../../harness/core/topology.ts";
import { isShareable, smallShares } from "../sharing.ts";
import { shapesOf } from "./one-key-shapes.ts";
import { queueShapes } from "./queue-shapes.ts";
import { severalKeysExtended, severalKeysShapes } from "./several-keys-shapes.ts";
import { type Death, type Scale, section, type SectionInput, type Shape, SOON_MS, type StepInput } from "./shape.ts";
import { afterReleaseShapes, afterReleaseTaskShapes } from "./after-release-shapes.ts";
import { wordsOf } from "./shape-words.ts";
import { upgradeShapes } from "./upgrade-shapes.ts";
import { hasTasks } from "../tasks.ts";
import { extendingTaskShapes, taskShapes } from "./task-shapes.ts";

/** What a lock can do, as a run shows: a workload uses nothing else. */
export interface Skills {
  readonly extends: boolean;
  readonly reenters: boolean;
  /** Whether it renews the leases of its holders by itself. Default: false. */
  readonly renews?: boolean | undefined;
  /** Whether it tells of each renewal: then a client that holds on does not outlive its lease. Default: false. */
  readonly tellsRenewals?: boolean | undefined;
  /** Whether a release says if it freed the lock. Default: true. */
  readonly tellsReleases?: boolean | undefined;
  /** Whether what was released can be released and extended once more, whatever is answered. Default: false. */
  readonly answersTwice?: boolean | undefined;
  /** Whether a reader of a read-write lock that is alone can become a writer under its own hold. Default: false. */
  readonly upgrades?: boolean | undefined;
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
  /** The fault that ends a client at an event. Absent: no client dies in a workload. */
  readonly deathBy?: ((death: Death) => FaultStep | undefined) | undefined;
}

/** A workload: a plan without faults but the death of a client, and what it is about, in words. */
export interface Workload {
  readonly name: string;
  readonly plan: Plan;
  /** How often its run without faults is worth trying, with other random numbers: more than once where clients race. */
  readonly times: number;
  /** Whether nothing deviates from it. Default: false. */
  readonly isCalm?: boolean | undefined;
}

const RACES = 3;

/**
 * Small workloads: two or three clients, one to six critical sections each, for what the lock can do. In each, the last section
 * of one client seeks the lock for as long as it takes, so that a lock that is never freed shows.
 */
export function smallWorkloads(options: WorkloadOptions, skills: Skills): readonly Workload[] {
  const shared = shapesOf(scaleOf(options));
  const scale = scaleOf(options);
  const extended = skills.extends ? severalKeysExtended(scale) : [];
  const several = options.supports?.severalKeys === true ? [...severalKeysShapes(scale), ...extended] : [];
  const tasks = hasTasks(options.supports) ? taskShapes(scale, skills.renews === true) : [];
  const tasksExtended = hasTasks(options.supports) && skills.extends ? extendingTaskShapes(scale) : [];
  const shapes = [
    ...shared.plain,
    ...(skills.extends ? shared.extending : []),
    ...(skills.reenters ? shared.reentering : []),
    ...(skills.reenters && skills.extends ? shared.extendedReentering : []),
    ...shared.dying,
    ...(skills.extends ? shared.dyingExtenders : []),
    ...(skills.reenters ? shared.dyingEnterers : []),
    ...tasks,
    ...tasksExtended,
    ...(topologyOf(options.topology.kind).arrangement === "replicated" ? shared.replicated : []),
    ...(skills.renews === true
      ? shared.renewing.map((shape) => ({ ...shape, outlives: skills.tellsRenewals !== true }))
      : []),
    // What does not fit into one plan with all others comes a run later.
    ...shared.patient,
    ...(skills.answersTwice === true ? afterRelease(options, skills) : []),
    ...shared.leaving,
    ...(skills.tellsReleases === false ? shared.silent : []),
  ];
  const queue = options.supports?.fair === true ? queueShapes(scaleOf(options)) : [];
  const upgrading = skills.upgrades === true ? upgradeShapes(wordsOf(scale)) : [];
  const ofUpgrades = upgrading.map(({ name, clients, races, isCalm }) => ({
    name,
    isCalm,
    times: races === true ? RACES : 1,
    plan: planOf(options, clients),
  }));
  const together = several.map(({ name, clients }) => ({ name, times: 1, plan: planOf(options, clients) }));
  const inTurn = queue.map(({ name, clients }) => ({ name, times: RACES, plan: planOf(options, clients) }));
  const common = shapes
    .filter(({ outlives }) => options.outlives || outlives !== true)
    .flatMap(({ name, clients, races, isCalm, dies }): readonly Workload[] => {
      const times = races === true ? RACES : 1;
      const death = dies === undefined ? undefined : options.deathBy?.(dies);
      if (dies !== undefined && death === undefined) return [];
      const faults = death === undefined ? [] : [death];
      if (!isShareable(options.supports)) return [{ name, times, isCalm, plan: planOf(options, clients, faults) }];
      return smallShares(options.supports).map(({ name: how, share }) => {
        const sections = share(clients.map((each) => ({ sections: [...each] })));
        return {
          name: `${name}, ${how}`,
          times,
          isCalm,
          plan: planOf(
            options,
            sections.map((each) => each.sections),
            faults,
          ),
        };
      });
    });
  return [...inTurn, ...together, ...common, ...ofUpgrades];
}

function afterRelease(options: WorkloadOptions, skills: Skills): readonly Shape[] {
  const words = wordsOf(scaleOf(options));
  const ofTasks = hasTasks(options.supports) ? afterReleaseTaskShapes(words, skills.extends) : [];
  return [...afterReleaseShapes(words, skills.extends), ...ofTasks];
}

/** Most locks that renew their leases do so within this share of them. */
const RENEWED_WITHIN = 0.9;

/**
 * The workload that shows what a lock can do, and how long it takes for it: the first client extends and enters again, and
 * holds while the second one waits.
 */
export function skillsWorkload(options: WorkloadOptions): Plan {
  const scale = scaleOf(options);
  const { leaseMs } = scale;
  const inner: StepInput = { do: "reenter", ttlMs: leaseMs, steps: [] };
  const hold: StepInput = { do: "hold", forMs: Math.round(RENEWED_WITHIN * leaseMs) };
  const steps: StepInput[] = [{ do: "extend", ttlMs: leaseMs }, inner, { do: "write" }, hold];
  return planOf(options, [[section(scale, steps)], [{ ...section(scale, []), after: { atMs: SOON_MS } }]]);
}

/** The workload that shows what becomes of a client that asks for what it has released. */
export function releasedTwiceWorkload(options: WorkloadOptions): Plan {
  const scale = scaleOf(options);
  const steps: StepInput[] = [{ do: "release" }, { do: "extend", ttlMs: scale.leaseMs }];
  return planOf(options, [[section(scale, steps)]]);
}

/** The workload that shows whether a reader of a read-write lock can become a writer under its own hold. */
export function upgradeWorkload(options: WorkloadOptions): Plan {
  const scale = scaleOf(options);
  const upgrade: StepInput = { do: "reenter", ttlMs: scale.leaseMs, mode: "exclusive", steps: [] };
  return planOf(options, [[{ ...section(scale, [upgrade]), mode: "shared" }]]);
}

/** The workload that shows how long a lease lasts that nobody gives back: another client waits for its end. */
export function leftBehindWorkload(options: WorkloadOptions): Plan {
  const scale = scaleOf(options);
  return planOf(options, [
    [{ ...section(scale, []), release: false }],
    [{ ...section(scale, []), after: { atMs: SOON_MS } }],
  ]);
}

/** The lease that the workloads ask for by default, in milliseconds. */
export function defaultLeaseMs(topology: TopologySpec): number {
  const { ttlsMs } = topologyOf(topology.kind).workload;
  // Longer than a second and no whole number of seconds: Redis has commands for both units.
  return Math.max(1000, ttlsMs[1] ?? 0) + 200;
}

function scaleOf({ topology, leaseMs = defaultLeaseMs(topology) }: WorkloadOptions): Scale {
  const { tries } = topologyOf(topology.kind).workload;
  const more = Math.ceil((1.5 * leaseMs) / BETWEEN_TRIES_MS / 4);
  return { leaseMs, tries: Math.min(PLAN_BOUNDS.tries, Math.max(tries, more)) };
}

/** The longest workloads take as many leases as this, with all their waiting. */
const MOST_LEASES = 14;

function planOf(
  options: WorkloadOptions,
  clients: readonly (readonly SectionInput[])[],
  faults: readonly FaultStep[] = [],
): Plan {
  const { lock, topology, fencing, seed } = options;
  return planSchema.parse({
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed,
    lock,
    topology,
    resource: { fencing },
    clients: clients.map((sections) => ({ sections: [...sections] })),
    faults: [...faults],
    limitMs: Math.max(topologyOf(topology.kind).workload.limitMs, MOST_LEASES * scaleOf(options).leaseMs),
  });
}
