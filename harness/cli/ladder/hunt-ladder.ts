import { extname, join, relative } from "node:path";
import { HarnessError, UserError } from "../../core/errors.ts";
import { CampaignJournal, type Shard } from "../../run/campaign-journal.ts";
import { readFormats } from "../campaign/report-files.ts";
import { readSeed } from "../campaign/seed.ts";
import { isInShard, readShard, shardSuffix } from "../campaign/shard.ts";
import type { Flags } from "../command.ts";
import { Crew } from "../crew.ts";
import { Progress } from "../progress.ts";
import { type Cell, ladderCells, type LadderScope, titleOf } from "./cells.ts";
import { concludeLadder } from "./conclude-ladder.ts";
import {
  foundIn,
  type LadderEntry,
  ladderEntrySchema,
  ladderIdentity,
  type LadderParameters,
  mostTelling,
} from "./ladder-journal.ts";
import type { Answer, LadderWork, Task } from "./worker.ts";

const DEFAULT_SEED = 1;
const NAME = "ladder";
const WORKER = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);

/**
 * Searches every cell of locks by faults in simulation, or a shard of them, shrinks a counterexample of each lock that
 * broke, and reports. What is done is in a journal in the store, from which an interrupted table is resumed.
 * @returns the exit code of `concludeLadder`
 * @throws UserError when no lock has the name that was asked for, or when what shall be resumed is another table
 */
export async function huntLadder(options: {
  readonly flags: Flags;
  readonly store: string;
  readonly json: boolean;
  readonly signal: AbortSignal;
}): Promise<number> {
  const { flags, store, json } = options;
  const parameters = readParameters(flags);
  const cells = ladderCells(parameters.scope);
  if (cells.length === 0)
    throw new UserError(`no lock of the table is called ${parameters.scope.only?.join(", ")}`, "name another");
  const shard = readShard(flags);
  const formats = readFormats(flags);
  const budgetSeconds = flags.integer("budget", 1);
  using journal = CampaignJournal.open(store, NAME, ladderIdentity(parameters, shard), {
    resume: flags.on("resume"),
    schema: ladderEntrySchema,
  });
  // Begun before the threads: their start counts too.
  const overtime = budgetSeconds === undefined ? [] : [AbortSignal.timeout(budgetSeconds * 1000)];
  const { entries, wanted } = await search({ cells, shard, parameters, journal }, options.signal, overtime);
  return concludeLadder(
    {
      found: foundIn(cells, entries),
      wanted,
      reason: options.signal.aborted ? "it was interrupted" : "the budget was over",
      shrunk: new Map(entries.flatMap((entry) => ("shrunk" in entry ? [[entry.cell, join(store, entry.shrunk)]] : []))),
    },
    { store, name: `${NAME}${shardSuffix(shard)}`, json, formats, former: flags.text("former") },
  );
}

function readParameters(flags: Flags): LadderParameters {
  const only = flags.text("lock")?.split(",");
  const scope: LadderScope = { all: flags.on("all"), ...(only === undefined ? {} : { only }) };
  const runs = flags.integer("runs", 1);
  return { scope, seed: readSeed(flags) ?? DEFAULT_SEED, ...(runs === undefined ? {} : { runs }) };
}

interface Work {
  readonly cells: readonly Cell[];
  readonly shard: Shard | undefined;
  readonly parameters: LadderParameters;
  readonly journal: CampaignJournal<LadderEntry>;
}

/** Does what the journal does not have yet. A signal ends it at once, a budget after the cells that are under way. */
async function search(
  { cells, shard, parameters, journal }: Work,
  signal: AbortSignal,
  overtime: readonly AbortSignal[],
): Promise<{ readonly entries: readonly LadderEntry[]; readonly wanted: number }> {
  const entries = [...journal.former];
  const mine = cells
    .keys()
    .filter((index) => isInShard(index, shard))
    .toArray();
  const searched = new Set(foundIn(cells, entries).map(({ index }) => index));
  const todo = mine.filter((index) => !searched.has(index));
  const shrunk = new Set(entries.flatMap((entry) => ("shrunk" in entry ? [entry.cell] : [])));
  using progress = new Progress();
  if (searched.size > 0) progress.note(`resumed: ${searched.size} of ${mine.length} cells were searched before`);
  const work: LadderWork = { ...parameters, store: journal.store };
  await using crew = new Crew<Task, Answer>(WORKER, work);
  const perform = (tasks: readonly Task[], say: (task: Task, index: number) => string): Promise<void> =>
    crew.do(tasks, {
      signal,
      mayBegin: () => overtime.every(({ aborted }) => !aborted),
      onStart: (task, index) => progress.step(say(task, index)),
      onAnswer: ({ cell }, answer) => {
        const entry = entryOf(cell, answer, { cells, store: journal.store });
        entries.push(entry);
        journal.append(entry);
      },
    });
  await perform(
    todo.map((cell) => ({ cell })),
    ({ cell }, index) => `${searched.size + index + 1} of ${mine.length}: ${titleOf(cellAt(cells, cell))}`,
  );
  const telling = mostTelling(foundIn(cells, entries)).filter(({ index }) => !shrunk.has(index));
  await perform(
    telling.map(({ index, outcome }) => ({ cell: index, path: outcome.failing?.path ?? "" })),
    (_, index) => `shrinking ${index + 1} of ${telling.length}`,
  );
  return { entries, wanted: mine.length };
}

function entryOf(
  cell: number,
  answer: Answer,
  { cells, store }: { readonly cells: readonly Cell[]; readonly store: string },
): LadderEntry {
  if ("error" in answer) throw new HarnessError(`${titleOf(cellAt(cells, cell))}: ${answer.error}`);
  return "outcome" in answer ? { cell, outcome: answer.outcome } : { cell, shrunk: relative(store, answer.folder) };
}

function cellAt(cells: readonly Cell[], index: number): Cell {
  const cell = cells[index];
  if (cell === undefined) throw new RangeError(`there is no cell ${index}`);
  return cell;
}
