import { extname, relative } from "node:path";
import { HarnessError, UserError } from "../../core/errors.ts";
import { cleanup } from "../cleanup.ts";
import { CampaignJournal } from "../campaign-journal.ts";
import { drawReport, readKeptRun } from "../kept-run.ts";
import { Regressions } from "../regressions.ts";
import { type CompleteEnvironment, completeEnvironment, type RunEnvironment } from "../run-environment.ts";
import { isInShard, shardSuffix } from "../shard.ts";
import { WorkerPool } from "../worker-pool.ts";
import {
  type ExploreEntry,
  exploreEntrySchema,
  type ExploreFindings,
  ExploreRecord,
  findingsOf,
  isUnfinished,
  type Level,
  levelOf,
  type Parent,
  parentsAfter,
} from "./explore-journal.ts";
import type { ExploreOptions } from "./explore-options.ts";
import { explorationIdentity, prepareExploration, type PreparedExploration } from "./prepare-exploration.ts";
import { pathText } from "./schedule-path.ts";
import { StopFlag } from "./stop-flag.ts";
import type { ExploreAnswer, ExploreTask, ExploreWorkerData } from "./worker.ts";
import type { RunNote } from "../../core/run-note.ts";
import { shellWord } from "../../core/words/shell-word.ts";
import { inFigures } from "../../core/words/in-figures.ts";

const WORKER = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);

/** The outcome of an exploration. */
export interface ExploreResult {
  /** The name of its journal and its reports: the lock, the topology, the shard. */
  readonly name: string;
  /** The folder of results; folders in the findings are relative to it. */
  readonly store: string;
  readonly findings: ExploreFindings;
  /** Why schedules are missing, if some are. */
  readonly reason: string;
}

/**
 * Runs every schedule of a workload with up to a number of deviations, in simulation: level 0 is the workload as it is,
 * and each level adds one deviation at each moment after the last one. Ends with the first schedule that breaks what the
 * lock claims, and keeps it. A journal in the store records the work, and an interrupted exploration is resumed from it.
 * @throws UserError when the options contradict each other, or the journal to resume is that of another exploration
 */
export async function explore(options: ExploreOptions, surroundings: RunEnvironment = {}): Promise<ExploreResult> {
  const environment = completeEnvironment(surroundings);
  const { store, signal, progress } = environment;
  const prepared = await prepareExploration(options);
  const { name, parameters, shard, work } = prepared;
  using journal = CampaignJournal.open(store, name, explorationIdentity(prepared), {
    resume: options.resume === true,
    schema: exploreEntrySchema,
  });
  const record = new ExploreRecord(journal.former);
  if (journal.former.length > 0) progress.note(`resumed: ${journal.former.length} parts were explored before`);
  const overtime = options.budgetMs === undefined ? undefined : AbortSignal.timeout(options.budgetMs);
  const stop = new StopFlag();
  overtime?.addEventListener("abort", () => stop.raise(), { once: true });
  const data: ExploreWorkerData = { ...work, store, overtime: stop.memory };
  await using workers = new WorkerPool<ExploreTask, ExploreAnswer>(WORKER, data, options.threads);
  const add = (entry: ExploreEntry): void => {
    record.add(entry);
    journal.append(entry);
  };
  const exploration = new Exploration({ prepared, environment, overtime, record, add, workers });
  await exploration.run();
  const findings = findingsOf(parameters, record, shard);
  const reason = signal.aborted ? "the exploration was interrupted" : "the budget was used up";
  return { name: name + shardSuffix(shard), store, findings, reason };
}

interface Tools {
  readonly prepared: PreparedExploration;
  readonly environment: CompleteEnvironment;
  /** Once it aborts, no new part begins, and those in progress end after the schedule that they run. */
  readonly overtime: AbortSignal | undefined;
  readonly record: ExploreRecord;
  readonly add: (entry: ExploreEntry) => void;
  readonly workers: WorkerPool<ExploreTask, ExploreAnswer>;
}

/** The remaining work of an exploration: what the journal does not have yet. */
class Exploration {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  async run(): Promise<void> {
    const { prepared, record, environment } = this.#tools;
    const { deviations, keepGoing, reduction } = prepared.parameters;
    environment.progress.step("running the workload without faults");
    await this.#open([{ path: [] }], 0);
    const base = record.opened([]);
    if (base?.schedule.outcome === "unknown") this.#tellUndecided(base.schedule.notes ?? []);
    const seen = new Set<string>();
    let parents = base === undefined ? [] : parentsAfter([{ ...base.schedule, path: [] }], seen, reduction);
    for (let level = 1; level <= deviations && parents.length > 0; level += 1) {
      await this.#open(parents, level);
      if (!this.#isOpen(parents)) break;
      const done = await this.#explore(parents, level);
      if (!keepGoing && done.schedules.some(({ outcome }) => outcome === "invalid")) break;
      if (level < deviations && done.parts.some(isUnfinished)) break;
      parents = parentsAfter(done.schedules, seen, reduction);
    }
    await this.#keep();
  }

  /** Where the workload as it is decides nothing, few of the thousands of schedules that deviate from it do. */
  #tellUndecided(notes: readonly RunNote[]): void {
    const { progress } = this.#tools.environment;
    const { lock, topology } = this.#tools.prepared.parameters;
    const why = notes.find(({ kind }) => kind === "undecided")?.what ?? "see the notes";
    const conform = `npx lockstorm conform ${shellWord(lock)} --topology ${topology.kind}`;
    progress.note(`the workload without faults decides nothing: ${why}; check the driver: ${conform}`);
  }

