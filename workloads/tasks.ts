import fc, { type Arbitrary } from "fast-check";
import type { PlanInput } from "../harness/core/plan.ts";
import type { Supports } from "../harness/core/sharing.ts";

type ClientInput = PlanInput["clients"][number];

/** The most tasks of a drawn client: more need more sections than it has. */
const MOST_TASKS = 3;

/**
 * Whether clients of the lock are given several tasks at a time. Not where waiters are served in turn: of two acquires of one
 * client, nobody knows which one stands in the queue.
 */
export function hasTasks(supports: Supports | undefined): boolean {
  return supports?.concurrent === true && supports.fair !== true;
}

/** Gives the sections of each client to its tasks, in turn. */
export function tasks(clients: number): Arbitrary<(clients: readonly ClientInput[]) => readonly ClientInput[]> {
  return fc
    .array(fc.integer({ min: 1, max: MOST_TASKS }), { minLength: clients, maxLength: clients })
    .map((counts) => (drawn) => drawn.map((client, index) => ({ sections: inTasks(client, counts[index] ?? 1) })));
}

/** A section of task 0 does not state it: what is left of one task is a plan as without tasks. */
function inTasks({ sections }: ClientInput, count: number): ClientInput["sections"] {
  return sections.map((section, place) => (place % count === 0 ? section : { ...section, task: place % count }));
}
