import { extname, join, relative } from "node:path";
import { count } from "../../../reports/wording.ts";
import { HarnessError, UserError } from "../../core/errors.ts";
import { isSimulated, TOPOLOGIES } from "../../core/topology.ts";
import { CampaignJournal, type Shard } from "../../run/campaign-journal.ts";
import { BACKENDS } from "../backend.ts";
import { readFormats } from "../campaign/report-files.ts";
import { readSeed } from "../campaign/seed.ts";
import { isInShard, readShard, shardSuffix } from "../campaign/shard.ts";
import { FAULT_KINDS } from "../campaign-command.ts";
import type { Flags } from "../command.ts";
import { readRunFlags } from "../common-flags.ts";
import { Crew } from "../crew.ts";
import { Progress } from "../progress.ts";
import { beyondSimulation, type Cell, ladderCells, type LadderScope, titleOf } from "./cells.ts";
import { concludeLadder } from "./conclude-ladder.ts";
import {
  counterexamplesIn,
  foundIn,
  type LadderEntry,
  ladderEntrySchema,
  ladderIdentity,
  type LadderParameters,
  mostTelling,
  simulatedIn,
} from "./ladder-journal.ts";
import type { Answer, LadderWork, Task } from "./worker.ts";

const DEFAULT_SEED = 1;
const NAME = "ladder";
const WORKER = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);

/**
 * Searches every cell of locks by faults, or a shard of them, shrinks a counterexample of each lock that broke, and
 * reports. On containers the simulation finds what real servers are then asked to show. What is done is in a journal in
 * the store, from which an interrupted table is resumed.
 * @returns the exit code of `concludeLadder`
 * @throws UserError when no lock has the name that was asked for, or when what shall be resumed is another table
 */
export async function huntLadder(flags: Flags, signal: AbortSignal): Promise<number> {
  const { store, json } = readRunFlags(flags);
  const parameters = readParameters(flags);
  const { scope } = parameters;
  const cells = ladderCells(scope);
  const containersOnly = beyondSimulation(scope);
  if (cells.length === 0) {
    throw containersOnly.length > 0
      ? new UserError(`the simulation cannot run ${containersOnly.join(", ")}`, "add --backend containers")
      : new UserError(`no lock of the table is called ${scope.only?.join(", ") ?? "anything"}`, "name another");
  }
  const shard = readShard(flags);
  const formats = readFormats(flags);
  const budgetSeconds = flags.integer("budget", 1);
  using journal = CampaignJournal.open(store, NAME, ladderIdentity(parameters, shard), {
    resume: flags.on("resume"),
    schema: ladderEntrySchema,
  });
  // Begun before the threads: their start counts too.
  const overtime = budgetSeconds === undefined ? [] : [AbortSignal.timeout(budgetSeconds * 1000)];
  const table = new Table({ cells, shard, parameters, journal, signal, overtime });
  await (scope.backend === "simulated" ? table.simulate() : table.confirm(flags));
  const { entries, wanted } = table;
  return concludeLadder(
    {
      backend: scope.backend,
      found: foundIn(cells, entries, scope.backend),
      wanted,
      reason: signal.aborted ? "it was interrupted" : "the budget was over",
      counterexamples: new Map(
        [...counterexamplesIn(entries, scope.backend)].map(([cell, folder]) => [cell, join(store, folder)]),
      ),
      containersOnly,
    },
    { store, name: `${NAME}${shardSuffix(shard)}`, json, formats, former: flags.text("former") },
  );
}

function readParameters(flags: Flags): LadderParameters {
  const only = flags.text("lock")?.split(",");
  const backend = flags.choice("backend", BACKENDS) ?? "simulated";
  const topology = flags.choice("topology", TOPOLOGIES);
  const kinds = flags.text("faults") === "none" ? [] : flags.list("faults", FAULT_KINDS);
  const [misplaced] = ["path", "require"].filter((name) => flags.text(name) !== undefined);
  if (misplaced !== undefined)
    throw new UserError(`--${misplaced} does not go with a table of locks`, "hunt one lock, or leave it out");
  const scope: LadderScope = {
    all: flags.on("all"),
    backend,
    ...(only === undefined ? {} : { only }),
    ...(topology === undefined ? {} : { topology }),
    ...(kinds === undefined ? {} : { faults: kinds }),
  };
  const runs = flags.integer("runs", 1);
  return { scope, seed: readSeed(flags) ?? DEFAULT_SEED, ...(runs === undefined ? {} : { runs }) };
}

interface Work {
  readonly cells: readonly Cell[];
  readonly shard: Shard | undefined;
  readonly parameters: LadderParameters;
  readonly journal: CampaignJournal<LadderEntry>;
  /** Ends the work at once. */
  readonly signal: AbortSignal;
  /** Begin nothing new when one has come. */
  readonly overtime: readonly AbortSignal[];
}

