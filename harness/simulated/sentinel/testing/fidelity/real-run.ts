import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { topologySchema } from "../../../../core/topology.ts";
import type { ContainerNode } from "../../../../containers/nodes/container-node.ts";
import { ContainerServers } from "../../../../containers/container-servers.ts";
import { sentinelId } from "../../../../containers/servers/redis-configuration.ts";
import { RunScope } from "../../../../containers/cleanup/run-scope.ts";
import { awaitSentinels } from "../../../../containers/servers/sentinels.ts";
import { eventScripts, type EventScript, type PublishedEvent, type Roles } from "./event-script.ts";
import { scriptsReached } from "./scripts-reached.ts";
import type { Scenario, ScenarioControls } from "./scenarios.ts";

const BETWEEN_LOOKS_MS = 50;

/** Runs a scenario with real Sentinels in containers. Returns what each of them published. */
export async function runRealScenario(scenario: Scenario): Promise<ReadonlyMap<string, EventScript>> {
  await using scope = await RunScope.open();
  await using servers = await ContainerServers.start(scope, topologySchema.parse({ kind: "sentinel" }));
  const sentinels = servers.nodes.filter(({ role }) => role === "sentinel");
  const data = servers.nodes.filter(({ role }) => role === "data");
  await awaitSentinels(data, sentinels, scenario.downAfterMs);
  const [master] = data;
  if (master === undefined) throw new Error("there is no master");
  const events: PublishedEvent[] = [];
  await using subscriptions = new AsyncDisposableStack();
  for (const sentinel of sentinels) {
    subscriptions.adopt(await subscribe(servers, sentinel, events), async (redis) => redis.disconnect());
  }
  const roles: Roles = {
    master: master.networkAddress,
    nodes: data.map(({ networkAddress }) => networkAddress),
    ids: new Map(sentinels.map(({ name }) => [name, sentinelId(name)])),
    sentinels: new Map(sentinels.map(({ name, networkAddress }) => [name, networkAddress])),
  };
  const scripts = (): ReadonlyMap<string, EventScript> => eventScripts(events, roles, scenario);
  await scenario.run(controls(master, sentinels, scripts));
  return scripts();
}

function controls(
  master: ContainerNode,
  sentinels: readonly ContainerNode[],
  scripts: () => ReadonlyMap<string, EventScript>,
): ScenarioControls {
  return {
    advance: (ms) => sleep(ms),
    until: (reached) =>
      scriptsReached(reached, {
        scripts: () => [...scripts().values()],
        nowMs: () => performance.now(),
        pause: () => sleep(BETWEEN_LOOKS_MS),
      }),
    sentinel: async (index, ...argv) => sentinels[index]?.command(...argv),
    jumpSentinelClocks: (ms) => Promise.all(sentinels.map((sentinel) => sentinel.jumpClock(ms))),
    killMaster: () => master.kill(),
    pauseMaster: () => master.pause(),
    resumeMaster: () => master.resume(),
  };
}

async function subscribe(servers: ContainerServers, sentinel: ContainerNode, events: PublishedEvent[]): Promise<Redis> {
  const redis = new Redis({ ...servers.address(sentinel.name), protocol: 2, enableReadyCheck: false });
  redis.on("error", () => {});
  redis.on("pmessage", (_pattern: string, channel: string, message: string) => {
    events.push({ sentinel: sentinel.name, channel, message });
  });
  await redis.psubscribe("*");
  return redis;
}
