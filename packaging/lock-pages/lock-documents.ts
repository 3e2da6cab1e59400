import { existsSync } from "node:fs";
import { join } from "node:path";
import { alternatives } from "../../lock-impl/alternatives/alternatives.ts";
import { classOf } from "../../faults/fault-classes.ts";
import { ladder } from "../../lock-impl/ladder/ladder.ts";
import { libraries } from "../../lock-impl/libraries/libraries.ts";
import type { LockEntry } from "../../lock-impl/lock-entry.ts";
import { libraryWorkers } from "../../lock-impl/workers/workers.ts";
import { specimens } from "../../lock-impl/flawed/specimens.ts";
import { HarnessError } from "../../harness/core/errors.ts";
import type { Recurrence, RecurrenceCount } from "../../harness/core/recurrence.ts";
import type { Plan } from "../../harness/core/plan.ts";
import { isSimulated } from "../../harness/core/topology.ts";
import { proveSimulated } from "../../harness/campaign/run-simulated.ts";
import { hasVisibleOverlap } from "../../harness/campaign/visible-overlap.ts";
import { readPlan } from "../../harness/run/store.ts";
import { ladderPage } from "./ladder-page.ts";
import { keptMeasurements } from "./kept-measurements.ts";
import { countOtherSeeds, keptRecurrences } from "./kept-recurrences.ts";
import { libraryPage } from "./library-page.ts";
import { lockPage } from "./lock-page.ts";
import type { CountOnRealServers } from "./real-servers.ts";
import { DETECTION_RUNS, type LimitRun, runForLimit, searchLimit } from "../../harness/campaign/limit-search.ts";

/** The folder of the pages, relative to the project's root. */
export const LOCK_PAGES = "docs/locks";

const SEEDS = [1, 2, 3, 4, 5];
const SHRINK_RUNS = 200;

/** A file, relative to the project's root, and its intended content. */
export interface Document {
  readonly path: string;
  readonly text: string;
}

/** The page of the ladder as a whole. */
export function ladderDocument(): Document {
  return { path: join(LOCK_PAGES, "README.md"), text: ladderPage({ ladder, alternatives, specimens, libraries }) };
}

/** The page of the lock libraries. */
export function libraryDocument(root: string): Document {
  const page = {
    libraries,
    workers: libraryWorkers,
    measured: keptMeasurements(root),
    planFileOf,
    recurrences: keptRecurrences(root),
  };
  return { path: join("docs", "libraries.md"), text: libraryPage(page) };
}

/** The file with the plan of a lock's counterexample: running the plan again draws the page. */
export function planFileOf({ name }: LockEntry): string {
  return join(LOCK_PAGES, "plans", `${name}.json`);
}

/** Whether its page has a counterexample: not where only real servers can run it. */
export function canBeShown({ lesson }: LockEntry): boolean {
  return isSimulated(lesson.shows.topology);
}

/**
 * The page of one lock, and the run of its kept plan where it has one.
 * @param root the project's root
 * @param recurrence how often its violation came again. Default: as it was counted last
 */
export async function lockDocument(
  lock: LockEntry,
  root: string,
  recurrence: Recurrence = keptRecurrences(root)[lock.name] ?? {},
): Promise<{ run: LimitRun | undefined; document: Document }> {
  const planFile = planFileOf(lock);
  // The picture shows what the servers thought.
  const shows = lock.lesson.shows;
  const run = canBeShown(lock)
    ? await runForLimit(lock, shows, readPlan(join(root, planFile)), { wire: true })
    : undefined;
  const proven = run && (await proveSimulated(run));
  const shown = proven && { record: { ...proven.record, recurrence }, planFile };
  const page = { lock, source: sourceOf(lock, root), neighbours: neighboursOf(lock), shown };
  return {
    run,
    document: { path: join(LOCK_PAGES, `${lock.name}.md`), text: lockPage(page) },
  };
}

/** With how many of twenty other seeds a counterexample fails that is kept without a search for a better one. */
const LASTS = 19;

/** With how many of twenty other seeds one fails that comes again more often than not. */
const OFTEN = 11;

/** A counterexample, and how often its violation comes again. */
interface Candidate {
  readonly run: LimitRun;
  /** Of twenty other seeds. */
  readonly otherSeeds: number;
  /** On real servers; undefined where they are not asked, or cannot run the plan. */
  readonly real: RecurrenceCount | undefined;
}

