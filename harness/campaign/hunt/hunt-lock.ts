import { relative } from "node:path";
import { ordersIn } from "../../history/orders.ts";
import { HarnessError, UserError } from "../../core/errors.ts";
import type { NoteKind, RunNote } from "../../core/run-note.ts";
import type { Plan } from "../../core/plan.ts";
import { shellWord } from "../../core/words/shell-word.ts";
import type { Backend } from "../../core/topologies/backend.ts";
import type { Property } from "../../core/verdict.ts";
import { CampaignJournal } from "../campaign-journal.ts";
import { cleanup } from "../cleanup.ts";
import { type ExecutedRun, executorOf, poolFor, proven } from "../execute.ts";
import { keepRecurring, keepRun } from "../kept-run.ts";
import { recurrenceOf } from "../recurrence/real-servers.ts";
import { requiredProperties, testableProperties } from "../required-properties.ts";
import { Regressions } from "../regressions.ts";
import type { CampaignResult, RunCount } from "../run-campaign.ts";
import { type CompleteEnvironment, completeEnvironment, type RunEnvironment } from "../run-environment.ts";
import { progressOfRuns } from "../parallel/plans-at-a-time.ts";
import type { SimulationThreads } from "../parallel/simulation-threads.ts";
import { basisOf } from "../notes/basis.ts";
import { notesOf } from "../notes/run-notes.ts";
import { search, type Searched } from "../search.ts";
import type { Lesson } from "../systematic/systematic-plans.ts";
import { sumOf } from "../times/work-times.ts";
import { isInShard, shardSuffix } from "../shard.ts";
import { EarlyEnd, type EndedBy } from "./early-end.ts";
import { HuntCount } from "./hunt-count.ts";
import { type HuntEntry, type HuntFindings, huntEntrySchema, wantedPositions } from "./hunt-journal.ts";
import type { HuntOptions } from "./hunt-options.ts";
import { huntSource } from "./hunt-source.ts";
import { identityOf, type PreparedHunt, prepareHunt } from "./prepare-hunt.ts";
import { inFigures } from "../../core/words/in-figures.ts";
import { goingOn } from "../real-time/going-on.ts";
import { HuntTeller } from "./hunt-teller.ts";
import { StartedAgain } from "../real-time/started-again.ts";

/** The one piece of work of a hunt, as its times know it: a time for each run would grow with the hunt. */
const HUNTING = 0;

/** For each kind of note: how many different notes have their first run kept. */
const MOST_KEPT = 20;

/** The work done so far: counted, and in a journal too unless the hunt only leads to one counterexample. */
interface WorkDone {
  /** The verdicts of the plans that were run before the hunt was interrupted, by position. */
  readonly former: ReadonlyMap<number, HuntEntry["verdict"]>;
  readonly firsts: Firsts;
  /** Also records the time since the entry before, or since the hunt began. */
  add(entry: HuntEntry): void;
}

/** The outcome of a hunt for one lock. */
export interface HuntResult {
  /** The name of its journal and its reports: the lock, the topology, the shard. */
  readonly name: string;
  /** The folder of results; folders in the findings are relative to it. */
  readonly store: string;
  readonly findings: HuntFindings;
  /** The path to the one plan that was to be run, if the hunt was asked for that. */
  readonly path?: string | undefined;
  /** Why plans are missing, if some are. */
  readonly reason: string;
  /** Shards whose results are not there, in words. Nobody ended them on purpose: what they found is not known. */
  readonly lostShards?: string | undefined;
  /** What ended the hunt before its runs were done, if neither its caller nor its budget did. */
  readonly endedBy?: EndedBy | undefined;
  /** How long the hunt took, shrinking too; of shards, and of a resumed hunt, the sum. Absent where it is not recorded. */
  readonly elapsedMs?: number | undefined;
}

/**
 * Tries generated plans on one lock until one breaks what it claims, shrinks that one, and keeps it. A journal in the
 * store records the work, and an interrupted hunt is resumed from it.
 * @throws UserError when the options contradict each other, or the journal to resume is that of another hunt
 */
