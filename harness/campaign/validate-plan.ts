import { faults } from "../../faults/registry.ts";
import { targetNames } from "../../faults/targets.ts";
import { loadDriver } from "../client/load-driver.ts";
import { supportsOf } from "../client/supports-of.ts";
import { lockFacts } from "../client/lock-facts.ts";
import { UserError } from "../core/errors.ts";
import { type Plan, tasksOf } from "../core/plan.ts";
import { lacking } from "../core/sharing.ts";
import { refuseImpossibleMessages } from "../core/messages/refuse-messages.ts";
import { type MessageMoment, PROXY_MOMENTS } from "../core/trigger.ts";
import { TOPOLOGIES, topologySchema } from "../core/topology.ts";
import { readyFaults } from "../run/nemesis.ts";

/**
 * Refuses a plan that would only fail later, in the middle of a run in real time.
 * @param moments at which a message can be met there
 * @throws UserError when its lock cannot be loaded or does not run on its topology, when a fault cannot be read, has a
 * target that does not exist, or cannot happen to its target, or when a trigger waits for a message that cannot come
 */
export async function validatePlan(plan: Plan, moments: readonly MessageMoment[] = PROXY_MOMENTS): Promise<void> {
  readyFaults(plan.faults, faults);
  refuseUnknownTargets(plan);
  refuseImpossible(plan);
  refuseImpossibleMessages(plan, moments);
  await loadDriver(plan.lock);
  await refuseUnsupported(plan);
  refuseMixedSharing(plan);
  const entry = lockFacts(plan.lock);
  if (entry !== undefined && !entry.topologies.includes(plan.topology.kind)) {
    throw new UserError(
      `the lock ${plan.lock} does not run on the topology ${plan.topology.kind}`,
      `choose a lock that does, or the topology ${entry.topologies.join(" or ")}`,
    );
  }
}

/** A lock that ignores what it does not know would be accused of what it never promised. */
async function refuseUnsupported({ lock, clients }: Plan): Promise<void> {
  const sections = clients.flatMap(({ sections }) => sections);
  const hasTasks = clients.some((client) => tasksOf(client).length > 1);
  if (!hasTasks && sections.every((section) => lacking({}, section) === undefined)) return;
  const supports = await supportsOf(lock);
  if (hasTasks && supports.concurrent !== true)
    throw new UserError(
      `the plan gives a client several tasks at a time, and the lock ${lock} does not support it`,
      "take `task` out of the plan, or state supports: { concurrent: true } in the driver or the worker",
    );
  for (const section of sections) {
    const lacks = lacking(supports, section);
    if (lacks === undefined) continue;
    const what = { permits: "`limit` or `permits`", modes: "a `mode`", severalKeys: "`alsoKeys`" }[lacks];
    throw new UserError(
      `the plan asks for ${what}, and the lock ${lock} does not support it`,
      `take it out of the plan, or state supports: { ${lacks}: true } in the driver or the worker`,
    );
  }
}

/** A key is a mutex, a semaphore of one limit, or a read-write lock. */
function refuseMixedSharing({ clients }: Plan): void {
  const uses = new Map<string, string>();
  for (const { key, limit, mode } of clients.flatMap(({ sections }) => sections)) {
    const use =
      mode !== undefined ? "with modes" : limit === undefined ? "with neither limit nor mode" : `with limit ${limit}`;
    const known = uses.get(key) ?? use;
    uses.set(key, known);
    if (known === use) continue;
    throw new UserError(
      `the plan acquires ${key} ${known} and ${use}`,
      "acquire a key with one limit, or always with a mode, or always without both",
    );
  }
}

function refuseImpossible({ topology, faults: steps }: Plan): void {
  for (const { kind, params } of steps) {
    const fault = faults.find((each) => each.kind === kind);
    const reason = fault?.unsupportedReason?.(topology, params);
    if (reason === undefined) continue;
    const elsewhere = TOPOLOGIES.filter(
      (other) => fault?.unsupportedReason?.(topologySchema.parse({ ...topology, kind: other }), params) === undefined,
    );
    const hint = elsewhere.length === 0 ? "" : `, or choose a topology that has it: ${elsewhere.join(", ")}`;
    throw new UserError(
      `the fault ${kind} cannot happen on ${topology.kind}: ${reason}`,
      `take it out of the plan${hint}`,
    );
  }
}

function refuseUnknownTargets({ topology, clients, faults: steps }: Plan): void {
  const known = targetNames(topology, clients.length);
  for (const { kind, params } of steps) {
    const targets: unknown[] = [params["targets"], params["between"]].flat(3);
    const unknown = targets.filter((target) => typeof target === "string").find((target) => !known.includes(target));
    if (unknown === undefined) continue;
    throw new UserError(
      `the fault ${kind} cannot hit "${unknown}": the plan has none`,
      `name one of ${known.join(", ")}`,
    );
  }
}
