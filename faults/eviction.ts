import { z } from "zod";
import { messageOf } from "../harness/core/errors.ts";
import type { Evidence, NodeHandle } from "../harness/core/system.ts";
import { serverOf } from "../harness/core/topology.ts";
import { defineFault } from "./define-fault.ts";
import { injectOnProcesses } from "./process-fault.ts";
import { anyDataNodes, resolveNodes, targetsSchema } from "./targets.ts";

const paramsSchema = z.strictObject({
  targets: targetsSchema,
  policy: z.enum(["allkeys-lru", "noeviction"]).optional(),
});
type Params = z.infer<typeof paramsSchema>;

const MEMORY = ["maxmemory", "maxmemory-policy"] as const;

/**
 * Nodes are short of memory and may evict any key, locks and fence counters too: a cache and a lock that share a server
 * (Redis documentation, Key eviction). All keys go at once, and then there is memory again. With the policy `noeviction` they
 * are just as short of memory and keep what they have.
 */
export const eviction = defineFault({
  kind: "eviction",
  summary: "nodes that may evict any key run out of memory, and evict what they hold",
  params: paramsSchema,
  lack: ({ kind }) => (serverOf(kind) === "redis" ? undefined : "only Redis servers evict what they hold"),
  arbitrary: (topology) => anyDataNodes(topology).map((targets): Params => ({ targets })),
  inject: async (system, { targets, policy = "allkeys-lru" }) =>
    injectOnProcesses(await resolveNodes(system, targets), {
      from: ["running"],
      act: (node) => runShort(node, policy),
    }),
});

/** A node that holds nothing has nothing to lose, and another fault may take it down meanwhile: neither was observed. */
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

/** What the directives are now, as names and values. */
async function configuration(node: NodeHandle): Promise<readonly string[]> {
  const pairs: string[] = [];
  for (const name of MEMORY) {
    const reply = await node.command("CONFIG", "GET", name);
    const value = Array.isArray(reply) ? String(reply[1]) : "";
    if (value !== "") pairs.push(name, value);
  }
  return pairs;
}
