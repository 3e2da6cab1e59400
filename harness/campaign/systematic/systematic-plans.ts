import type { Fault } from "../../core/fault.ts";
import type { FaultStep, Plan } from "../../core/plan.ts";
import type { WireMessage } from "../../core/messages/wire-message.ts";
import type { KeyState } from "../../core/messages/wire-record.ts";
import { type History, INVALID_ANSWER } from "../../history/history.ts";
import { collectOperations } from "../../history/operation-spans.ts";
import type { ContentionOptions } from "../../../workloads/contention.ts";
import type { SentCommand } from "../../../workloads/fault-schedule.ts";
import { RESOURCE } from "../../core/topology.ts";
import { PROMISABLE } from "../../core/verdict.ts";
import { checkHistory } from "../../check/check.ts";
import { deadlockFreedom } from "../../check/properties/deadlock-freedom.ts";
import { type Base, deadlinesOf, isVoted } from "../../../workloads/deviations/base.ts";
import type { DeviationKind } from "../../../workloads/deviations/deviation.ts";
import type { Family } from "../../../workloads/deviations/families.ts";
import {
  countDeviations,
  type DeviationScope,
  deviationsOf,
  type RankedDeviation,
} from "../../../workloads/deviations/deviations-of.ts";
import { freeAfterOf, isHeldForLonger, leaseScaleOf } from "./lease-scale.ts";
import { inTurn, type Queue } from "./in-turn.ts";
import { type Aspect, leastAlike, type TakenAspects } from "./least-alike.ts";
import { patienceOf } from "./patience.ts";
import { type PlansInOrder, PlansOnDemand } from "./on-demand.ts";
import { deathAt } from "../../../workloads/deviations/death.ts";
import type { Death } from "../../../workloads/deviations/shape.ts";
import { sideBySide } from "../../../workloads/deviations/side-by-side.ts";
import {
  defaultLeaseMs,
  leftBehindWorkload,
  releasedTwiceWorkload,
  type Skills,
  skillsWorkload,
  smallWorkloads,
  upgradeWorkload,
  type WorkloadOptions,
} from "../../../workloads/deviations/workloads.ts";

/** What a run shows of a lock: what it recorded, and what it sent. */
export interface Lesson {
  readonly history: History;
  readonly messages: readonly WireMessage[];
  /** What servers held under their keys, if it was kept. */
  readonly keys?: readonly KeyState[] | undefined;
}

/** What learning a lock needs. */
interface LearningOptions {
  readonly drawnFrom: ContentionOptions;
  readonly seed: number;
  /** Runs a plan without faults, in simulation, and keeps its messages. */
  readonly learn: (plan: Plan) => Promise<Lesson>;
}

interface SystematicOptions extends LearningOptions {
  readonly skills: LearnedSkills;
  /** How much the lock promises in a run of the plan, as a number of properties. */
  readonly promises: (plan: Plan) => number;
  /** The most plans; `all`: every deviation is among them, however dear. */
  readonly most: number | "all";
}

/** What a lock can do, the lease that suits it, in milliseconds, and what else a run shows of its times. */
export interface LearnedSkills extends Skills {
  /** False: no acquire is granted without faults, and nothing else is known. Absent: one is. */
  readonly grants?: false | undefined;
  readonly leaseMs?: number | undefined;
  /** How long its clients wait for a reply, in milliseconds. Absent: for longer than any fault lasts, or unknown. */
  readonly patienceMs?: number | undefined;
}

/** What a search begins with. */
interface SystematicPart {
  /** Put into order as far as they are asked for. */
  readonly plans: PlansInOrder;
  /** What clients of the lock send to servers, for the plans that are drawn afterwards. */
  readonly commands: readonly SentCommand[];
  /** The workloads that deviations start from. */
  readonly bases: readonly Base[];
  /** All workloads, also those that nothing deviates from. Some have a fault of their own. */
  readonly workloads: ReadonlySet<Plan>;
  /** Counts the schedules with one deviation that there are, however dear. */
  readonly countSingles: () => number;
}

/**
 * Plans in a fixed order: the small workloads of what the lock can do, side by side; alone those that broke the lock when it
 * was learned; then each with one deviation, the most telling ones of each kind of fault first, and the
 * kinds in turn. The same options give the same plans.
 */
