import { HarnessError, messageOf } from "../../core/errors.ts";
import type { Evidence, NodeHandle, TrueClock } from "../../core/system.ts";
import { MASTER_NAME } from "../../core/topologies/sentinel.ts";
import type { Layout } from "./layout.ts";

const POLL_MS = 10;
const READY_MS = 60_000;
/** How long WAIT waits for the replicas. */
const PROBE_MS = 300;

/**
 * How soon each Sentinel, in order, calls the master down once all are ready: staggered, so that one of them leads. The
 * containers' Sentinels do the same.
 */
const DOWN_AFTER_MS = [500, 700, 900] as const;

/**
 * A Sentinel reconnects at the earliest a second after its last attempt, and until then a dead node looks different to
 * it. In containers, too, no fault comes that early.
 */
const SETTLE_MS = 1100;

/**
 * Starts the Sentinels of a layout, if it has any, and waits until all is ready for clients and faults.
 * @param data the handles of the layout's data nodes
 * @param sentinels the handles of its Sentinels
 * @throws HarnessError when it does not become ready
 */
export async function startSentinels(
  clock: TrueClock,
  layout: Pick<Layout, "data" | "sentinels">,
  data: readonly NodeHandle[],
  sentinels: readonly NodeHandle[],
): Promise<void> {
  if (layout.sentinels.length === 0) return;
  const [master, ...replicas] = layout.data;
  await awaitInSimulation(clock, "the replicas follow their master", () => {
    const attached = master?.server.replication.replicas ?? [];
    return attached.filter(({ state }) => state === "online").length === replicas.length;
  });
  // Only now, because after its first INFO a Sentinel waits ten seconds for the next one.
  for (const sentinel of layout.sentinels) sentinel.start();
  await awaitSentinels(clock, data, sentinels);
}

/**
 * Waits until a condition holds, asking every 10 ms.
 * @throws HarnessError after a minute
 */
async function awaitInSimulation(
  clock: TrueClock,
  what: string,
  holds: () => Promise<boolean> | boolean,
): Promise<void> {
  for (let waitedMs = 0; waitedMs < READY_MS; waitedMs += POLL_MS) {
    if (await holds()) return;
    await clock.sleep(POLL_MS);
  }
  throw new HarnessError(`in the simulation it did not come about that ${what}`);
}

/**
 * Waits until the topology is ready for faults, and then makes the Sentinels judge quickly. Ready means: every Sentinel
 * sees the master, its replicas with a living link and the other Sentinels, none of them down; and a write reaches
 * every replica.
 */
async function awaitSentinels(
  clock: TrueClock,
  data: readonly NodeHandle[],
  sentinels: readonly NodeHandle[],
): Promise<void> {
  await clock.sleep(SETTLE_MS);
  for (const sentinel of sentinels) {
    await awaitInSimulation(clock, `${sentinel.name} sees everybody`, () =>
      agrees(sentinel, data.length - 1, sentinels.length - 1),
    );
  }
  const [master, ...replicas] = data;
  await awaitInSimulation(clock, "a write reaches every replica", async () => {
    await master?.command("SET", "lockstorm:probe", "1");
    return Number(await master?.command("WAIT", replicas.length, PROBE_MS)) === replicas.length;
  });
  await master?.command("DEL", "lockstorm:probe");
  await master?.command("WAIT", replicas.length, 1000);
  for (const [index, sentinel] of sentinels.entries()) {
    await sentinel.command("SENTINEL", "SET", MASTER_NAME, "down-after-milliseconds", DOWN_AFTER_MS[index] ?? 900);
  }
}

async function agrees(sentinel: NodeHandle, replicas: number, others: number): Promise<boolean> {
  const master = fields(await sentinel.command("SENTINEL", "MASTER", MASTER_NAME));
  if (master.get("flags") !== "master" || Number(master.get("num-other-sentinels")) !== others) return false;
  const seen = listOf(await sentinel.command("SENTINEL", "REPLICAS", MASTER_NAME)).map(fields);
  const linked = seen.filter((one) => one.get("flags") === "slave" && one.get("master-link-status") === "ok");
  const peers = listOf(await sentinel.command("SENTINEL", "SENTINELS", MASTER_NAME)).map(fields);
  return linked.length === replicas && peers.every((peer) => peer.get("flags") === "sentinel");
}

/**
 * Asks one Sentinel after another for a failover, until one begins it. Once one has begun, the next is not asked: two
 * Sentinels would promote one replica each.
 */
export async function requestFailover(sentinels: readonly NodeHandle[]): Promise<Evidence> {
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
  return { observed: false, detail: refusals.length === 0 ? "there are no Sentinels" : refusals.join("; ") };
}

function fields(reply: unknown): ReadonlyMap<string, string> {
  const flat = listOf(reply).map(String);
  return new Map(flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ""] as const] : [])));
}

function listOf(reply: unknown): readonly unknown[] {
  return Array.isArray(reply) ? reply : [];
}
