import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { topologySchema } from "../../../../core/topology.ts";
import type { ContainerNode } from "../../../../containers/container-node.ts";
import { ContainerStage } from "../../../../containers/container-stage.ts";
import { sentinelId } from "../../../../containers/redis-configuration.ts";
import { RunHome } from "../../../../containers/run-home.ts";
import { eventScripts, type EventScript, type PublishedEvent } from "./event-script.ts";
import type { Scenario, Stage } from "./scenarios.ts";

/** Plays a scenario with real Sentinels in containers. Returns what each has published. */
export async function playReal(scenario: Scenario): Promise<ReadonlyMap<string, EventScript>> {
  await using home = await RunHome.open();
  await using stage = await ContainerStage.start(home, topologySchema.parse({ kind: "sentinel" }));
  await stage.settle();
  const sentinels = stage.nodes.filter(({ role }) => role === "sentinel");
  const data = stage.nodes.filter(({ role }) => role === "data");
  const [master] = data;
  if (master === undefined) throw new Error("there is no master");
  const events: PublishedEvent[] = [];
  await using subscriptions = new AsyncDisposableStack();
  for (const sentinel of sentinels) {
    subscriptions.adopt(await subscribe(stage, sentinel, events), async (redis) => redis.disconnect());
  }
  await scenario.play(controls(master, sentinels));
  return eventScripts(events, {
    master: master.networkAddress,
    nodes: data.map(({ networkAddress }) => networkAddress),
    ids: new Map(sentinels.map(({ name }) => [name, sentinelId(name)])),
    sentinels: new Map(sentinels.map(({ name, networkAddress }) => [name, networkAddress])),
  });
}

function controls(master: ContainerNode, sentinels: readonly ContainerNode[]): Stage {
  return {
    pass: (ms) => sleep(ms),
    sentinel: async (index, ...argv) => sentinels[index]?.command(...argv),
    jumpSentinelClocks: (ms) => Promise.all(sentinels.map((sentinel) => sentinel.jumpClock(ms))),
    killMaster: () => master.kill(),
    startMaster: () => master.start({ keepData: true }),
    pauseMaster: () => master.pause(),
    resumeMaster: () => master.resume(),
  };
}

async function subscribe(stage: ContainerStage, sentinel: ContainerNode, events: PublishedEvent[]): Promise<Redis> {
  const redis = new Redis({ ...stage.address(sentinel.name), protocol: 2, enableReadyCheck: false });
  redis.on("error", () => {});
  redis.on("pmessage", (_pattern: string, channel: string, message: string) => {
    events.push({ sentinel: sentinel.name, channel, message });
  });
  await redis.psubscribe("*");
  return redis;
}
