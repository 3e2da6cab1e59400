import type { Plan } from "../../harness/core/plan.ts";
import { clientOf, tasksBehind } from "../../harness/history/clients.ts";
import type { History } from "../../harness/history/history.ts";

/** What clients and operations are to a run, in words that mean the same in every workload. */
export interface Roles {
  /** The first client to be granted a lock, or another one: which of the others it is says nothing. */
  readonly ofClient: (index: number) => string;
  /** By the index of the invocation: what it does, and whether inside a hold that goes on after it. `-`: no operation. */
  readonly ofOperation: (invocation: number | undefined) => string;
}

/** How much rests on an operation: a hold begins, goes on and ends by it, or is only guarded. A message of none renews. */
const RANKS: Readonly<Record<string, number>> = { release: 0, acquire: 0, extend: 0, write: 1, read: 3 };
const RENEWAL_RANK = 0;

/** How little rests on an operation: 0 for what a hold begins, goes on or ends by, and for what is part of none. */
export function rankOf(f: string | undefined): number {
  return RANKS[f ?? ""] ?? RENEWAL_RANK;
}

/** The roles of clients and operations in a run of a plan. */
export function rolesIn({ clients }: Plan, { header, events }: History): Roles {
  const grant = events.find(({ type, f }) => type === "ok" && f === "acquire");
  const first = typeof grant?.process === "number" ? clientOf(grant.process, header.clients) : undefined;
  const inner = innerOperations(events, tasksBehind(clients));
  return {
    ofClient: (index) => (index === first ? "first" : "other"),
    ofOperation: (invocation) => {
      const f = invocation === undefined ? undefined : events[invocation]?.f;
      return f === undefined ? "-" : inner.has(invocation ?? -1) ? `inner ${f}` : f;
    },
  };
}

/**
 * The invocations of acquires that enter a hold again, and of the releases that only leave what was entered so. Each task of a client
 * enters and leaves holds of its own.
 *
 * @param taskOf the task behind a process number
 */
function innerOperations(events: History["events"], taskOf: (process: number) => number): ReadonlySet<number> {
  const inner = new Set<number>();
  const asked = new Set<number>();
  const entered = new Map<number, number>();
  for (const { process, type, f, value, index } of events) {
    if (typeof process !== "number") continue;
    const task = taskOf(process);
    const entries = entered.get(task) ?? 0;
    if (type === "invoke" && f === "acquire" && value.inner === true) {
      inner.add(index);
      asked.add(task);
    } else if (f === "acquire" && asked.has(task)) {
      // An entry that was refused is not released.
      if (type === "ok") entered.set(task, entries + 1);
      asked.delete(task);
    } else if (type === "invoke" && f === "release" && entries > 0) {
      inner.add(index);
      entered.set(task, entries - 1);
    }
  }
  return inner;
}