export async function systematicPlans(options: SystematicOptions): Promise<SystematicPart> {
  const { drawnFrom, learn, skills, most } = options;
  const workloads = smallWorkloads({ ...workloadOptions(options), leaseMs: skills.leaseMs }, skills);
  const bases: Base[] = [];
  /** What runs without faults, each as often as it is worth. */
  const apart: Plan[] = [];
  /** Those that broke the lock when they were learned, and may not do so beside others. */
  const broken: Plan[] = [];
  /** Those in which a client dies and nothing deviates: they come with the repetitions. */
  const deadlyCalm: Plan[] = [];
  /** Those in which a client dies: another one's workload beside it would be another schedule. */
  const deadly: Plan[] = [];
  /** Not what deviations can start from, but the search must say that they came to no end, or that the lock is at fault. */
  const endless: Plan[] = [];
  for (const { name, plan, times, isCalm = false } of workloads) {
    const { history, messages } = await learn(plan);
    const end = history.end?.value;
    if (end?.run !== "completed") {
      // A lock without leases, or one that renews them, is never free again if its holder does not release it.
      if (end?.reason !== undefined || isStuck(history)) endless.push(plan);
      continue;
    }
    if (plan.faults.length > 0) (isCalm ? deadlyCalm : deadly).push(plan);
    else {
      apart.push(...Array.from({ length: times }, () => plan));
      if (isBroken(history)) broken.push(plan);
    }
    if (!isCalm)
      bases.push({ name, plan, history, messages, deadlines: deadlinesOf(plan, history, skills.patienceMs) });
  }
  const calm = sideBySide(apart);
  const again = [...deadlyCalm, ...againWith(calm)];
  const queues = [
    { plans: again.values(), share: 1, length: again.length },
    ...deviating(bases, { ...options, mostCost: most === "all" ? Infinity : MOST_COST }),
  ];
  const first = [...calm, ...broken, ...endless, ...deadly];
  const all = queues.reduce((sum, { length }) => sum + length, first.length);
  const length = most === "all" ? all : Math.max(first.length, Math.min(most, all));
  const plans = new PlansOnDemand(afterOneAnother(first, inTurn(queues)), length);
  const undisturbed = bases.filter(({ plan }) => plan.faults.length === 0);
  const countSingles = (): number =>
    undisturbed.reduce((sum, base) => sum + countDeviations(base, drawnFrom.faults), 0) +
    deviatingFrom(undisturbed.filter(isVoted), drawnFrom.faults, { servers: "minority" }).length;
  return {
    plans,
    commands: commandsOf(bases),
    bases,
    workloads: new Set(workloads.map(({ plan }) => plan)),
    countSingles,
  };
}

/**
 * Whether the lock did not keep what it may promise. It does not show side by side with others if several keys have to do with
 * each other, or if one counter numbers the holds of all.
 */
function isBroken(history: History): boolean {
  return checkHistory(history, { required: PROMISABLE }).verdict === "invalid";
}

/** Whether the lock refused a client although it had to be free. */
function isStuck(history: History): boolean {
  const { verdict } = checkHistory(history, { required: ["deadlock-freedom"], checkers: [deadlockFreedom] });
  return verdict === "invalid";
}

function* afterOneAnother(first: Iterable<Plan>, others: Iterable<Plan>): Generator<Plan> {
  yield* first;
  yield* others;
}

/** The commands about keys, and how often a client sent each at most. */
function commandsOf(bases: readonly Base[]): readonly SentCommand[] {
  const times = new Map<string, number>();
  for (const { messages } of bases) {
    const told = messages.filter(({ keys, server }) => keys.length > 0 && server !== RESOURCE);
    for (const sent of Map.groupBy(told, ({ client, command }) => `${client} ${command}`).values()) {
      const [{ command } = { command: "" }] = sent;
      times.set(command, Math.max(times.get(command) ?? 0, sent.length));
    }
  }
  return [...times].map(([command, most]) => ({ command, times: most }));
}

/** How often the workloads run without faults, each time with other random numbers. */
const CALM_TIMES = 5;

function againWith(calm: readonly Plan[]): readonly Plan[] {
  const times = Array.from({ length: CALM_TIMES - 1 }, (_, index) => index + 1);
  return times.flatMap((more) => calm.map((plan) => ({ ...plan, seed: plan.seed + more })));
}

