import { type ClientPlan, tasksOf } from "../core/plan.ts";
import { clientName } from "../core/topology.ts";
import type { HistoryHeader } from "./history.ts";

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

/** What a history says of how many clients ran, and how many tasks of each worked at a time. */
export type Actors = Pick<HistoryHeader, "clients" | "tasks">;

/**
 * Who acts under a process number, as pictures and sentences name it: `client-1`, or `client-1 (task 2)` where the history says that
 * several tasks of this client worked at a time. Tasks are counted from 0, as in plans.
 */
export function actorOf(process: number, actors: Actors): string {
  const client = clientName(clientOf(process, actors.clients));
  const task = taskOf(process, actors);
  return task === undefined ? client : taskName(client, task);
}

/** Which task of its client a process is, counted from 0; undefined if its client has no more than one, or none is told of. */
export function taskOf(process: number, { clients, tasks = [] }: Actors): number | undefined {
  const count = tasks[clientOf(process, clients)] ?? 1;
  return clients === undefined || count === 1 ? undefined : Math.floor(process / clients) % count;
}

/** The names under which the tasks of a client act: one, its own, if it has no more. */
export function actorsOf(client: string, { clients = 0, tasks = [] }: Actors): readonly string[] {
  const index = Array.from({ length: clients }, (_, each) => clientName(each)).indexOf(client);
  const count = tasks[index] ?? 1;
  return count === 1 ? [client] : Array.from({ length: count }, (_, task) => taskName(client, task));
}

function taskName(client: string, task: number): string {
  return `${client} (task ${task})`;
}
