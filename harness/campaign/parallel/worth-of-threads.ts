/** How often it is looked at how fast plans go, in milliseconds of processor time. */
const LOOK_EVERY_MS = 400;

/**
 * What another thread costs, as a multiple of what this process had computed when its first plan began: it loads the same
 * code, and runs it slowly until the engine has compiled it. Measured over hunts of 100 and of 1,000 runs.
 */
const COST_OF_START = 2;

/** The plans of a campaign that have begun, and the processor time that the process had taken when they did. */
export interface PlansBegun {
  readonly begun: number;
  readonly cpuMs: number;
}

/**
 * How much processor time the plans take that are left. Only the pace of the latest ones counts: the first ones take several
 * times as long, since the engine runs code slowly that it has seldom run.
 */
export class Pace {
  #startMs: number | undefined;
  #from: PlansBegun | undefined;
  #msPerPlan: number | undefined;

  /** Notes that another plan begins. */
  note(now: PlansBegun): void {
    this.#startMs ??= now.cpuMs;
    this.#from ??= now;
    const ms = now.cpuMs - this.#from.cpuMs;
    if (ms < LOOK_EVERY_MS || now.begun === this.#from.begun) return;
    this.#msPerPlan = ms / (now.begun - this.#from.begun);
    this.#from = now;
  }

  /**
   * Whether this many plans more end so much earlier with so many threads that they save twice the time that their start takes: the
   * pace gets better yet, so that less is saved than it seems. False while too few plans were seen.
   */
  isWorth(threads: number, plans: number): boolean {
    if (this.#startMs === undefined || this.#msPerPlan === undefined) return false;
    const startMs = COST_OF_START * this.#startMs;
    const savedMs = plans * this.#msPerPlan * (1 - 1 / threads) - startMs;
    return savedMs >= 2 * startMs;
  }
}