export async function huntLock(options: HuntOptions, environment: RunEnvironment = {}): Promise<HuntResult> {
  const surroundings = completeEnvironment(environment);
  const { store, signal } = surroundings;
  const hunt = await prepareHunt(options, surroundings);
  const { name, shard, path, parameters } = hunt;
  const count = new HuntCount(parameters);
  const former = new Map<number, HuntEntry["verdict"]>();
  const firsts = new Firsts();
  const resume = options.resume === true;
  const onFormer = (entry: HuntEntry): void => {
    count.add(entry);
    former.set(entry.position, entry.verdict);
    if (entry.verdict !== "invalid") firsts.isFirst(entry.notes ?? []);
  };
  using journal =
    path === undefined
      ? CampaignJournal.open(store, name, identityOf(hunt), { resume, schema: huntEntrySchema, onFormer })
      : undefined;
  let begun = performance.now();
  const record: WorkDone = {
    former,
    firsts,
    add: (entry) => {
      count.add(entry);
      journal?.append(entry);
      const now = performance.now();
      journal?.took(HUNTING, now - begun);
      begun = now;
    },
  };
  const endedBy = count.isBroken ? undefined : await tryPlans(hunt, record, surroundings);
  const wanted = path === undefined ? wantedPositions(parameters, shard) : count.runs;
  return {
    name: name + shardSuffix(shard),
    store,
    path,
    findings: count.findings(wanted),
    elapsedMs: journal === undefined ? undefined : sumOf(journal.elapsed),
    reason: endedBy?.reason ?? (signal.aborted ? "the hunt was interrupted" : "the budget was used up"),
    ...(endedBy === undefined ? {} : { endedBy }),
  };
}

/** @returns what ended the hunt early, if something did */
async function tryPlans(
  hunt: PreparedHunt,
  record: WorkDone,
  environment: CompleteEnvironment,
): Promise<EndedBy | undefined> {
  const { backend, topology, capabilities, faults, required, parameters, shard, regressions, path, budgetMs, threads } =
    hunt;
  const { store, signal, progress, drawRun } = environment;
  const { lock, seed, shrinkRuns } = parameters;
  const runs = path === undefined ? parameters.runs : 1;
  const title = `hunt for ${lock}`;
  await using simulations = await simulationsOn(backend, {
    threads,
    store,
    signal,
    plans: Math.ceil(runs / (shard?.count ?? 1)),
  });
  await using pool = await poolFor(backend, threads);
  const execute = simulations?.execute ?? goingOn(await executorOf(backend));
  const parallel = simulations?.parallel ?? threads;
  progress.note(
    `hunting: lock ${lock}, topology ${topology.kind}, ${backend}, seed ${seed}, ${path === undefined ? `up to ${inFigures(runs)} ${runs === 1 ? "run" : "runs"}` : `path ${path}`}`,
  );
  const { former, firsts } = record;
  if (former.size > 0)
    progress.note(`resumed: ${inFigures(former.size)} ${former.size === 1 ? "run was" : "runs were"} done before`);
  const runEnvironment = { ...environment, progress: progressOfRuns(progress, parallel) };
  const inRealTime = backend !== "simulated";
  // Their steps are not told, and in real time the first of them may take minutes.
  if (inRealTime && parallel > 1) progress.step(`${title}: ${parallel} plans at a time`);
  const starts = new StartedAgain(inRealTime, (reason) => progress.note(`a run is tried again: ${reason}`));
  const early = new EarlyEnd(former.size, signal);
  const recording = { firsts, store, drawRun, basis: basisOf(lock, required) };
  // Plans that broke the lock before come first, in addition to the runs that were asked for.
  const told = path === undefined ? runs + regressions.length : runs;
  const conform = `npx lockstorm conform ${shellWord(lock)} --topology ${topology.kind}`;
  const teller = new HuntTeller(progress, { title, conform, runs: told, inRealTime, shrinkRuns });
  teller.beforeRuns();
  const result = await search<ExecutedRun>({
    drawnFrom: huntSource({
      lock,
      topology,
      capabilities,
      faults,
      required,
      supports: hunt.supports,
    }),
    learn: inRealTime ? undefined : teller.whileLearning(await learning(signal)),
    promises: (plan) => {
      const { promised } = parameters;
      if (required !== undefined) return required.length;
      const all = requiredProperties(plan).length;
      const testable = promised === undefined ? all : testableProperties(plan, promised).length;
      // In simulation it also orders the plans, by all that the lock promises; 0 means that nothing of it can be tested.
      return inRealTime || testable === 0 ? testable : all;
    },
    regressions,
    seed,
    runs: parameters.runs,
    path,
    budgetMs,
    shrinkRuns,
    lasts: !inRealTime,
    inRealTime,
    onOtherSeed: (before) => teller.beforeOtherSeed(before),
    isMine: (position) => isInShard(position, shard),
    known: former,
    signal: AbortSignal.any([signal, early.signal]),
    parallel,
    run: (plan, unwanted, delays) => {
      const judged = required ?? requiredProperties(plan);
      const begin = () => execute(plan, { ...runEnvironment, title, required: judged, delays, pool, unwanted });
      return early.run(() => starts.run(begin));
    },
    onUnwanted: (run) => run.discard?.(),
    onRun: (run, count) => {
      // Interrupted from now on, the hunt is given the time to keep it and to tell it.
      if (run.verdict.verdict === "invalid") cleanup.isDue = true;
      const entry = count.shrinking ? undefined : entryOf(run, count, recording);
      if (entry !== undefined) record.add(entry);
      teller.afterRun(run.verdict, count);
      if (!count.shrinking) early.note(run.record.history, run.verdict);
    },
  });
  if (result.counterexample !== undefined) teller.beforeProof();
  await keepFound(result, { record, environment, isWhole: shard === undefined, confirms: hunt.confirms });
  return early.by;
}

