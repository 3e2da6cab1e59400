import type { FaultStep, Plan, Section, Step } from "../../harness/core/plan.ts";
import type { Trigger } from "../../harness/core/trigger.ts";

/**
 * Plans that are smaller than this one by one thing, the largest reductions first: without a fault, without the last
 * client, without a section, without a step, with a shorter time. A shrinker tries them in order, and goes on from the
 * first that fails as well.
 */
export function* smallerPlans(plan: Plan): Generator<Plan> {
  yield* ofOneWorkload(plan);
  yield* ofOneKey(plan);
  yield* withoutIdleClients(plan);
  // A trigger that names a fault by its index would wait for another one.
  if (!namesAnyFault(plan)) yield* without(plan.faults).map((faults) => ({ ...plan, faults }));
  if (plan.clients.length > 1) {
    const smaller = { ...plan, clients: plan.clients.slice(0, -1) };
    if (!namesClient(smaller, smaller.clients.length)) yield smaller;
  }
  yield* changed(plan, (sections) => without(sections));
  yield* changed(plan, (sections) => eachOf(sections, smallerSections));
  for (const faults of eachOf(plan.faults, shorterFaults)) yield { ...plan, faults };
}

/** What one of several workloads side by side does: clients that share keys, where nothing names a client. */
function ofOneWorkload(plan: Plan): readonly Plan[] {
  const busy = plan.clients.filter(({ sections }) => sections.length > 0);
  const groups = isDivisible(plan) ? clientsBySharedKeys(busy) : [];
  return groups.length < 2 ? [] : groups.map((clients) => ({ ...plan, clients: [...clients] }));
}

/** The same without the clients that do nothing, where nothing names a client. */
function withoutIdleClients(plan: Plan): readonly Plan[] {
  const clients = plan.clients.filter(({ sections }) => sections.length > 0);
  const isSmaller = clients.length > 0 && clients.length < plan.clients.length;
  return isSmaller && isDivisible(plan) ? [{ ...plan, clients }] : [];
}

/** What happens on one key only, where nothing names a client. */
function ofOneKey(plan: Plan): readonly Plan[] {
  const { clients } = plan;
  const keys = new Set(clients.flatMap(({ sections }) => sections.map(({ key }) => key)));
  if (keys.size < 2 || !isDivisible(plan)) return [];
  return [...keys].map((key) => {
    const some = clients.map(({ sections }) => ({ sections: sections.filter((section) => section.key === key) }));
    return { ...plan, clients: some.filter(({ sections }) => sections.length > 0) };
  });
}

function isDivisible({ clients, faults }: Plan): boolean {
  return faults.length === 0 && !JSON.stringify(clients).includes('"client":');
}

/** Groups of clients, of which no two use a key of each other's. */
function clientsBySharedKeys(clients: Plan["clients"]): readonly Plan["clients"][] {
  let groups: { readonly keys: ReadonlySet<string>; readonly clients: Plan["clients"] }[] = [];
  for (const client of clients) {
    const keys = new Set(client.sections.flatMap(({ key, alsoKeys = [] }) => [key, ...alsoKeys]));
    const sharing = groups.filter((group) => !group.keys.isDisjointFrom(keys));
    const joined = {
      keys: new Set([...sharing.flatMap((group) => [...group.keys]), ...keys]),
      clients: [...sharing.flatMap((group) => group.clients), client],
    };
    groups = [...groups.filter((group) => !sharing.includes(group)), joined];
  }
  return groups.map((group) => group.clients);
}

/** Whether a fault hits this client, or a trigger waits for it. */
function namesClient({ faults, clients }: Plan, index: number): boolean {
  const text = JSON.stringify([faults, clients]);
  return text.includes(`"client-${index}"`) || new RegExp(`"client":${index}\\b`).test(text);
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
  const { steps, after, tries } = section;
  return [
    ...without(steps).map((each) => ({ ...section, steps: each })),
    ...(after === undefined ? [] : [{ ...section, after: undefined }]),
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