  #isOverBudget(): boolean {
    return this.#tools.overtime?.aborted === true;
  }

  #isOpen(parents: readonly Parent[]): boolean {
    return parents.every(({ path }) => this.#tools.record.opened(path) !== undefined);
  }

  /** Runs the schedules to extend, and so learns how many deviations they have. */
  async #open(parents: readonly Parent[], level: number): Promise<void> {
    const { record, environment, add } = this.#tools;
    const todo = parents.filter(({ path }) => record.opened(path) === undefined);
    let known = parents.length - todo.length;
    let found = parents.reduce((sum, { path }) => sum + (record.opened(path)?.kept.length ?? 0), 0);
    await this.#perform(
      todo.map(({ path, calmNs }) => ({ open: pathText(path), calmNs })),
      (task, answer) => {
        if (!("open" in task) || !("extensions" in answer)) return;
        const { schedule, ...counts } = answer.extensions;
        add({ opened: task.open, schedule, ...counts });
        known += 1;
        found += counts.kept.length;
        if (known % 25 !== 0 || parents.length < 2) return;
        const about = Math.round((found / known) * parents.length);
        environment.progress.step(
          `${deviationsText(level)}: ${inFigures(known)} of ${inFigures(parents.length)} schedules to extend, about ${inFigures(about)} parts`,
        );
      },
    );
  }

  /** Explores the parts of a level, in order, up to the first that breaks the lock. */
  async #explore(parents: readonly Parent[], level: number): Promise<Level> {
    const { record, prepared, add } = this.#tools;
    const { shard, parameters } = prepared;
    const { deviations, keepGoing } = parameters;
    const { parts } = levelOf(record, parents, level);
    const mine = parts.filter((_, position) => level < deviations || isInShard(position, shard));
    const isBroken = (position: number): boolean =>
      mine[position]?.explored?.schedules.some(({ outcome }) => outcome === "invalid") === true;
    const end = keepGoing ? mine.length : ([...mine.keys()].find(isBroken) ?? mine.length);
    const todo = mine.slice(0, end).filter(isUnfinished);
    let done = mine.length - todo.length;
    let schedules = mine.reduce((sum, { explored }) => sum + (explored?.schedules.length ?? 0), 0);
    let broken = false;
    // A part may take minutes, so each one is told, and the first before it begins.
    const tell = (): void =>
      this.#tools.environment.progress.step(
        `${deviationsText(level)}: ${inFigures(done)} of ${inFigures(mine.length)} places and faults (${percent(done, mine.length)}), ${inFigures(schedules)} schedules`,
      );
    tell();
    await this.#perform(
      todo.map(({ parent, family, explored }) => {
        const known = explored?.schedules.map((schedule) => ({ notes: [], ...schedule }));
        return { extend: pathText(parent), family, known };
      }),
      (task, answer) => {
        if (!("extend" in task) || !("schedules" in answer) || answer.schedules.length === 0) return;
        const { schedules: run, whole } = answer;
        add({ extended: task.extend, family: task.family, schedules: [...run], partial: whole ? undefined : true });
        broken ||= run.some(({ outcome }) => outcome === "invalid");
        // Interrupted from now on, the exploration is given the time to tell it.
        if (broken) cleanup.isDue = true;
        if (whole) done += 1;
        schedules += run.length - (task.known?.length ?? 0);
        tell();
      },
      () => (keepGoing || !broken) && !this.#isOverBudget(),
    );
    return levelOf(record, parents, level);
  }

  /** Gives the first schedule that breaks the lock a folder, with its causes proven. */
  async #keep(): Promise<void> {
    const { prepared, record, environment, add } = this.#tools;
    const { parameters, shard } = prepared;
    const { store, drawRun, progress } = environment;
    const { broken } = findingsOf(parameters, record, shard);
    if (broken === undefined || broken.folder !== undefined) return;
    progress.step("keeping the schedule that breaks the lock");
    const onAnswer = async (_: ExploreTask, answer: ExploreAnswer): Promise<void> => {
      if (!("folder" in answer)) return;
      const { folder } = answer;
      const kept = await readKeptRun(folder);
      drawReport({ record: kept, folder }, drawRun);
      // A shard's own counterexample becomes a regression when the shards are merged, as in hunts.
      if (shard === undefined && kept.plan !== undefined) new Regressions(store).keep(kept.plan);
      add({ broken: broken.path, folder: relative(store, folder) });
    };
    // A budget limits the search, not what is kept of its finding.
    await this.#perform([{ keep: broken.path }], onAnswer, () => true);
  }

  #perform(
    tasks: readonly ExploreTask[],
    onAnswer: (task: ExploreTask, answer: ExploreAnswer) => void | Promise<void>,
    mayBegin: () => boolean = () => !this.#isOverBudget(),
  ): Promise<void> {
    const { workers, environment } = this.#tools;
    return workers.do(tasks, {
      signal: environment.signal,
      mayBegin,
      onStart: () => {},
      onAnswer: (task, answer) => {
        if ("error" in answer) throw failed(task, answer);
        return onAnswer(task, answer);
      },
    });
  }
}

function failed(task: ExploreTask, { error, hint }: Extract<ExploreAnswer, { error: string }>): Error {
  return hint === undefined ? new HarnessError(`${JSON.stringify(task)}: ${error}`) : new UserError(error, hint);
}

function deviationsText(level: number): string {
  return level === 1 ? "1 deviation" : `${level} deviations`;
}

function percent(done: number, all: number): string {
  return `${all === 0 ? 100 : Math.floor((100 * done) / all)} %`;
}
