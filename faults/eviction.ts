import { z } from "zod";
import { messageOf } from "../harness/core/errors.ts";
import type { Evidence, NodeHandle } from "../harness/core/system.ts";
import { topologyOf } from "../harness/core/topologies/registry.ts";
import { defineFault } from "./define-fault.ts";
import { injectOnProcesses } from "./process-fault.ts";
import { anyDataNodes, nodesToHit, resolveNodes, targetsSchema } from "./targets.ts";

const paramsSchema = z.strictObject({
  targets: targetsSchema,
  policy: z.enum(["allkeys-lru", "noeviction"]).optional(),
});
type Params = z.infer<typeof paramsSchema>;

const MEMORY = ["maxmemory", "maxmemory-policy"] as const;

/**
 * Nodes run short of memory and may evict any key, locks and fence counters too, as when a cache and a lock share a
 * server (Redis documentation, Key eviction). They evict all keys at once, and then have memory again. With the policy
 * `noeviction` they run just as short of memory and keep their keys.
 */
export const eviction = defineFault({
  kind: "eviction",
  summary: "nodes whose policy allows evicting any key run out of memory and evict keys",
  traits: { duration: "instant", loses: "keys" },
  params: paramsSchema,
  unsupportedReason: ({ kind }) => (topologyOf(kind).server === "redis" ? undefined : "only Redis servers evict keys"),
  arbitrary: (topology) => anyDataNodes(topology).map((targets): Params => ({ targets })),
  choices: (focus) => nodesToHit(focus).map((targets): Params => ({ targets })),
  inject: async (system, { targets, policy = "allkeys-lru" }) =>
    injectOnProcesses(await resolveNodes(system, targets), {
      from: ["running"],
      act: (node) => runShort(node, policy),
    }),
});

/** No effect is observed on a node without keys, or on one that another fault takes down meanwhile. */
async function runShort(node: NodeHandle, policy: NonNullable<Params["policy"]>): Promise<Evidence> {
  try {
    const before = await configuration(node);
    const keys = Number(await node.command("DBSIZE"));
    await node.command("CONFIG", "SET", "maxmemory-policy", policy, "maxmemory", 1);
    const left = Number(await node.command("DBSIZE"));
    await node.command("CONFIG", "SET", ...before);
    const observed = policy === "noeviction" ? left > 0 && left === keys : left < keys;
    return { observed, detail: `${node.name} evicted ${keys - left} of ${keys} keys` };
  } catch (error) {
    return { observed: false, detail: `${node.name} could not be made short of memory: ${messageOf(error)}` };
  }
}

/** The present directives, as names and values. */
async function configuration(node: NodeHandle): Promise<readonly string[]> {
  const pairs: string[] = [];
  for (const name of MEMORY) {
    const reply = await node.command("CONFIG", "GET", name);
    const value = Array.isArray(reply) ? String(reply[1]) : "";
    if (value !== "") pairs.push(name, value);
  }
  return pairs;
}