/** The work on a table: what the journal does not have yet. */
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
    const { cells } = this.#work;
    const searched = new Set(simulatedIn(cells, this.entries).map(({ index }) => index));
    const todo = this.#mine.filter((index) => !searched.has(index));
    using progress = new Progress();
    if (searched.size > 0)
      progress.note(`resumed: ${searched.size} of ${this.#mine.length} cells were searched before`);
    await using crew = this.#crew();
    await this.#perform(
      crew,
      todo.map((cell) => ({ cell })),
      ({ cell }, index) =>
        progress.step(`${searched.size + index + 1} of ${this.#mine.length}: ${titleOf(cellAt(cells, cell))}`),
    );
    const shrunk = counterexamplesIn(this.entries, "simulated");
    const found = simulatedIn(cells, this.entries);
    const telling = mostTelling(foundIn(cells, this.entries, "simulated")).flatMap(({ index }) => {
      const path = found.find((each) => each.index === index)?.outcome.failing?.path;
      return path === undefined || shrunk.has(index) ? [] : [{ cell: index, path }];
    });
    await this.#perform(crew, telling, (_, index) => progress.step(`shrinking ${index + 1} of ${telling.length}`));
  }

  /** Finds plans in simulation, and asks real servers what they do. */
  async confirm(flags: Flags): Promise<void> {
    await this.#findPlans();
    const { cells, parameters, signal, overtime } = this.#work;
    const { store, server, proxyPort } = readRunFlags(flags);
    const asked = new Set(this.entries.flatMap((entry) => ("real" in entry ? [entry.cell] : [])));
    const todo = this.#mine.filter((index) => !asked.has(index));
    const plans = new Map(this.entries.flatMap((entry) => ("plan" in entry ? [[entry.cell, entry.plan]] : [])));
    // Loaded only now: tables of the simulation do without.
    const { CellConfirmation } = await import("./confirm-cells.ts");
    using progress = new Progress();
    const options = { ...parameters, store, server, proxyPort, signal, progress };
    await using confirmation = await CellConfirmation.open(options);
    for (const [position, index] of todo.entries()) {
      if (signal.aborted || overtime.some(({ aborted }) => aborted)) return;
      const cell = cellAt(cells, index);
      progress.note(`${asked.size + position + 1} of ${this.#mine.length} on containers: ${titleOf(cell)}`);
      const real = await confirmation.confirm(cell, plans.get(index) ?? undefined);
      if (real === undefined) return;
      this.#add({ cell: index, real });
      progress.note(`  ${real.found} in ${count(real.runs, "run")}`);
    }
  }

  /** A plan for each cell that may break, where the simulation can find one. */
  async #findPlans(): Promise<void> {
    const { cells } = this.#work;
    const known = new Set(this.entries.flatMap((entry) => ("plan" in entry ? [entry.cell] : [])));
    const todo = this.#mine.filter((index) => {
      const { expected, topology } = cellAt(cells, index);
      return expected !== "holds" && isSimulated(topology.kind) && !known.has(index);
    });
    using progress = new Progress();
    await using crew = this.#crew();
    await this.#perform(
      crew,
      todo.map((cell) => ({ cell, forRealServers: true })),
      ({ cell }, index) => progress.step(`plan ${index + 1} of ${todo.length}: ${titleOf(cellAt(cells, cell))}`),
    );
  }

  #crew(): Crew<Task, Answer> {
    const work: LadderWork = { ...this.#work.parameters, store: this.#work.journal.store };
    return new Crew(WORKER, work);
  }

  /** Has the threads do tasks. A signal ends it at once, a budget after the cells that are under way. */
  #perform(
    crew: Crew<Task, Answer>,
    tasks: readonly Task[],
    onStart: (task: Task, index: number) => void,
  ): Promise<void> {
    const { cells, journal, signal, overtime } = this.#work;
    return crew.do(tasks, {
      signal,
      mayBegin: () => overtime.every(({ aborted }) => !aborted),
      onStart,
      onAnswer: ({ cell }, answer) => this.#add(entryOf(cell, answer, { cells, store: journal.store })),
    });
  }

  #add(entry: LadderEntry): void {
    this.entries.push(entry);
    this.#work.journal.append(entry);
  }
}

function entryOf(
  cell: number,
  answer: Answer,
  { cells, store }: { readonly cells: readonly Cell[]; readonly store: string },
): LadderEntry {
  if ("error" in answer) throw new HarnessError(`${titleOf(cellAt(cells, cell))}: ${answer.error}`);
  if ("plan" in answer) return { cell, plan: answer.plan };
  return "outcome" in answer ? { cell, outcome: answer.outcome } : { cell, shrunk: relative(store, answer.folder) };
}

function cellAt(cells: readonly Cell[], index: number): Cell {
  const cell = cells[index];
  if (cell === undefined) throw new RangeError(`there is no cell ${index}`);
  return cell;
}
