import { extname, join, relative } from "node:path";
import { loadDriver } from "../../client/load-driver.ts";
import { HarnessError, UserError } from "../../core/errors.ts";
import { isSimulated } from "../../core/topology.ts";
import type { TopologyKind } from "../../core/topologies/registry.ts";
import { type Backend, TABLE_BACKENDS, type TableBackend } from "../../core/topologies/backend.ts";
import { cleanup } from "../cleanup.ts";
import { CampaignJournal, type Shard } from "../campaign-journal.ts";
import { drawReport, readKeptRun } from "../kept-run.ts";
import { type CompleteEnvironment, completeEnvironment, type RunEnvironment } from "../run-environment.ts";
import { plansAtATime } from "../parallel/plans-at-a-time.ts";
import { simulationsAtATime } from "../parallel/simulations-at-a-time.ts";
import { RunsInOrder } from "../parallel/runs-in-order.ts";
import { isInShard, shardSuffix } from "../shard.ts";
import { WorkerPool } from "../worker-pool.ts";
import type { ElapsedMs } from "../times/work-times.ts";
import {
  beyondSimulation,
  type Cell,
  ladderCells,
  type LadderScope,
  notInstalledIn,
  rowName,
  scopeWithout,
  titleOf,
} from "./cells.ts";
import {
  counterexamplesIn,
  type Found,
  foundIn,
  type LadderEntry,
  ladderEntrySchema,
  ladderIdentity,
  type LadderParameters,
  mostTelling,
  progressIn,
  type RealOutcome,
  simulatedIn,
} from "./ladder-journal.ts";
import { rowWords } from "./row-words.ts";
import type { CellProgress } from "./cell-notes.ts";
import { refuseFaultsOfNoCell, refuseRowsOfNoCell } from "./refuse-scope.ts";
import type { LadderAnswer, LadderWork, Task } from "./worker.ts";
import { inFigures } from "../../core/words/in-figures.ts";

const DEFAULT_SEED = 1;
/** The name of its journal and of its reports, without the shard. */
export const LADDER = "ladder";
const WORKER = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);

/** Which cells of the table to search, and how hard. Every option has a default. */
export interface LadderOptions {
  /** Whether every lock is a row, flawed specimens and libraries too. Default: the locks of the ladder. */
  readonly all?: boolean | undefined;
  /** Only locks with these names. */
  readonly only?: readonly string[] | undefined;
  /** Only this topology. */
  readonly topology?: TopologyKind | undefined;
  /** Only columns of these kinds of faults, and the column without faults. */
  readonly faults?: readonly string[] | undefined;
  /** Default: `simulated`. */
  readonly backend?: Backend | undefined;
  /** Default: 1. */
  readonly seed?: number | undefined;
  /** How many plans to run for each cell. Default: depends on whether the cell is expected to hold. */
  readonly runs?: number | undefined;
  /**
   * Whether every schedule with one deviation of the small workloads is run, so that a cell that holds is complete to one
   * deviation. In simulation only. Default: false.
   */
  readonly complete?: boolean | undefined;
  /** No cell begins after this many milliseconds. */
  readonly budgetMs?: number | undefined;
  /** The part of the table to search. Default: all of it. */
  readonly shard?: Shard | undefined;
  /**
   * How many threads search cells, or how many cells are tried at a time on containers, each on servers of its own; what
   * is found does not depend on it. Default: by the machine's cores and memory.
   */
  readonly threads?: number | undefined;
  /** Whether to continue an interrupted table with the same options in this store. */
  readonly resume?: boolean | undefined;
}

/** The findings of the table, in one store or merged from several. */
export interface LadderResult {
  /** The name of its reports, with the shard. */
  readonly name: string;
  /** The seed, and the plans for each cell where they were given: they repeat a cell's search. */
  readonly search: Omit<LadderParameters, "scope">;
  /** In the order of the table. */
  readonly found: readonly Found[];
  readonly backend: TableBackend;
  /** How long each cell took, by its index, as far as it was recorded: searching, shrinking, confirming. */
  readonly elapsed: ElapsedMs;
  /** How many cells there should be. */
  readonly wanted: number;
  /** Why some are missing, if some are. */
  readonly reason: string;
  /** Folders of kept counterexamples, by their cell. */
  readonly counterexamples: ReadonlyMap<number, string>;
  /** Locks that the simulation cannot run. */
  readonly containersOnly: readonly string[];
  /** Packages from npm that are not installed, for `npm install`: their locks are no rows. */
  readonly notInstalled: readonly string[];
}