/** The plan to keep, and in how many runs real servers showed its violation, now or when they were asked last. */
export interface PlanDocument extends Document {
  readonly real: RecurrenceCount | undefined;
}

/**
 * The plan to keep: the existing one while it shows the limit visibly and lasts, or else the best that is found. Only
 * for locks that can be shown.
 * @param count asks real servers as well. Default: what they showed of the existing plan counts
 */
export async function planDocument(lock: LockEntry, root: string, count?: CountOnRealServers): Promise<PlanDocument> {
  const path = planFileOf(lock);
  const asked = async (run: LimitRun, otherSeeds: number, known?: RecurrenceCount): Promise<Candidate> => ({
    run,
    otherSeeds,
    real: count === undefined ? known : await count(lock, run),
  });
  const candidates: Candidate[] = [];
  const kept = existsSync(join(root, path)) ? await runOf(lock, readPlan(join(root, path))) : undefined;
  const known = keptRecurrences(root)[lock.name]?.realServers;
  if (kept !== undefined) candidates.push(await asked(kept, (await countOtherSeeds(lock, kept)).failed, known));
  for (const seed of SEEDS) {
    if (candidates.some((candidate) => isGood(candidate, count !== undefined))) break;
    const search = { seed, runs: DETECTION_RUNS, shrinkRuns: SHRINK_RUNS, lasts: true };
    const { counterexample } = await searchLimit(lock, lock.lesson.shows, search);
    if (counterexample === undefined) continue;
    candidates.push(await asked(counterexample.run, counterexample.otherSeeds?.failed ?? 0));
  }
  const best = bestOf(candidates);
  if (best === undefined) throw new HarnessError(`${lock.name} showed its limit in no run`);
  return { path, text: planText(best.run.plan), real: best.real };
}

/** What real servers show each time needs no search for a plan that fails with a few seeds more. */
function isGood({ run, otherSeeds, real }: Candidate, isAskedOnRealServers: boolean): boolean {
  if (!hasVisibleOverlap(run.verdict)) return false;
  if (real !== undefined && real.failed === real.of) return otherSeeds >= OFTEN;
  return !isAskedOnRealServers && otherSeeds >= LASTS;
}

/**
 * The best counterexample: of those with measurably overlapping holds, if there are any, the one that comes again most
 * often on real servers, and then with other seeds: nearly always, or more often than not, because a reader gains nothing from
 * two seeds more in a plan of ten clients. Of equals the smallest, or else the first.
 */
function bestOf(candidates: readonly Candidate[]): Candidate | undefined {
  const rank = ({ run, otherSeeds, real }: Candidate): readonly number[] => [
    hasVisibleOverlap(run.verdict) ? 0 : 1,
    -(real?.failed ?? 0),
    otherSeeds >= LASTS ? 0 : otherSeeds >= OFTEN ? 1 : 2,
    run.record.history.events.length,
  ];
  const compare = (one: Candidate, other: Candidate): number => {
    const others = rank(other);
    const differences = rank(one).map((value, place) => value - (others[place] ?? 0));
    return differences.find((difference) => difference !== 0) ?? 0;
  };
  return candidates.toSorted(compare)[0];
}

/** The run of a plan that shows the lock's limit; undefined when it does not, or only under other faults. */
async function runOf(lock: LockEntry, plan: Plan): Promise<LimitRun | undefined> {
  const { under } = lock.lesson.shows;
  if (!plan.faults.every(({ kind, params }) => classOf(kind, params).name === under)) return undefined;
  const run = await runForLimit(lock, lock.lesson.shows, plan);
  return run.verdict.verdict === "invalid" ? run : undefined;
}

function planText(plan: object): string {
  return `${JSON.stringify(plan, undefined, 2)}\n`;
}

function neighboursOf(lock: LockEntry): {
  readonly before?: LockEntry | undefined;
  readonly after?: LockEntry | undefined;
} {
  const place = ladder.indexOf(lock);
  if (place === -1) return {};
  const [before, after] = [ladder[place - 1], ladder[place + 1]];
  return { before, after };
}

function sourceOf({ name }: LockEntry, root: string): string | undefined {
  return ["ladder", "alternatives", "flawed", "libraries"]
    .map((folder) => `lock-impl/${folder}/${name}.ts`)
    .find((path) => existsSync(join(root, path)));
}
