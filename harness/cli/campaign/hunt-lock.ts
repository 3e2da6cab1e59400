import { relative } from "node:path";
import { contentionPlans } from "../../../workloads/contention.ts";
import type { ContainerPool } from "../../containers/container-pool.ts";
import type { Verdict } from "../../core/verdict.ts";
import { CampaignJournal } from "../../run/campaign-journal.ts";
import { type CampaignResult, type Judged, runCampaign } from "../../run/campaign.ts";
import { Regressions } from "../../run/regressions.ts";
import { type Backend, type ExecutedRun, executorOf, keepRun } from "../backend.ts";
import { requiredProperties } from "../claims.ts";
import type { Flags } from "../command.ts";
import { readRunFlags } from "../common-flags.ts";
import { Progress } from "../progress.ts";
import { concludeHunt } from "./conclude-hunt.ts";
import { findingsOf, type HuntEntry, huntEntrySchema, wantedPositions } from "./hunt-journal.ts";
import { type HuntSettings, identityOf, readHunt } from "./hunt-settings.ts";
import { readFormats } from "./report-files.ts";
import { isInShard, shardSuffix } from "./shard.ts";

type HuntRun = Judged & ExecutedRun;

/** What is done so far: in memory and, unless it leads to one counterexample only, in a journal. */
interface WorkDone {
  readonly entries: HuntEntry[];
  add(entry: HuntEntry): void;
}

/**
 * Tries generated plans on one lock until one breaks what it claims, shrinks that one, and reports. What is done is in a
 * journal in the store, from which an interrupted hunt is resumed.
 * @returns the exit code of `concludeHunt`
 */
export async function huntLock(flags: Flags, signal: AbortSignal): Promise<number> {
  const { store, json } = readRunFlags(flags);
  const formats = readFormats(flags);
  const hunt = await readHunt(flags);
  const { name, shard, path, parameters } = hunt;
  using journal =
    path === undefined
      ? CampaignJournal.open(store, name, identityOf(hunt), { resume: flags.on("resume"), schema: huntEntrySchema })
      : undefined;
  const entries = [...(journal?.former ?? [])];
  const record: WorkDone = {
    entries,
    add: (entry) => {
      entries.push(entry);
      journal?.append(entry);
    },
  };
  if (!entries.some(({ verdict }) => verdict === "invalid")) await search(hunt, record, flags, signal);
  const wanted = path === undefined ? wantedPositions(parameters, shard) : entries.length;
  return concludeHunt(findingsOf(parameters, entries, wanted), {
    store,
    name: name + shardSuffix(shard),
    json,
    formats,
    reason: signal.aborted ? "it was interrupted" : "the budget was over",
  });
}

async function search(hunt: HuntSettings, record: WorkDone, flags: Flags, signal: AbortSignal): Promise<void> {
  const { required, json: _, ...options } = readRunFlags(flags);
  const { backend, parameters, shard, regressions } = hunt;
  const { lock, topology, runs, seed } = parameters;
  const title = `hunt for ${lock}`;
  const execute = await executorOf(backend);
  using progress = new Progress();
  await using pool = await poolFor(backend);
  progress.note(`hunting: lock ${lock}, topology ${topology.kind}, ${backend}, seed ${seed}, up to ${runs} runs`);
  const { entries } = record;
  if (entries.length > 0) progress.note(`resumed: ${entries.length} runs were done before`);
  const result = await runCampaign<HuntRun>({
    plans: contentionPlans({ lock, topology: hunt.topology, faults: hunt.faults, retries: true }),
    regressions,
    seed,
    runs,
    ...(hunt.path === undefined ? {} : { path: hunt.path }),
    ...(hunt.budgetMs === undefined ? {} : { budgetMs: hunt.budgetMs }),
    shrinkRuns: hunt.shrinkRuns,
    isMine: (position) => isInShard(position, shard),
    known: new Map(entries.map(({ position, verdict }) => [position, verdict])),
    signal,
    execute: async (plan) => {
      const run = await execute(plan, {
        ...options,
        title,
        required: required ?? requiredProperties(plan),
        signal,
        progress,
        ...(pool === undefined ? {} : { pool }),
      });
      return { ...run, plan, verdict: run.record.verdict };
    },
    onRun: ({ verdict }, { done, shrinking, position }) => {
      // What failed is recorded when it is shrunk and kept.
      if (!shrinking && verdict.verdict !== "invalid") record.add({ position, verdict: verdict.verdict });
      if (backend === "containers")
        progress.note(`${shrinking ? "a smaller plan" : `run ${done} of ${runs}`}: ${outcome(verdict)}`);
      else if (shrinking || done % 25 === 0)
        progress.step(shrinking ? `${title}: shrinking` : `${title}: run ${done} of ${runs}`);
    },
  });
  keepFound(result, record, { store: options.store, isWhole: shard === undefined });
}

/** A shard's own plan becomes a regression when the shards are merged: until then all of them begin with the same ones. */
function keepFound(
  { counterexample }: CampaignResult<HuntRun>,
  record: WorkDone,
  { store, isWhole }: { readonly store: string; readonly isWhole: boolean },
): void {
  if (counterexample === undefined) return;
  const { run, path, shrinks, position } = counterexample;
  if (isWhole) new Regressions(store).keep(run.plan);
  const folder = relative(store, keepRun(run).folder);
  record.add({ position, verdict: "invalid", shrinks, ...(path === undefined ? {} : { path }), folder });
}

/** A verdict in a few words; of one that decides nothing, why. */
function outcome({ verdict, reasons, required, properties }: Verdict): string {
  if (verdict !== "unknown") return verdict;
  const [undecided] = required.filter((property) => properties[property]?.verdict === "unknown");
  const reason = reasons[0] ?? (undecided === undefined ? undefined : properties[undecided]?.reason);
  return reason === undefined ? verdict : `${verdict}: ${reason}`;
}

/** Servers kept between runs; a simulation needs none. */
async function poolFor(backend: Backend): Promise<ContainerPool | undefined> {
  if (backend === "simulated") return undefined;
  const containers = await import("../../containers/container-pool.ts");
  return new containers.ContainerPool();
}
