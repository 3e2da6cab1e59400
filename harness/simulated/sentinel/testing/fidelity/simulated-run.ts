import { sentinelId } from "../../sentinel-options.ts";
import { RedisWorld } from "../redis-world.ts";
import { eventScripts, type EventScript } from "./event-script.ts";
import type { Scenario, ScenarioControls } from "./scenarios.ts";

/** Runs a scenario with simulated Sentinels. Returns what each of them published. */
export async function runSimulatedScenario(
  scenario: Scenario,
  seed: number,
): Promise<ReadonlyMap<string, EventScript>> {
  const world = new RedisWorld({ seed });
  await world.ready();
  await world.advance((seed * 137) % 2000);
  world.events.length = 0;
  const { host } = world.node(0);
  const controls: ScenarioControls = {
    advance: (ms) => world.advance(ms),
    sentinel: async (index, ...argv) => world.sentinel(index).command(...argv),
    jumpSentinelClocks: async (ms) => {
      for (const sentinel of world.sentinels) sentinel.host.clock.jump(ms * 1000);
      await world.advance(100);
    },
    killMaster: async () => host.kill(),
    startMaster: async () => world.node(0).start(),
    pauseMaster: async () => host.pause(),
    resumeMaster: async () => host.resume(),
  };
  await scenario.run(controls);
  const sentinels = world.sentinels.map((sentinel) => sentinel.host);
  return eventScripts(world.events, {
    master: world.addressOf(host),
    nodes: world.nodes.map((node) => world.addressOf(node.host)),
    ids: new Map(sentinels.map(({ name }) => [name, sentinelId(name)])),
    sentinels: new Map(sentinels.map((each) => [each.name, world.addressOf(each)])),
  });
}
