import { Redis } from "ioredis";
import {
  masterSeenBy,
  peersSeenBy,
  replicasSeenBy,
  SENTINEL_DOWN_AFTER_MS,
  type SentinelInstance,
} from "../../core/topologies/ask-sentinels.ts";
import { MASTER_NAME } from "../../core/topologies/sentinel.ts";
import type { Address } from "../../core/lock-driver.ts";
import { awaitCondition } from "../engine/await-condition.ts";
import type { ContainerNode } from "../nodes/container-node.ts";
import { MASTER_SETTINGS, REDIS_PORT } from "./redis-configuration.ts";

const READY_DEADLINE_MS = 30_000;
/** How often a Sentinel tells the others that it is there. */
const PUBLISH_PERIOD_MS = { usual: 2_000, hurried: 50 };

/**
 * Waits until the topology is ready for faults, and then makes the Sentinels judge quickly. Ready means: every Sentinel
 * has heard from the master, two replicas with a living link and two other Sentinels, none of them down; and a write
 * reaches both replicas. Without that write, double grants appear that no fault caused. A Sentinel calls an instance
 * down as soon as it judges quickly if it has not heard from it since its start, because it tried to connect before the
 * instance listened.
 * @param downAfterMs how soon each Sentinel, in order, calls a silent server down from then on
 */
export async function awaitSentinels(
  data: readonly ContainerNode[],
  sentinels: readonly ContainerNode[],
  downAfterMs: readonly number[] = SENTINEL_DOWN_AFTER_MS,
): Promise<void> {
  await Promise.all(sentinels.map((sentinel) => awaitAgreement(sentinel, data.length - 1, sentinels.length - 1)));
  await awaitReplication(data);
  await Promise.all(
    sentinels.map(async (sentinel, index) => {
      await sentinel.command("SENTINEL", "DEBUG", "PUBLISH-PERIOD", PUBLISH_PERIOD_MS.usual);
      await sentinel.command("SENTINEL", "SET", MASTER_NAME, "down-after-milliseconds", downAfterMs[index] ?? 900);
    }),
  );
}

/**
 * Makes Sentinels that have forgotten their master monitor it again, as their configuration file had them do. They find
 * replicas in the master's INFO, and each other by what they publish, which they do often until `awaitSentinels`.
 */
export async function monitorAgain(data: readonly ContainerNode[], sentinels: readonly ContainerNode[]): Promise<void> {
  // A replica whose link is not up yet would be looked at again only a second later.
  await awaitReplication(data);
  const [master] = data;
  await Promise.all(
    sentinels.map(async (sentinel) => {
      await sentinel.command("SENTINEL", "DEBUG", "PUBLISH-PERIOD", PUBLISH_PERIOD_MS.hurried);
      const quorum = Math.floor(sentinels.length / 2) + 1;
      await sentinel.command("SENTINEL", "MONITOR", MASTER_NAME, master?.networkAddress ?? "", REDIS_PORT, quorum);
      for (const [setting, value] of Object.entries(MASTER_SETTINGS))
        await sentinel.command("SENTINEL", "SET", MASTER_NAME, setting, value);
    }),
  );
}

/** Waits until a write on the master reaches every replica. */
async function awaitReplication([master, ...replicas]: readonly ContainerNode[]): Promise<void> {
  await awaitCondition("a write reaches every replica", READY_DEADLINE_MS, async (saw) => {
    await master?.command("SET", "lockstorm:probe", "1");
    const reached = Number(await master?.command("WAIT", replicas.length, 300));
    saw(`WAIT answered ${reached}`);
    return reached === replicas.length ? true : undefined;
  });
  await master?.command("DEL", "lockstorm:probe");
  await master?.command("WAIT", replicas.length, 1_000);
}