const NO_SKILLS: LearnedSkills = {
  grants: false,
  extends: false,
  reenters: false,
  renews: false,
  tellsRenewals: false,
  tellsReleases: false,
  answersTwice: false,
  upgrades: false,
};

/** What the lock does when it is asked to extend and to enter again. */
export async function skillsOf(options: LearningOptions): Promise<LearnedSkills> {
  const plan = skillsWorkload(workloadOptions(options));
  const lesson = await options.learn(plan);
  // Each further run would wait for what does not come, and teach as little.
  if (!isAnyGranted(lesson)) return NO_SKILLS;
  const askedMs = defaultLeaseMs(plan.topology);
  const freeAfter = isHeldForLonger(askedMs, lesson)
    ? freeAfterOf(await options.learn(leftBehindWorkload(workloadOptions(options))))
    : undefined;
  const times = (f: string, ...ends: readonly string[]): number =>
    lesson.history.events.filter(
      ({ type, f: of, process }) => ends.includes(type) && of === f && Number(process) % plan.clients.length === 0,
    ).length;
  return {
    // Without faults, an extension that ends as `info` is one that reports no result.
    extends: times("extend", "ok", "info") > 0,
    reenters: times("acquire", "ok") > 1,
    renews: lesson.messages.some(isRenewal),
    tellsRenewals: lesson.history.events.some(({ type }) => type === "renewed"),
    tellsReleases: times("release", "ok") > 0 || times("release", "info") === 0,
    answersTwice: answersTwice(await options.learn(releasedTwiceWorkload(workloadOptions(options)))),
    upgrades:
      options.drawnFrom.supports?.modes === true &&
      becomesWriter(await options.learn(upgradeWorkload(workloadOptions(options)))),
    leaseMs: leaseScaleOf(askedMs, lesson, freeAfter),
    patienceMs: await patienceOf(plan, lesson, options.learn),
  };
}

/** Whether the lock granted an acquire. */
export function isAnyGranted({ history }: Lesson): boolean {
  return history.events.some(({ type, f }) => type === "ok" && f === "acquire");
}

/** How long an answer may take to what comes after the release: longer ones end runs before their clients are done. */
const MOST_ANSWER_NS = 2e9;

/** Whether a driver that is asked for what was released answers at all: one that only knows what it holds may end its process. */
function answersTwice({ history: { events, end } }: Lesson): boolean {
  if (end?.value.run !== "completed" || events.some(({ type }) => type === "fault")) return false;
  const lasted = collectOperations(events, events.at(-1)?.time ?? 0, { clients: 1 }).map(({ from, to }) => to - from);
  const isValid = events.every((event) => event.type !== "info" || event.value?.reason !== INVALID_ANSWER);
  return isValid && lasted.every((ns) => ns < MOST_ANSWER_NS);
}

/** Whether a reader that was alone was granted the key as a writer, too. */
function becomesWriter({ history: { events } }: Lesson): boolean {
  const owners = events.flatMap(({ type, f, value }) =>
    type === "ok" && f === "acquire" && value !== undefined && "owner" in value ? [value.owner] : [],
  );
  return owners.length > 1;
}

/** A message about keys that no operation sent, but not of a waiting client, which asks for nothing of its own. */
function isRenewal({ operation, keys, server }: WireMessage): boolean {
  return operation === undefined && keys.length > 0 && server !== RESOURCE;
}

function workloadOptions({ drawnFrom, seed }: LearningOptions): WorkloadOptions {
  const { lock, topology, fencing = true, maxHoldShare = 0, supports, faults } = drawnFrom;
  const deathBy = (death: Death): FaultStep | undefined => deathAt(topology, faults, death);
  return { lock, topology, fencing, seed, outlives: maxHoldShare > 1, supports, deathBy };
}

/**
 * How many deviations of a kind are tried in each turn. Holding a message, or the client that is about to send it, is
 * what most locks do not expect.
 */
const SHARES: Readonly<Partial<Record<DeviationKind, number>>> = {
  "hold-message": 3,
  "stop-client": 2,
  "hold-one-message": 2,
};

/** Deviations that cost more are left out, unless all are wanted: there are thousands of cheaper ones. */
const MOST_COST = 12;

