import { existsSync } from "node:fs";
import { join } from "node:path";
import { alternatives } from "../../lock-impl/alternatives/alternatives.ts";
import { classOf } from "../../faults/fault-classes.ts";
import { ladder } from "../../lock-impl/ladder/ladder.ts";
import { libraries } from "../../lock-impl/libraries/libraries.ts";
import type { LockEntry } from "../../lock-impl/lock-entry.ts";
import { specimens } from "../../lock-impl/flawed/specimens.ts";
import { HarnessError } from "../../harness/core/errors.ts";
import type { Recurrence } from "../../harness/core/recurrence.ts";
import type { Plan } from "../../harness/core/plan.ts";
import { isSimulated } from "../../harness/core/topology.ts";
import { hasVisibleOverlap } from "../../harness/campaign/visible-overlap.ts";
import { readPlan } from "../../harness/run/store.ts";
import { ladderPage } from "./ladder-page.ts";
import { keptRecurrences } from "./kept-recurrences.ts";
import { libraryPage } from "./library-page.ts";
import { lockPage } from "./lock-page.ts";
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
  const page = { libraries, planFileOf, recurrences: keptRecurrences(root) };
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
  const run = canBeShown(lock) ? await runForLimit(lock, lock.lesson.shows, readPlan(join(root, planFile))) : undefined;
  const shown = run && { record: { ...run.record, recurrence }, planFile };
  const page = { lock, source: sourceOf(lock, root), neighbours: neighboursOf(lock), shown };
  return {
    run,
    document: { path: join(LOCK_PAGES, `${lock.name}.md`), text: lockPage(page) },
  };
}

/**
 * The plan to keep: the existing one while it shows the limit visibly, or else the best that is found. Only for locks
 * that can be shown.
 */
export async function planDocument(lock: LockEntry, root: string): Promise<Document> {
  const path = planFileOf(lock);
  const known = existsSync(join(root, path)) ? await runOf(lock, readPlan(join(root, path))) : undefined;
  const best = known !== undefined && hasVisibleOverlap(known.verdict) ? known : await searched(lock);
  return { path, text: planText(best.plan) };
}

/** The smallest counterexample of several searches, of those with measurably overlapping holds if there are any. */
async function searched(lock: LockEntry): Promise<LimitRun> {
  const found: LimitRun[] = [];
  for (const seed of SEEDS) {
    const search = { seed, runs: DETECTION_RUNS, shrinkRuns: SHRINK_RUNS, lasts: true };
    const { counterexample } = await searchLimit(lock, lock.lesson.shows, search);
    if (counterexample !== undefined) found.push(counterexample.run);
  }
  const rank = ({ verdict, record }: LimitRun): number =>
    record.history.events.length + (hasVisibleOverlap(verdict) ? 0 : Number.MAX_SAFE_INTEGER / 2);
  const [best] = found.toSorted((one, other) => rank(one) - rank(other));
  if (best === undefined) throw new HarnessError(`${lock.name} showed its limit in no run`);
  return best;
}

/** The run of a plan that shows the lock's limit; undefined when it does not, or only under other faults. */
async function runOf(lock: LockEntry, plan: Plan): Promise<LimitRun | undefined> {
  const { under } = lock.lesson.shows;
  if (!plan.faults.every(({ kind, params }) => classOf(kind, params) === under)) return undefined;
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