/**
 * Searches every cell of locks by faults, or a shard of them, and shrinks a counterexample of each lock that broke. On
 * containers the simulation finds plans first, and real servers then run them. A journal in the store records the work,
 * and an interrupted table is resumed from it.
 * @throws UserError when no lock has a requested name, when the package of such a lock is not installed, or when the
 * journal to resume is that of another table
 */
export async function huntLadder(options: LadderOptions, surroundings: RunEnvironment = {}): Promise<LadderResult> {
  const environment = completeEnvironment(surroundings);
  const { store, signal } = environment;
  const { all = false, only, topology, faults, seed = DEFAULT_SEED, runs, complete, shard } = options;
  const backend = tableBackend(options.backend);
  if (complete === true && backend !== "simulated")
    throw new UserError(`there are too many schedules with one deviation for ${backend}`, "leave out --complete");
  const asked: LadderScope = { all, only, topology, faults, backend };
  const notInstalled = notInstalledIn(asked);
  // Who asks for a lock by its name wants it; who asks for all wants what there is.
  const [missing] = only === undefined ? [] : notInstalled;
  if (missing !== undefined) await loadDriver(missing.name);
  const scope = scopeWithout(notInstalled, asked);
  const parameters: LadderParameters = { scope, seed, runs, complete };
  const cells = ladderCells(scope);
  const containersOnly = beyondSimulation(scope);
  refuseRowsOfNoCell(asked, cells);
  refuseFaultsOfNoCell(faults ?? [], cells);
  using journal = CampaignJournal.open(store, LADDER, ladderIdentity(parameters, shard), {
    resume: options.resume === true,
    schema: ladderEntrySchema,
  });
  // Begins before the threads, because their start counts too.
  const overtime = options.budgetMs === undefined ? [] : [AbortSignal.timeout(options.budgetMs)];
  const parallel =
    backend === "simulated"
      ? (options.threads ?? simulationsAtATime())
      : await plansAtATime(backend, options.threads, environment);
  const table = new Table({ cells, shard, parameters, journal, environment, parallel, overtime });
  await (backend === "simulated" ? table.simulate() : table.confirm());
  const { entries, wanted } = table;
  return {
    name: `${LADDER}${shardSuffix(shard)}`,
    backend,
    search: { seed, runs, complete },
    found: foundIn(cells, entries, backend),
    elapsed: journal.elapsed,
    wanted,
    reason: signal.aborted ? "the hunt was interrupted" : "the budget was used up",
    counterexamples: new Map(
      [...counterexamplesIn(entries, backend)].map(([cell, folder]) => [cell, join(store, folder)]),
    ),
    containersOnly,
    notInstalled: [...new Set(notInstalled.flatMap(({ npmPackage }) => npmPackage ?? []))],
  };
}

interface Work {
  readonly cells: readonly Cell[];
  readonly shard: Shard | undefined;
  readonly parameters: LadderParameters;
  readonly journal: CampaignJournal<LadderEntry>;
  /** The environment's signal ends the work at once. */
  readonly environment: CompleteEnvironment;
  /** How many threads search cells, or how many cells are tried at a time on containers. */
  readonly parallel: number;
  /** Once one of these aborts, no new work begins. */
  readonly overtime: readonly AbortSignal[];
}

/** The remaining work on a table: what the journal does not have yet. */
class Table {
  readonly #work: Work;
  /** The cells of the shard, by their index. */
  readonly #mine: readonly number[];
  readonly entries: LadderEntry[];

  constructor(work: Work) {
    this.#work = work;
    this.#mine = [...work.cells.keys()].filter((index) => isInShard(index, work.shard));
    this.entries = [...work.journal.former];
  }

  /** How many cells there should be. */
  get wanted(): number {
    return this.#mine.length;
  }

