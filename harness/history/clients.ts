import { type ClientPlan, tasksOf } from "../core/plan.ts";

/**
 * The client behind a process: after `info` a client continues as `process + clients`, as in Jepsen. If the history
 * does not say how many clients ran, each process counts as a separate client.
 */
export function clientOf(process: number, clients: number | undefined): number {
  return clients === undefined ? process : process % clients;
}

/**
 * The task behind each process number in a run of these clients: the first number under which it acts. A client's only task acts
 * first under the number of the client; after `info`, a task goes on under a number that no other task of its client uses.
 */
export function tasksBehind(clients: readonly ClientPlan[]): (process: number) => number {
  const counts = clients.map((client) => tasksOf(client).length);
  return (process) => process % (clients.length * (counts[process % clients.length] ?? 1));
}
