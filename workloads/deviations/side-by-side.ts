import type { Plan } from "../../harness/core/plan.ts";
import { PLAN_BOUNDS } from "../../harness/core/plan-bounds.ts";

/**
 * Workloads without faults as few plans: in each, several of them run side by side, each on a key and with clients of its
 * own, so that none disturbs another. One run then shows what each of them would.
 */
export function sideBySide(plans: readonly Plan[]): readonly Plan[] {
  const groups: Plan[] = [];
  for (const plan of plans) {
    const last = groups.at(-1);
    const room = PLAN_BOUNDS.clients - (last?.clients.length ?? PLAN_BOUNDS.clients);
    if (last === undefined || room < plan.clients.length) groups.push({ ...plan, clients: onKey(plan, 1) });
    else {
      const clients = [...last.clients, ...onKey(plan, keysOf(last) + 1)];
      groups.splice(-1, 1, { ...last, clients, limitMs: Math.max(last.limitMs, plan.limitMs) });
    }
  }
  return groups;
}

function keysOf({ clients }: Plan): number {
  return new Set(clients.flatMap(({ sections }) => sections.map(({ key }) => key))).size;
}

/** The keys of a workload, the first of them with this number. */
function onKey({ clients }: Plan, number: number): Plan["clients"] {
  const named = clients.flatMap(({ sections }) => sections.flatMap(({ key, alsoKeys = [] }) => [key, ...alsoKeys]));
  const known = [...new Set(named)];
  const renamed = (key: string): string => {
    const index = known.indexOf(key);
    return index === 0 ? `k${number}` : `k${number}-${index + 1}`;
  };
  return clients.map(({ sections }) => ({
    sections: sections.map((section) => {
      const { key, alsoKeys } = section;
      return { ...section, key: renamed(key), ...(alsoKeys === undefined ? {} : { alsoKeys: alsoKeys.map(renamed) }) };
    }),
  }));
}