  /** Searches cells in simulation, then shrinks a counterexample of each row. */
  async simulate(): Promise<void> {
    const { cells, environment } = this.#work;
    const { progress } = environment;
    const searched = new Set(simulatedIn(cells, this.entries).map(({ index }) => index));
    const todo = this.#mine.filter((index) => !searched.has(index));
    const begun = progressIn(this.entries);
    const half = todo.filter((index) => begun.has(index)).length;
    if (searched.size + half > 0) progress.note(resumedWords(searched.size, this.#mine.length, half));
    await using workers = this.#workers();
    await this.#perform(
      workers,
      todo.map((cell) => ({ cell, before: begun.get(cell) })),
      ({ cell, before }, index, runs = before?.runs) =>
        progress.step(
          `${searched.size + index + 1} of ${this.#mine.length}: ${titleOf(cellAt(cells, cell))}${runs === undefined ? "" : `, ${inFigures(runs)} runs so far`}`,
        ),
    );
    const shrunk = counterexamplesIn(this.entries, "simulated");
    const found = simulatedIn(cells, this.entries);
    const telling = mostTelling(foundIn(cells, this.entries, "simulated")).flatMap(({ index }) => {
      const path = found.find((each) => each.index === index)?.outcome.failing?.path;
      return path === undefined || shrunk.has(index) ? [] : [{ cell: index, path }];
    });
    await this.#perform(workers, telling, (_, index) => progress.step(`shrinking ${index + 1} of ${telling.length}`));
  }

  /** Finds plans in simulation, and asks real servers what they do. */
  async confirm(): Promise<void> {
    const { cells, parameters, environment, parallel, overtime } = this.#work;
    const { signal, progress } = environment;
    const asked = new Set(this.entries.flatMap((entry) => ("real" in entry ? [entry.cell] : [])));
    const todo = this.#mine.filter((index) => !asked.has(index));
    if (todo.length > 0) {
      const { prepareEngineFor } = await import("../run-on-containers.ts");
      await prepareEngineFor(
        todo.map((index) => cellAt(cells, index).topology),
        environment,
      );
    }
    await this.#findPlans();
    const plans = new Map(this.entries.flatMap((entry) => ("plan" in entry ? [[entry.cell, entry.plan]] : [])));
    // Loaded only now: tables of the simulation do not need it.
    const { CellConfirmation } = await import("./confirm-cells.ts");
    const { seed, runs } = parameters;
    await using confirmation = await CellConfirmation.open({ ...environment, parallel, seed, runs });
    const inOrder = new RunsInOrder<number, RealOutcome | undefined>({
      parallel,
      run: async (index) => {
        const begun = performance.now();
        const real = await confirmation.confirm(cellAt(cells, index), plans.get(index) ?? undefined);
        // Recorded at once, in any order: an interruption loses only what is in progress.
        if (real !== undefined) this.#add({ cell: index, real }, performance.now() - begun);
        return real;
      },
      take: (index, real) => {
        if (real === undefined) return false;
        const { found, runs } = real;
        done += 1;
        progress.note(
          `${done} of ${this.#mine.length} on containers: ${titleOf(cellAt(cells, index))}: ${found} in ${inFigures(runs)} ${runs === 1 ? "run" : "runs"}`,
        );
        return true;
      },
    });
    let done = asked.size;
    for (const index of todo) {
      if (!(await inOrder.room()) || signal.aborted || overtime.some(({ aborted }) => aborted)) break;
      progress.step(`on containers: ${titleOf(cellAt(cells, index))}`);
      inOrder.begin(index);
    }
    await inOrder.end();
  }

  /** A plan for each cell that may break, where the simulation can find one. */
  async #findPlans(): Promise<void> {
    const { cells, environment } = this.#work;
    const { progress } = environment;
    const known = new Set(this.entries.flatMap((entry) => ("plan" in entry ? [entry.cell] : [])));
    const todo = this.#mine.filter((index) => {
      const { expected, topology } = cellAt(cells, index);
      return (expected === undefined || expected === "broken") && isSimulated(topology.kind) && !known.has(index);
    });
    await using workers = this.#workers();
    await this.#perform(
      workers,
      todo.map((cell) => ({ cell, forRealServers: true })),
      ({ cell }, index) => progress.step(`plan ${index + 1} of ${todo.length}: ${titleOf(cellAt(cells, cell))}`),
    );
  }

  #workers(): WorkerPool<Task, LadderAnswer, CellProgress> {
    const work: LadderWork = { ...this.#work.parameters, store: this.#work.journal.store };
    return new WorkerPool(WORKER, work, this.#work.parallel);
  }

  /** Lets the threads do tasks. A signal ends the work at once, a budget after the cells that are in progress. */
  #perform(
    workers: WorkerPool<Task, LadderAnswer, CellProgress>,
    tasks: readonly Task[],
    onStep: (task: Task, index: number, runs?: number) => void,
  ): Promise<void> {
    const { cells, environment, overtime } = this.#work;
    const { store, signal, drawRun } = environment;
    const begun = new Map<Task, number>();
    const sinceLast = (task: Task): number => {
      const now = performance.now();
      const elapsedMs = now - (begun.get(task) ?? now);
      begun.set(task, now);
      return elapsedMs;
    };
    return workers.do(tasks, {
      signal,
      mayBegin: () => overtime.every(({ aborted }) => !aborted),
      onStart: (task, index) => {
        begun.set(task, performance.now());
        onStep(task, index);
      },
      // Read again only when the table is resumed.
      onInterim: (task, searched, index) => {
        this.#work.journal.append({ cell: task.cell, searched });
        this.#work.journal.took(task.cell, sinceLast(task));
        onStep(task, index, searched.runs);
      },
      onAnswer: async (task, answer) => {
        const { cell } = task;
        if ("folder" in answer) {
          if (answer.folder === null) return this.#tellUnkept(cellAt(cells, cell));
          const { folder } = answer;
          drawReport({ record: await readKeptRun(folder), folder }, drawRun);
        }
        this.#add(entryOf(cell, answer, { cells, store }), sinceLast(task));
        if ("outcome" in answer) this.#tellRow(cellAt(cells, cell));
      },
    });
  }

  /** Says that there is no counterexample to keep. A resumed table tries again. */
  #tellUnkept(cell: Cell): void {
    this.#work.environment.progress.note(
      `${titleOf(cell)}: broken, but the same plan did not break it again, so it is not kept: something may remain from run to run`,
    );
  }

  /** Reports the row of a cell that was searched, once the whole row was. */
  #tellRow(cell: Cell): void {
    const { cells, environment } = this.#work;
    const isOfRow = (index: number): boolean => rowName(cellAt(cells, index)) === rowName(cell);
    const row = foundIn(cells, this.entries, "simulated").filter(({ index }) => isOfRow(index));
    if (row.length === this.#mine.filter(isOfRow).length) environment.progress.note(rowWords(row));
  }

  #add(entry: LadderEntry, elapsedMs: number): void {
    // Interrupted from now on, the table is given the time to tell what was found.
    cleanup.isDue = true;
    this.entries.push(entry);
    this.#work.journal.append(entry);
    this.#work.journal.took(entry.cell, elapsedMs);
  }
}

