import { configurationOf, loadMasters } from "./configuration.ts";
import type { SentinelEnvironment } from "./environment.ts";
import { announce } from "./events.ts";
import { handleInstances } from "./handle-instances.ts";
import type { Instance, MasterInstance } from "./instance.ts";
import type { SentinelOptions } from "./sentinel-options.ts";
import { checkTilt } from "./monitoring/tilt.ts";
import { DEFAULT_TIMING, type Timing } from "./timing.ts";

const BASE_FREQUENCY_HZ = 10;

/**
 * The state of one Sentinel process. It does nothing by itself: its owner calls `tick` when the timer is due, runs
 * commands of clients, and gives it the transports it asks for. All times are those of its wall clock.
 */
export class Sentinel {
  readonly id: string;
  readonly environment: SentinelEnvironment;
  readonly masters: Map<string, MasterInstance>;
  readonly timing: Timing = { ...DEFAULT_TIMING };
  readonly port: number;
  currentEpoch: number;
  /** It does not trust its clock, and only watches. */
  isTilting = false;
  tiltSinceMs = 0;
  /** When the timer last ran. */
  tickedAtMs: number;
  /** The failures requested by `SENTINEL SIMULATE-FAILURE`. */
  crashAfter: ReadonlySet<"election" | "promotion"> = new Set();
  readonly #options: SentinelOptions;

  constructor(options: SentinelOptions, environment: SentinelEnvironment) {
    this.#options = options;
    this.id = options.id;
    this.port = options.port ?? 26_379;
    this.environment = environment;
    this.tickedAtMs = environment.nowMs();
    this.masters = loadMasters(options, { nowMs: environment.nowMs(), timing: this.timing });
    this.currentEpoch = Math.max(
      options.currentEpoch ?? 0,
      ...[...this.masters.values()].map((master) => master.configEpoch),
    );
    for (const master of this.masters.values()) announce(this, "+monitor", master, ` quorum ${master.quorum}`);
  }

  get nowMs(): number {
    return this.environment.nowMs();
  }

  /** Every instance: each master, then its replicas, then its other Sentinels. */
  *instances(): Iterable<Instance> {
    for (const master of this.masters.values()) {
      yield master;
      yield* master.replicas.values();
      yield* master.sentinels.values();
    }
  }

  /** Writes to disk what it must still know after a restart. */
  save(): void {
    this.environment.save(configurationOf(this, this.#options));
  }

  /**
   * Runs the timer. Returns the milliseconds until it is due again: sometimes less than 100 ms, so that Sentinels do
   * not keep asking for votes at the same time.
   */
  tick(): number {
    checkTilt(this);
    handleInstances(this);
    return Math.floor(1000 / (BASE_FREQUENCY_HZ + this.environment.randomBelow(BASE_FREQUENCY_HZ)));
  }
}