/** A deviation of a base. */
interface Deviating {
  readonly base: Base;
  readonly deviation: RankedDeviation;
}

/** A queue of which it is known how many plans it has. */
interface CountedQueue extends Queue {
  readonly length: number;
}

interface DeviatingOptions extends Pick<SystematicOptions, "drawnFrom" | "promises"> {
  /** Deviations that cost more are left out. */
  readonly mostCost: number;
}

/**
 * One deviation each: a queue for each kind, and in it the cheapest and least alike first, over all workloads. What the
 * lock promises may depend on how a fault of the kind strikes, as when a node comes back with its disk or without: each
 * way has a queue then. One under which the lock promises less comes less often: fewer of its runs can break a promise.
 */
function deviating(
  bases: readonly Base[],
  { drawnFrom, promises, mostCost }: DeviatingOptions,
): readonly CountedQueue[] {
  const all = deviatingFrom(bases, drawnFrom.faults, { mostCost });
  const ofSome = deviatingFrom(bases.filter(isVoted), drawnFrom.faults, { mostCost, servers: "minority" });
  const promised = promisesOf(promises);
  const taken: TakenAspects = new Map();
  const byKind = Map.groupBy(all, (item) => `${item.deviation.kind} ${promised(item)}`);
  // What a minority of servers has not heard of is a matter of its own, whichever fault keeps it from them.
  const byPromise = Map.groupBy(
    ofSome,
    (item) => `of a minority${item.deviation.hasSides ? " on either side" : ""}, ${promised(item)}`,
  );
  const queues = [...byKind, ...byPromise].flatMap(([name, items]) => {
    const [first] = items;
    if (first === undefined || promised(first) === 0) return [];
    const order = leastAlike(items, {
      costOf: ({ deviation }) => deviation.cost,
      aspectsOf: (item) => aspectsOf(item, name),
      taken,
    });
    const plans = order.map(({ base, deviation }) => deviation.apply(base.plan));
    const { length } = items;
    const share = byPromise.has(name) ? 1 : (SHARES[first.deviation.kind] ?? 1);
    return [{ plans, length, share, promised: promised(first) }];
  });
  const most = Math.max(...queues.map((queue) => queue.promised));
  return queues.map(({ promised, ...queue }) => ({ ...queue, share: queue.share * (promised / most) ** 2 }));
}

function deviatingFrom(bases: readonly Base[], faults: readonly Fault[], scope: DeviationScope): readonly Deviating[] {
  return bases.flatMap((base) =>
    deviationsOf(base, faults, scope).map((deviation): Deviating => ({ base, deviation })),
  );
}

/**
 * What a deviation has in common with others. Within its queue: the command and its moment, and whether it divides servers that
 * vote; beside that the fault and its parameters, and the workload. With those of all queues: the side of the deadline to which
 * it lasts, since most kinds do to a message what another one does too, and its very moment.
 */
function aspectsOf({ base, deviation }: Deviating, queue: string): readonly Aspect[] {
  const { sort, family, length, point, dividesServers } = deviation;
  const where = `${sort}${dividesServers ? " of some" : ""}${family.isOtherWay ? " the other way" : ""}`;
  return [
    [`${queue} at ${where}`, 3],
    [`${queue} at ${where} by ${family.kind}`, 2],
    [`${queue} by ${family.way}`, 0.5],
    [`${queue} in ${base.name}`, 0.5],
    [`${sort} for ${length}`, 1],
    [`${base.name} ${point}`, 1],
  ];
}

/** How much the lock promises under a deviation: as much as under all of its family. */
function promisesOf(promises: SystematicOptions["promises"]): (item: Deviating) => number {
  const ofFamily = new Map<Family, number>();
  // Families of several workloads are often the same fault.
  const ofFault = new Map<string, number>();
  return ({ base: { plan }, deviation }) => {
    const { family } = deviation;
    const known = ofFamily.get(family);
    if (known !== undefined) return known;
    const beside = plan.faults.map(({ kind }) => kind).join(" ");
    const fault = `${family.does} ${family.kind} ${JSON.stringify(family.params)} beside ${beside}`;
    const value = ofFault.get(fault) ?? promises(deviation.apply(plan));
    ofFault.set(fault, value);
    ofFamily.set(family, value);
    return value;
  };
}