function entryOf(
  cell: number,
  answer: Exclude<LadderAnswer, { folder: null }>,
  { cells, store }: { readonly cells: readonly Cell[]; readonly store: string },
): LadderEntry {
  if ("error" in answer) throw failed(titleOf(cellAt(cells, cell)), answer);
  if ("plan" in answer) return { cell, plan: answer.plan };
  return "outcome" in answer ? { cell, outcome: answer.outcome } : { cell, shrunk: relative(store, answer.folder) };
}

function failed(title: string, { error, hint }: Extract<LadderAnswer, { error: string }>): Error {
  return hint === undefined ? new HarnessError(`${title}: ${error}`) : new UserError(error, hint);
}

function resumedWords(searched: number, wanted: number, half: number): string {
  const begun = half === 0 ? "" : `, and ${half} in part`;
  return `resumed: ${searched} of ${wanted} cells were searched before${begun}`;
}

function cellAt(cells: readonly Cell[], index: number): Cell {
  const cell = cells[index];
  if (cell === undefined) throw new RangeError(`there is no cell ${index}`);
  return cell;
}

function tableBackend(backend: Backend = "simulated"): TableBackend {
  const found = TABLE_BACKENDS.find((each) => each === backend);
  if (found !== undefined) return found;
  throw new UserError(`a table cannot be searched on ${backend}`, `choose one of ${TABLE_BACKENDS.join(", ")}`);
}
