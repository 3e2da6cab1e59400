import type { RecurrenceCount } from "../../core/recurrence.ts";
import type { Plan } from "../../core/plan.ts";
import type { Delays } from "./delays.ts";
import { withoutIdleClients } from "../../../workloads/deviations/smaller-plans.ts";
import type { RunRecord } from "../../../reports/run/run-record.ts";
import type { Judged } from "../run-campaign.ts";
import { hasVisibleOverlap, isAsPlain } from "../visible-overlap.ts";
import { countRecurrences } from "./count-recurrences.ts";
import { failingWorkloads } from "./failing-workloads.ts";
import { heldPlans } from "./held.ts";
import { isObservable, observablePlans } from "./observable.ts";
import { pinnedPlans } from "./pinned.ts";
import { isSameViolation, saysAsMuch } from "./same-violation.ts";
import { separatedPlans } from "./separated.ts";
import { stretchedPlans } from "./stretched.ts";
import { OTHER_SEEDS, VARIATIONS, atSpeedOfRealServers, withOtherSeeds } from "./variations.ts";

/** How many runs the search for a plan that lasts may take, after those that count how long the first one lasts. */
const LASTING_RUNS = 800;

/** A run as this search takes it. */
export type LastingRun = Judged & { readonly record: RunRecord };

export interface LastingOptions<Run extends LastingRun> {
  /** Runs a plan in simulation and judges it. */
  readonly execute: (plan: Plan, delays?: Delays) => Promise<Run>;
  /** How many runs the search may take. Default: 800; 0 counts only. */
  readonly runs?: number | undefined;
  /** Called before each run. */
  readonly onRun?: (() => void) | undefined;
  /** Asked before each run: true ends the search early; the result is then based on the runs so far. */
  readonly isOver?: (() => boolean) | undefined;
}

/** The counterexample that lasts longest of those that were tried. */
export interface Lasting<Run> {
  readonly run: Run;
  /** Absent when the search ended before all other seeds were tried. */
  readonly otherSeeds?: RecurrenceCount | undefined;
}

/**
 * A counterexample whose violation does not depend on the little things that a seed decides (jitter, retries, owner values),
 * nor on how long faults, messages and the start of a client take. From the run that was found, it goes to the one workload of
 * several side by side that shows the violation, then to a plan with a pinned order of events, with a longer hold, with longer
 * or shorter durations, in slow motion or with a stop of one client between two commands, whenever that one shows the same
 * violation in more variations. When none does, the run that was found stays. If real servers cannot run the plan, because it
 * waits for what only a simulation sees, it goes to one that they can run and that lasts as long. Equal for equal runs.
 * @throws what `execute` throws
 */
export async function lasting<Run extends LastingRun>(run: Run, options: LastingOptions<Run>): Promise<Lasting<Run>> {
  const search = new LastingSearch(run, options);
  await search.improve();
  return search.result;
}

class LastingSearch<Run extends LastingRun> {
  readonly #options: LastingOptions<Run>;
  readonly #found: Run;
  readonly #tried = new Set<string>();
  #run: Run;
  /** In how many of its variations the violation came again; undefined when they were not all tried. */
  #count: Count | undefined;
  /** How many runs may still begin. */
  #left = Infinity;

  constructor(run: Run, options: LastingOptions<Run>) {
    this.#options = options;
    this.#found = run;
    this.#run = run;
  }

