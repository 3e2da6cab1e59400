import { HarnessError } from "../../core/errors.ts";
import {
  masterSeenBy,
  peersSeenBy,
  replicasSeenBy,
  SENTINEL_DOWN_AFTER_MS,
} from "../../core/topologies/ask-sentinels.ts";
import type { NodeHandle, TrueClock } from "../../core/system.ts";
import { MASTER_NAME } from "../../core/topologies/sentinel.ts";
import type { Layout } from "./layout.ts";

const POLL_MS = 10;
const READY_MS = 60_000;
/** How long WAIT waits for the replicas. */
const PROBE_MS = 300;

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
    await sentinel.command(
      "SENTINEL",
      "SET",
      MASTER_NAME,
      "down-after-milliseconds",
      SENTINEL_DOWN_AFTER_MS[index] ?? 900,
    );
  }
}

async function agrees(sentinel: NodeHandle, replicas: number, others: number): Promise<boolean> {
  const master = await masterSeenBy(sentinel);
  if (master.get("flags") !== "master" || Number(master.get("num-other-sentinels")) !== others) return false;
  const seen = await replicasSeenBy(sentinel);
  const linked = seen.filter((one) => one.get("flags") === "slave" && one.get("master-link-status") === "ok");
  const peers = await peersSeenBy(sentinel);
  return linked.length === replicas && peers.every((peer) => peer.get("flags") === "sentinel");
}
