import { messageOf } from "../errors.ts";
import type { Evidence, NodeHandle } from "../system.ts";
import { MASTER_NAME } from "./sentinel.ts";

/**
 * How soon each Sentinel, in order, calls the master down once all are ready: staggered, so that one of them leads. It is
 * the same on every backend.
 */
export const SENTINEL_DOWN_AFTER_MS = [500, 700, 900] as const;

type Sentinel = Pick<NodeHandle, "name" | "command">;

/** An instance as a Sentinel describes it: values by the names of fields. */
export type SentinelInstance = ReadonlyMap<string, string>;

/** How a Sentinel sees the master. */
export async function masterSeenBy(sentinel: Sentinel): Promise<SentinelInstance> {
  return instanceOf(await sentinel.command("SENTINEL", "MASTER", MASTER_NAME));
}

/** How it sees the master's replicas. */
export async function replicasSeenBy(sentinel: Sentinel): Promise<readonly SentinelInstance[]> {
  return listOf(await sentinel.command("SENTINEL", "REPLICAS", MASTER_NAME)).map(instanceOf);
}

/** How it sees the other Sentinels. */
export async function peersSeenBy(sentinel: Sentinel): Promise<readonly SentinelInstance[]> {
  return listOf(await sentinel.command("SENTINEL", "SENTINELS", MASTER_NAME)).map(instanceOf);
}

/**
 * Asks one Sentinel after another for a failover, until one begins it. Once one has begun, the next is not asked: two
 * Sentinels would promote one replica each.
 */
export async function requestFailover(sentinels: readonly Sentinel[]): Promise<Evidence> {
  const refusals: string[] = [];
  for (const sentinel of sentinels) {
    try {
      await sentinel.command("SENTINEL", "FAILOVER", MASTER_NAME);
      return { observed: true, detail: `${sentinel.name} began a failover` };
    } catch (error) {
      refusals.push(messageOf(error));
      if (messageOf(error).includes("INPROG")) break;
    }
  }
  if (refusals.length === 0) return { observed: false, refused: true, detail: "there are no Sentinels" };
  const isRefused = refusals.every((refusal) => REFUSALS.test(refusal));
  return { observed: false, refused: isRefused, detail: refusals.join("; ") };
}

/** Error replies with which a Sentinel says that it begins no failover: one is in progress, or it knows no replica to promote. */
const REFUSALS = /INPROG|NOGOODSLAVE/;

/** From a reply of names and values in turn. */
function instanceOf(reply: unknown): SentinelInstance {
  const flat = listOf(reply).map(String);
  return new Map(flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ""] as const] : [])));
}

function listOf(reply: unknown): readonly unknown[] {
  return Array.isArray(reply) ? reply : [];
}
