import type { FaultStep, Plan, Section, Step } from "../../harness/core/plan.ts";
import { clientName } from "../../harness/core/topology.ts";
import type { Trigger } from "../../harness/core/trigger.ts";

/** How many critical sections a plan has that is tried without one of them with other seeds too. */
const SECTIONS = { from: 3, to: 12 };

/**
 * Plans that are smaller than this one by one thing, the largest reductions first: without a fault, without a
 * client, without a section, without a step, with a shorter time. A shrinker tries them in order, and goes on from the
 * first that fails as well.
 */
export function* smallerPlans(plan: Plan): Generator<Plan> {
  yield* ofOneWorkload(plan);
  yield* ofOneKey(plan);
  yield* withoutIdleClients(plan);
  // A trigger that names a fault by its index would wait for another one.
  if (!namesAnyFault(plan)) yield* without(plan.faults).map((faults) => ({ ...plan, faults }));
  yield* withoutOneClient(plan);
  yield* withoutOneSection(plan);
  yield* changed(plan, (sections) => eachOf(sections, smallerSections));
  for (const faults of eachOf(plan.faults, shorterFaults)) yield { ...plan, faults };
  for (const smaller of withoutIdleClients(plan)) yield* withOtherSeeds(smaller);
  yield* withOtherSeedsOf([...withoutOneSection(plan)]);
}

/**
 * What one of several workloads side by side does: clients that share keys. One plan for each workload with a client of
 * `among`; none if there is one workload only.
 */
export function ofOneWorkload(plan: Plan, among: ReadonlySet<number> = new Set(indexesOf(plan))): readonly Plan[] {
  const groups = clientsBySharedKeys(plan.clients);
  if (groups.length < 2) return [];
  const wanted = groups.filter((clients) => clients.some((client) => among.has(client)));
  return wanted.flatMap((clients) => withClients(plan, clients) ?? []);
}

/**
 * The same without the clients that do nothing, if there are any: one plan or none. The others get other names, so that the
 * same seed gives other random numbers.
 */
export function withoutIdleClients(plan: Plan): readonly Plan[] {
  const busy = indexesOf(plan).filter((index) => plan.clients[index]?.sections.length !== 0);
  const some = busy.length === plan.clients.length ? undefined : withClients(plan, busy);
  return some === undefined ? [] : [some];
}

/**
 * The same with other seeds. Without a client the network delays other messages, so that a violation that depends on such
 * things may need another seed to come again.
 */
function withOtherSeeds(plan: Plan): readonly Plan[] {
  return Array.from({ length: OTHER_SEEDS }, (_, index) => ({ ...plan, seed: plan.seed + index + 1 }));
}

const OTHER_SEEDS = 12;

/** The same without one client, the last one first. */
function withoutOneClient(plan: Plan): readonly Plan[] {
  const indexes = indexesOf(plan);
  return indexes.toReversed().flatMap((index) => withClients(plan, indexes.toSpliced(index, 1)) ?? []);
}

function withoutOneSection(plan: Plan): Generator<Plan> {
  return changed(plan, (sections) => without(sections));
}

/**
 * The same with other seeds, all with one before the next, if they leave at least two critical sections: without a section everything
 * after it comes at another time, so that what depends on a fraction of a millisecond may need another seed. One section alone
 * seldom breaks anything, and never by chance; a plan that still has many would take all runs.
 */
function withOtherSeedsOf(plans: readonly Plan[]): readonly Plan[] {
  if (plans.length < SECTIONS.from || plans.length > SECTIONS.to) return [];
  const others = plans.map((plan) => withOtherSeeds(plan));
  return Array.from({ length: OTHER_SEEDS }, (_, index) => others.flatMap((seeds) => seeds[index] ?? [])).flat();
}

/** What happens on one key only. */
function ofOneKey(plan: Plan): readonly Plan[] {
  const keys = new Set(plan.clients.flatMap(({ sections }) => sections.map(({ key }) => key)));
  if (keys.size < 2) return [];
  return [...keys].flatMap((key) => {
    const clients = plan.clients.map(({ sections }) => ({
      sections: sections.filter((section) => section.key === key),
    }));
    return withoutIdleClients({ ...plan, clients });
  });
}

