import { type EventScript, unexplained } from "./event-script.ts";
import type { Scenario } from "./scenarios.ts";
import { runSimulatedScenario } from "./simulated-run.ts";

const SEEDS_AT_A_TIME = 40;
const MOST_SEEDS = 400;
/** How likely processes stall, in percent, by the seed: half of the runs are of an idle machine. */
const STALLS = [0, 1, 0, 3];

/** The scripts of simulated runs of a scenario, on idle and on busy machines. */
export class KnownScripts {
  readonly #scenario: Scenario;
  readonly #scripts: EventScript[] = [];
  #seeds = 0;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
  }

  /** The differences between a script and those of up to 1,000 runs, no more than it takes until there is none. */
  async unexplained(script: EventScript): Promise<readonly string[]> {
    for (;;) {
      const differences = unexplained(script, this.#scripts);
      if (this.#seeds > 0 && (differences.length === 0 || this.#seeds >= MOST_SEEDS)) return differences;
      for (const end = this.#seeds + SEEDS_AT_A_TIME; this.#seeds < end; this.#seeds += 1) {
        const stalls = STALLS[this.#seeds % STALLS.length] ?? 0;
        this.#scripts.push(...(await runSimulatedScenario(this.#scenario, this.#seeds, stalls)).values());
      }
    }
  }
}