  get result(): Lasting<Run> {
    const otherSeeds = this.#count && { failed: this.#count.seeds, of: OTHER_SEEDS };
    return { run: this.#run, otherSeeds };
  }

  async improve(): Promise<void> {
    if (this.#options.runs !== 0) await this.#dropOtherWorkloads();
    this.#count = await this.#countOf(this.#run, 0);
    this.#left = this.#options.runs ?? LASTING_RUNS;
    await this.#dropIdleClients();
    while (await this.#improves());
    await this.#letRealServersRunIt();
  }

  /**
   * Goes to what the clients of one workload do, if that shows the same violation. A plan that was not shrunk may have dozens
   * of clients side by side, and all that follows runs it again: these runs here are shorter, so they do not count.
   */
  async #dropOtherWorkloads(): Promise<void> {
    for (const candidate of failingWorkloads(this.#run)) {
      if (this.#isOver) return;
      const run = await this.#execute(candidate);
      if (!this.#isAsTelling(run) || !isAsPlain(run, this.#found)) continue;
      this.#run = run;
      return;
    }
  }

  /**
   * Goes to a plan without the clients that do nothing, if one lasts as long. Shrinking may have kept them, because without
   * them the network delays other messages, so that the violation needs another seed.
   */
  async #dropIdleClients(): Promise<void> {
    for (const smaller of withoutIdleClients(this.#run.plan)) {
      for (const candidate of [smaller, ...withOtherSeeds(smaller).map(({ plan }) => plan)]) {
        if (this.#count === undefined || this.#isOver) return;
        // One time less may be chance.
        if (await this.#takes(candidate, totalOf(this.#count) - 1)) return;
      }
    }
  }

  /** Goes to a plan that real servers can run too, if one lasts as long. */
  async #letRealServersRunIt(): Promise<void> {
    const { plan } = this.#run;
    if (isObservable(plan)) return;
    for (const candidate of observablePlans(plan)) {
      if (this.#count === undefined || this.#isOver) return;
      if (await this.#takes(candidate, totalOf(this.#count))) return;
    }
  }

  /** Goes to the first candidate that lasts longer; false when there is none, or no need or time for one. */
  async #improves(): Promise<boolean> {
    const { plan, record } = this.#run;
    // Without any fault is the shorter story, unless it seldom comes again.
    const separated = (this.#count?.seeds ?? OTHER_SEEDS) < OTHER_SEEDS / 2 ? separatedPlans(plan) : [];
    const others = [pinnedPlans(plan, record.history), heldPlans(plan), stretchedPlans(plan)];
    for (const candidates of [...others, separated]) {
      // A fault that is added is worth it only if the violation comes again most times. Most candidates are given up early then.
      const least = candidates === separated ? VARIATIONS / 2 : 0;
      for (const candidate of candidates) {
        const count = this.#count;
        if (count === undefined || totalOf(count) === VARIATIONS || this.#isOver) return false;
        const text = JSON.stringify(candidate);
        if (!this.#tried.has(text) && (await this.#takes(candidate, Math.max(least, totalOf(count) + 1)))) return true;
        this.#tried.add(text);
      }
    }
    return false;
  }

  async #takes(candidate: Plan, atLeast: number): Promise<boolean> {
    const run = await this.#execute(candidate);
    if (!this.#isAsTelling(run)) return false;
    if (hasVisibleOverlap(this.#found.verdict) && !hasVisibleOverlap(run.verdict)) return false;
    const count = await this.#countOf(run, atLeast);
    if (count === undefined || totalOf(count) < atLeast) return false;
    this.#run = run;
    this.#count = count;
    return true;
  }

  #isAsTelling({ verdict }: Run): boolean {
    return isSameViolation(this.#found.verdict, verdict) && saysAsMuch(verdict, this.#found.verdict);
  }

  /** Undefined when the search is over before all variations were tried. */
  async #countOf(run: Run, atLeast: number): Promise<Count | undefined> {
    const counting = { run, execute: (plan: Plan, delays?: Delays) => this.#execute(plan, delays) };
    const [others, later] = [withOtherSeeds(run.plan), atSpeedOfRealServers(run.plan)];
    // Most candidates fail here first.
    const late = await countRecurrences(later, { ...counting, atLeast: atLeast - others.length });
    const seeds = await countRecurrences(others, { ...counting, atLeast: atLeast - late });
    return this.#left < 0 || this.#options.isOver?.() === true ? undefined : { seeds, late };
  }

  #execute(plan: Plan, delays?: Delays): Promise<Run> {
    this.#left -= 1;
    this.#options.onRun?.();
    return this.#options.execute(plan, delays);
  }

  get #isOver(): boolean {
    return this.#left <= 0 || this.#options.isOver?.() === true;
  }
}

/** In how many variations a violation came again: with other seeds, and at the speed of real servers as well. */
interface Count {
  readonly seeds: number;
  readonly late: number;
}

function totalOf({ seeds, late }: Count): number {
  return seeds + late;
}
