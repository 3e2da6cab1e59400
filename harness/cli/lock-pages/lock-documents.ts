import { existsSync } from "node:fs";
import { join } from "node:path";
import { alternatives } from "../../../lock-impl/alternatives.ts";
import { faultClass } from "../../../lock-impl/claims.ts";
import { ladder } from "../../../lock-impl/ladder.ts";
import { libraries } from "../../../lock-impl/libraries.ts";
import type { LockEntry } from "../../../lock-impl/lock-entry.ts";
import { specimens } from "../../../lock-impl/specimens.ts";
import { HarnessError } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import { isSimulated } from "../../core/topology.ts";
import { isMeasurable } from "../../run/measurable.ts";
import { readPlan } from "../../run/store.ts";
import { ladderPage } from "./ladder-page.ts";
import { lockPage } from "./lock-page.ts";
import { DETECTION_RUNS, type LimitRun, runForLimit, searchLimit } from "./limit-search.ts";

/** Where the pages are, from the top of the project. */
export const LOCK_PAGES = "docs/locks";

const SEEDS = [1, 2, 3, 4, 5];
const SHRINK_RUNS = 200;

/** A file, from the top of the project, and what is to be in it. */
export interface Document {
  readonly path: string;
  readonly text: string;
}

/** The page of the ladder as a whole. */
export function ladderDocument(): Document {
  return { path: join(LOCK_PAGES, "README.md"), text: ladderPage({ ladder, alternatives, specimens, libraries }) };
}

/** The file that keeps the plan of a lock's counterexample: a page is drawn by running it again. */
export function planFileOf({ name }: LockEntry): string {
  return join(LOCK_PAGES, "plans", `${name}.json`);
}

/** Whether its page has a counterexample: not where only real servers can run it. */
export function canBeShown({ lesson }: LockEntry): boolean {
  return isSimulated(lesson.shows.topology);
}

/** The page of one lock, and the run of its kept plan where it has one. `root` is the top of the project. */
export async function lockDocument(lock: LockEntry, root: string): Promise<{ run?: LimitRun; document: Document }> {
  const planFile = planFileOf(lock);
  const run = canBeShown(lock) ? await runForLimit(lock, lock.lesson.shows, readPlan(join(root, planFile))) : undefined;
  const shown = run === undefined ? {} : { shown: { record: run.record, planFile } };
  const page = { lock, source: sourceOf(lock, root), neighbours: neighboursOf(lock), ...shown };
  return {
    ...(run === undefined ? {} : { run }),
    document: { path: join(LOCK_PAGES, `${lock.name}.md`), text: lockPage(page) },
  };
}

/**
 * The kept plan as it should be: the one there is while it shows the limit so that it can be seen, or else the best that
 * is found. Only for locks that can be shown.
 */
export async function planDocument(lock: LockEntry, root: string): Promise<Document> {
  const path = planFileOf(lock);
  const known = existsSync(join(root, path)) ? await runOf(lock, readPlan(join(root, path))) : undefined;
  const best = known !== undefined && isMeasurable(known.verdict) ? known : await searched(lock);
  return { path, text: planText(best.plan) };
}

/** The smallest counterexample of several searches, of those whose holds overlap measurably if there are any. */
async function searched(lock: LockEntry): Promise<LimitRun> {
  const found: LimitRun[] = [];
  for (const seed of SEEDS) {
    const search = { seed, runs: DETECTION_RUNS, shrinkRuns: SHRINK_RUNS };
    const { counterexample } = await searchLimit(lock, lock.lesson.shows, search);
    if (counterexample !== undefined) found.push(counterexample.run);
  }
  const rank = ({ verdict, record }: LimitRun): number =>
    record.history.events.length + (isMeasurable(verdict) ? 0 : Number.MAX_SAFE_INTEGER / 2);
  const [best] = found.toSorted((one, other) => rank(one) - rank(other));
  if (best === undefined) throw new HarnessError(`${lock.name} did not show its limit in any run`);
  return best;
}

/** The run of a plan that shows the lock's limit; undefined when it does not, or under other faults. */
async function runOf(lock: LockEntry, plan: Plan): Promise<LimitRun | undefined> {
  const { under } = lock.lesson.shows;
  if (!plan.faults.every(({ kind, params }) => faultClass(kind, params) === under)) return undefined;
  const run = await runForLimit(lock, lock.lesson.shows, plan);
  return run.verdict.verdict === "invalid" ? run : undefined;
}

function planText(plan: object): string {
  return `${JSON.stringify(plan, undefined, 2)}\n`;
}

function neighboursOf(lock: LockEntry): { readonly before?: LockEntry; readonly after?: LockEntry } {
  const place = ladder.indexOf(lock);
  if (place === -1) return {};
  const [before, after] = [ladder[place - 1], ladder[place + 1]];
  return { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
}

function sourceOf({ name }: LockEntry, root: string): string | undefined {
  return ["rungs", "alternatives", "flawed", "adapters"]
    .map((folder) => `lock-impl/${folder}/${name}.ts`)
    .find((path) => existsSync(join(root, path)));
}