/** Groups of clients that do something, of which no two use a key of each other's. */
function clientsBySharedKeys(clients: Plan["clients"]): readonly (readonly number[])[] {
  let groups: { readonly keys: ReadonlySet<string>; readonly clients: readonly number[] }[] = [];
  for (const [index, client] of clients.entries()) {
    if (client.sections.length === 0) continue;
    const keys = new Set(client.sections.flatMap(({ key, alsoKeys = [] }) => [key, ...alsoKeys]));
    const sharing = groups.filter((group) => !group.keys.isDisjointFrom(keys));
    const joined = {
      keys: new Set([...sharing.flatMap((group) => [...group.keys]), ...keys]),
      clients: [...sharing.flatMap((group) => group.clients), index].sort((one, other) => one - other),
    };
    groups = [...groups.filter((group) => !sharing.includes(group)), joined];
  }
  return groups.map((group) => group.clients);
}

/**
 * The plan with these clients only, who get the names client-0, client-1 and so on; undefined when none is left, or when a
 * fault hits one of the others or a trigger waits for one.
 */
function withClients(plan: Plan, kept: readonly number[]): Plan | undefined {
  const clients = kept.flatMap((index) => plan.clients[index] ?? []);
  if (clients.length === 0) return undefined;
  let isWhole = true;
  const renumbered = (index: number): number => {
    const next = kept.indexOf(index);
    isWhole &&= next >= 0;
    return next;
  };
  const smaller = {
    ...plan,
    clients: rewritten(clients, AWAITED_CLIENT, (index) => `"client":${renumbered(index)}`),
    faults: rewritten(plan.faults, AWAITED_CLIENT, (index) => `"client":${renumbered(index)}`).map((fault) => ({
      ...fault,
      params: rewritten(fault.params, CLIENT_NAME, (index) => JSON.stringify(clientName(renumbered(index)))),
    })),
  };
  return isWhole ? smaller : undefined;
}

/** A client as the parameter of a fault names it, and as a trigger does. */
const CLIENT_NAME = /"client-(\d+)"/g;
const AWAITED_CLIENT = /"client":(\d+)/g;

/** Plain JSON with each mention of a client replaced. */
function rewritten<T>(json: T, mention: RegExp, by: (index: number) => string): T {
  return JSON.parse(JSON.stringify(json).replaceAll(mention, (_, index: string) => by(Number(index)))) as T;
}

function indexesOf({ clients }: Plan): readonly number[] {
  return clients.map((_, index) => index);
}

function namesAnyFault({ faults, clients }: Plan): boolean {
  return JSON.stringify([faults, clients]).includes('"fault":');
}

/** The plan with one client's sections changed, in each way that `change` knows. */
function* changed(plan: Plan, change: (sections: readonly Section[]) => readonly Section[][]): Generator<Plan> {
  for (const [index, { sections }] of plan.clients.entries()) {
    for (const smaller of change(sections)) yield { ...plan, clients: plan.clients.with(index, { sections: smaller }) };
  }
}

function smallerSections(section: Section): readonly Section[] {
  const { steps, after, tries, task } = section;
  return [
    ...without(steps).map((each) => ({ ...section, steps: each })),
    ...(after === undefined ? [] : [{ ...section, after: undefined }]),
    ...(task === undefined ? [] : [{ ...section, task: undefined }]),
    ...(tries > 1 ? [{ ...section, tries: 1 }] : []),
    ...eachOf(steps, shorterSteps).map((each) => ({ ...section, steps: each })),
  ];
}

function shorterSteps(step: Step): readonly Step[] {
  if (step.do === "hold") return shorter(step.forMs).map((forMs) => ({ ...step, forMs }));
  return [];
}

function shorterFaults(fault: FaultStep): readonly FaultStep[] {
  const { at, until } = fault;
  if (until === undefined || "atMs" in at || "atMs" in until) return [];
  const { afterMs: from = 0 } = at;
  return shorter((until.afterMs ?? 0) - from).map((ms) => ({
    ...fault,
    until: { ...until, afterMs: from + ms } satisfies Trigger,
  }));
}

/** Half of it, and nine tenths of it: to a rough value quickly, and near the least. */
function shorter(ms: number): readonly number[] {
  return [Math.round(ms / 2), Math.round(ms * 0.9)].filter((less) => less < ms && less > 0);
}

/** The list without each of its items. */
function without<T>(items: readonly T[]): T[][] {
  return items.map((_, index) => items.toSpliced(index, 1));
}

/** The list with one item replaced, in each way that `smaller` knows. */
function eachOf<T>(items: readonly T[], smaller: (item: T) => readonly T[]): T[][] {
  return items.flatMap((item, index) => smaller(item).map((each) => items.with(index, each)));
}