/** Loaded only now: the simulation patches the platform. */
async function learning(signal: AbortSignal): Promise<(plan: Plan) => Promise<Lesson>> {
  const { learnSimulated } = await import("../systematic/learn.ts");
  return learnSimulated({ signal });
}

/**
 * What the journal says of a run; the first runs of each note are kept.
 * @returns undefined for one that failed: it is recorded once it is shrunk and kept
 */
function entryOf(
  run: Searched<ExecutedRun>,
  { position, drawn }: Pick<RunCount, "position" | "drawn">,
  {
    firsts,
    store,
    drawRun,
    basis,
  }: Pick<WorkDone, "firsts"> &
    Pick<CompleteEnvironment, "store" | "drawRun"> & { readonly basis: ReturnType<typeof basisOf> },
): HuntEntry | undefined {
  const { plan, verdict, record } = run;
  if (verdict.verdict === "invalid") return undefined;
  const notes = notesOf({ plan, history: record.history, verdict }, basis);
  const folder = firsts.isFirst(notes) ? { folder: relative(store, keepRun(run, drawRun).folder) } : {};
  const orders = drawn ? { orders: ordersIn(record.history) } : {};
  const noted = notes.length === 0 ? {} : { notes };
  return { position, verdict: verdict.verdict, ...noted, ...heldBy(run), ...openIn(run), ...orders, ...folder };
}

/** The threads that simulate; undefined on other backends. Loaded only now: the simulation patches the platform. */
async function simulationsOn(
  backend: Backend,
  options: { readonly threads: number; readonly plans: number } & Pick<CompleteEnvironment, "store" | "signal">,
): Promise<SimulationThreads | undefined> {
  if (backend !== "simulated") return undefined;
  const parallel = await import("../parallel/simulation-threads.ts");
  return new parallel.SimulationThreads(options);
}

/** The notes seen before: the first run of each is kept, up to the limit. */
class Firsts {
  readonly #seen = new Map<NoteKind, Set<string>>();

  /** Whether one of the notes is new, so that the run is worth keeping. */
  isFirst(notes: readonly RunNote[]): boolean {
    return notes.filter((note) => this.#isNew(note)).length > 0;
  }

  #isNew({ kind, what }: RunNote): boolean {
    const seen = this.#seen.get(kind) ?? new Set();
    this.#seen.set(kind, seen);
    return !seen.has(what) && seen.add(what).size <= MOST_KEPT;
  }
}

/**
 * A shard's own counterexample becomes a regression only when the shards are merged: until then all shards begin with
 * the same regressions.
 */
async function keepFound(
  { counterexample }: CampaignResult<Searched<ExecutedRun>>,
  {
    record,
    environment,
    isWhole,
    confirms,
  }: {
    readonly record: WorkDone;
    readonly environment: CompleteEnvironment;
    readonly isWhole: boolean;
    readonly confirms: boolean;
  },
): Promise<void> {
  if (counterexample === undefined) return;
  const { store, drawRun } = environment;
  const { run, path, shrinks, position, otherSeeds } = counterexample;
  if (isWhole) new Regressions(store).keep(run.plan);
  const recurrence = await recurrenceOf({ run, otherSeeds, confirms }, environment);
  const folder = relative(store, keepRecurring(await provenIfPossible(run), recurrence, drawRun).folder);
  record.add({ position, verdict: "invalid", shrinks, ...(path === undefined ? {} : { path }), recurrence, folder });
}

/** The run with its causes proven; as it is, where no further run can be done. What it violated is certain without. */
async function provenIfPossible(run: ExecutedRun): Promise<ExecutedRun> {
  try {
    return await proven(run);
  } catch (error) {
    if (error instanceof UserError || error instanceof HarnessError) return run;
    throw error;
  }
}

/** The properties that decide a run and were valid in it. */
function heldBy({ record: { verdict } }: ExecutedRun): { readonly held?: readonly Property[] } {
  const held = verdict.required.filter((property) => verdict.properties[property]?.verdict === "valid");
  return held.length === 0 ? {} : { held };
}

/** The properties that decide a run and were not decided in it. */
function openIn({ record: { verdict } }: ExecutedRun): { readonly open?: readonly Property[] } {
  const open = verdict.required.filter((property) => verdict.properties[property]?.verdict === "unknown");
  return open.length === 0 ? {} : { open };
}