function awaitAgreement(sentinel: ContainerNode, replicas: number, others: number): Promise<true> {
  return awaitCondition(`${sentinel.name} sees everybody`, READY_DEADLINE_MS, async (saw) => {
    const master = await masterSeenBy(sentinel);
    const seen = await replicasSeenBy(sentinel);
    const linked = seen.filter(
      (replica) => hasAnswered(replica, "slave") && replica.get("master-link-status") === "ok",
    );
    const peers = await peersSeenBy(sentinel);
    const heard = peers.filter((peer) => hasAnswered(peer, "sentinel"));
    saw(`flags ${master.get("flags")}, ${linked.length} replicas, ${heard.length} other Sentinels`);
    const agreed = hasAnswered(master, "master") && linked.length === replicas && heard.length === others;
    return agreed ? true : undefined;
  });
}

/** Whether a Sentinel sees an instance as up, with no ping waiting for its reply. */
function hasAnswered(instance: SentinelInstance, flags: string): boolean {
  return instance.get("flags") === flags && instance.get("last-ping-sent") === "0";
}

/** The announcements of the Sentinels. */
export interface Promotion {
  readonly sentinel: string;
  readonly from: string;
  readonly to: string;
}

/** Published by the leading Sentinel, at the moment from which it names the new master to clients. */
const PROMOTED = "+promoted-slave";
/** Published by every Sentinel, when it sees the failover as over. */
const SWITCHED = "+switch-master";

const CONNECT_TIMEOUT_MS = 300;
const BETWEEN_TRIES_MS = 50;

/**
 * Listens to all Sentinels for a new master, and reports each new one once. A Sentinel that was cut off announces late
 * what the others know: a change to a master that is already replaced is not reported.
 */
export class PromotionWatch implements AsyncDisposable {
  readonly #subscriptions: Redis[];
  readonly #replaced = new Set<string>();
  #master: string;

  private constructor(subscriptions: Redis[], master: string) {
    this.#subscriptions = subscriptions;
    this.#master = master;
  }

  /**
   * Subscribes; resolves when every Sentinel has confirmed it.
   * @param master network address of the present master
   */
  static async start(
    sentinels: readonly { readonly name: string; readonly address: Address }[],
    master: string,
    listener: (promotion: Promotion) => void,
  ): Promise<PromotionWatch> {
    const subscriptions = sentinels.map(
      ({ address }) =>
        new Redis({
          ...address,
          protocol: 2,
          enableReadyCheck: false,
          connectTimeout: CONNECT_TIMEOUT_MS,
          retryStrategy: () => BETWEEN_TRIES_MS,
        }),
    );
    const watch = new PromotionWatch(subscriptions, master);
    await Promise.all(
      subscriptions.map(async (redis, index) => {
        // A Sentinel that a fault stops may not come back; the others report for it.
        redis.on("error", () => {});
        redis.on("message", (channel: string, message: string) => {
          const promotion = channel === PROMOTED ? parsePromoted(message) : parseSwitch(message);
          if (promotion === undefined || !watch.#isNews(promotion)) return;
          watch.#replaced.add(watch.#master);
          watch.#replaced.delete(promotion.to);
          watch.#master = promotion.to;
          listener({ sentinel: sentinels[index]?.name ?? "a Sentinel", ...promotion });
        });
        await redis.subscribe(PROMOTED, SWITCHED);
      }),
    );
    return watch;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const redis of this.#subscriptions) redis.disconnect();
  }

  #isNews({ from, to }: { readonly from: string; readonly to: string }): boolean {
    return to !== this.#master && (from === this.#master || !this.#replaced.has(to));
  }
}

/** Addresses from `<master name> <old address> <old port> <new address> <new port>`. */
export function parseSwitch(message: string): { readonly from: string; readonly to: string } | undefined {
  const [, from, , to] = message.split(" ");
  return from === undefined || to === undefined ? undefined : { from, to };
}

/** Addresses from `slave <name> <address> <port> @ <master name> <address> <port>`, of the replica and its old master. */
export function parsePromoted(message: string): { readonly from: string; readonly to: string } | undefined {
  const [, , to, , , , from] = message.split(" ");
  return from === undefined || to === undefined ? undefined : { from, to };
}

/** `10.0.0.1:6379`, as Sentinels announce it and as ioredis' `natMap` looks it up. */
export function announced(address: string, port: number = REDIS_PORT): string {
  return `${address}:${port}`;
}
