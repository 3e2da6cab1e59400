import { randomStream, type Random } from "../../../../core/random.ts";
import type { Host } from "../../../kernel/host.ts";
import { sentinelId } from "../../sentinel-options.ts";
import { RedisWorld } from "../redis-world.ts";
import { eventScripts, type EventScript, type Roles } from "./event-script.ts";
import { scriptsReached } from "./scripts-reached.ts";
import type { Scenario, ScenarioControls } from "./scenarios.ts";

/** How a busy machine is simulated: how often it is looked at who runs, and for how long who does not. */
const SLICE_MS = 50;
const STALL_MS = { atLeast: 50, sentinel: 1800, node: 3000 };

/**
 * Runs a scenario with simulated Sentinels. Returns what each of them published.
 * @param stalls how likely a Sentinel or replica that runs stops running in the next 50 ms, in percent
 */
export async function runSimulatedScenario(
  scenario: Scenario,
  seed: number,
  stalls = 0,
): Promise<ReadonlyMap<string, EventScript>> {
  const world = new RedisWorld({ seed });
  await world.ready(scenario.downAfterMs);
  await world.advance((seed * 137) % 2000);
  world.events.length = 0;
  const { host } = world.node(0);
  const sentinels = world.sentinels.map((sentinel) => sentinel.host);
  const roles: Roles = {
    master: world.addressOf(host),
    nodes: world.nodes.map((node) => world.addressOf(node.host)),
    ids: new Map(sentinels.map(({ name }) => [name, sentinelId(name)])),
    sentinels: new Map(sentinels.map((each) => [each.name, world.addressOf(each)])),
  };
  let scripts = eventScripts([], roles, scenario);
  let seen = 0;
  const scriptsNow = (): ReadonlyMap<string, EventScript> => {
    if (seen < world.events.length) scripts = eventScripts(world.events, roles, scenario);
    seen = world.events.length;
    return scripts;
  };
  const machine = new BusyMachine(world, seed, stalls);
  const controls: ScenarioControls = {
    advance: (ms) => machine.advance(ms),
    until: (reached) =>
      scriptsReached(reached, {
        scripts: () => [...scriptsNow().values()],
        nowMs: () => machine.nowMs,
        pause: () => machine.advance(SLICE_MS),
      }),
    sentinel: async (index, ...argv) => world.sentinel(index).command(...argv),
    jumpSentinelClocks: async (ms) => {
      for (const sentinel of world.sentinels) sentinel.host.clock.jump(ms * 1000);
      await world.advance(100);
    },
    killMaster: async () => host.kill(),
    pauseMaster: async () => host.pause(),
    resumeMaster: async () => host.resume(),
  };
  await scenario.run(controls);
  return scriptsNow();
}

/** Lets the processes of a world stop running now and then, all but the first master, whom the scenario stops. */
class BusyMachine {
  readonly #world: RedisWorld;
  readonly #percent: number;
  readonly #random: Random;
  /** Processes, and for how long each may stop. */
  readonly #processes: readonly (readonly [Host, number])[];
  /** When stopped processes run again. */
  readonly #stopped = new Map<Host, number>();
  /** Its own time: the world's stands still when nobody runs. */
  #nowMs = 0;

  constructor(world: RedisWorld, seed: number, percent: number) {
    this.#world = world;
    this.#percent = percent;
    this.#random = randomStream(seed, "stalls");
    this.#processes = [
      ...world.nodes.slice(1).map(({ host }) => [host, STALL_MS.node] as const),
      ...world.sentinels.map(({ host }) => [host, STALL_MS.sentinel] as const),
    ];
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  async advance(ms: number): Promise<void> {
    for (let leftMs = ms; leftMs > 0; leftMs -= SLICE_MS) {
      this.#schedule();
      const sliceMs = Math.min(leftMs, SLICE_MS);
      await this.#world.advance(sliceMs);
      this.#nowMs += sliceMs;
    }
  }

  #schedule(): void {
    for (const [host, longestMs] of this.#processes) {
      const untilMs = this.#stopped.get(host);
      if (untilMs === undefined && this.#random.integer(1, 100) <= this.#percent) {
        this.#stopped.set(host, this.#nowMs + this.#random.integer(STALL_MS.atLeast, longestMs));
        host.pause();
      } else if (untilMs !== undefined && untilMs <= this.#nowMs) {
        this.#stopped.delete(host);
        host.resume();
      }
    }
  }
}
