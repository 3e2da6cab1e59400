import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { z } from "zod";
import { UserError } from "../core/errors.ts";
import { firstIssue } from "../history/first-issue.ts";
import { STORE } from "../run/store.ts";
import {
  type CampaignIdentity,
  differenceOf,
  type JournalContent,
  journalEntries,
  journalFolder,
  readIdentity,
  readJournal,
} from "./campaign-journal.ts";
import type { ExploreResult } from "./explore/explore.ts";
import {
  exploreEntrySchema,
  exploreParametersSchema,
  ExploreRecord,
  findingsOf as findingsOfExploration,
} from "./explore/explore-journal.ts";
import { explorationName } from "./explore/prepare-exploration.ts";
import { HuntCount } from "./hunt/hunt-count.ts";
import { type HuntEntry, huntEntrySchema, huntParametersSchema, wantedPositions } from "./hunt/hunt-journal.ts";
import type { HuntResult } from "./hunt/hunt-lock.ts";
import { huntName } from "./hunt/prepare-hunt.ts";
import { adoptRun, readKeptRun } from "./kept-run.ts";
import type { LadderResult } from "./ladder/hunt-ladder.ts";
import { counterexamplesIn, foundIn, ladderEntrySchema, mostTelling, tableOfJournal } from "./ladder/ladder-journal.ts";
import { Regressions } from "./regressions.ts";
import { missingShards, refuseMixedShards } from "./shard.ts";
import type { TalliedNote } from "./notes/tally.ts";
import { type ElapsedMs, joinedTimes, readElapsed, sumOf } from "./times/work-times.ts";

/** The results of all shards of one campaign, as if it had not been divided. */
export type MergedResult =
  | { readonly ladder: LadderResult }
  | { readonly hunt: HuntResult }
  | { readonly exploration: ExploreResult };

/** A journal and the campaign that it belongs to. */
type Identified = readonly [file: string, identity: CampaignIdentity];

/**
 * Merges the results of a campaign's shards, and copies counterexamples into the store.
 * @param paths folders of results; a path may also name a journal
 * @throws UserError when there is none, or when they are not of one campaign
 */
export async function mergeResults(paths: readonly string[], store: string = STORE): Promise<MergedResult> {
  const files = journalsIn(paths);
  const identities = files.map((file) => [file, readIdentity(file)] as const);
  const { kind } = commonIdentity(identities);
  refuseMixedShards(identities.map(([file, { shard }]) => ({ file, shard })));
  if (kind === "exploration") return { exploration: await mergeExploration(files, store) };
  return kind === "ladder" ? { ladder: mergeLadder(files, store) } : { hunt: await mergeHunt(identities, store) };
}

/**
 * The journals of folders of results; a path may also name a journal.
 * @throws UserError when there is none
 */
function journalsIn(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    if (existsSync(path) && statSync(path).isFile()) return [path];
    const folder = journalFolder(path);
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".jsonl")) : [];
    if (names.length > 0) return names.toSorted().map((name) => join(folder, name));
    throw new UserError(`${path} holds no results`, "give the --store of a hunt");
  });
}

/**
 * The campaign that all journals belong to.
 * @throws UserError when they are not of one campaign
 */
function commonIdentity(identities: readonly Identified[]): CampaignIdentity {
  const [first, ...rest] = identities;
  if (first === undefined) throw new UserError("there is nothing to merge", "give the folders of results");
  for (const [file, identity] of rest) {
    const difference = differenceOf(first[1], identity);
    if (difference !== undefined) {
      throw new UserError(
        `${first[0]} and ${file} belong to different campaigns (${difference})`,
        "merge one campaign at a time; you can also name a journal file",
      );
    }
  }
  return first[1];
}

/** Merges tables: the report covers the whole table, whichever shard searched which cell. */
function mergeLadder(files: readonly string[], store: string): LadderResult {
  const journals = read(files, ladderEntrySchema);
  const [first = ""] = files;
  const { cells, backend, search } = tableOfJournal(commonIdentity(identified(journals)), first);
  const folders = new Map(
    journals.flatMap(({ file, entries }) =>
      [...counterexamplesIn(entries, backend)].map(([cell, folder]) => [cell, join(storeOf(file), folder)] as const),
    ),
  );
  const found = foundIn(
    cells,
    journals.flatMap(({ entries }) => entries),
    backend,
  );
  const shown = mostTelling(found).flatMap(({ index }) => {
    const folder = folders.get(index);
    return folder === undefined ? [] : [[index, adoptRun(folder, store)] as const];
  });
  return {
    name: "ladder",
    backend,
    search,
    found,
    elapsed: timesOf(files),
    wanted: cells.length,
    reason: reasonOf(identified(journals)),
    counterexamples: new Map(shown),
    containersOnly: [],
    notInstalled: [],
  };
}

/** The parameters of the campaign that all journals belong to. @throws UserError naming a field that does not fit */
function parametersOf<T>(identities: readonly Identified[], schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(commonIdentity(identities).parameters);
  if (parsed.success) return parsed.data;
  const file = identities[0]?.[0] ?? "a journal";
  const problem = `parameters.${firstIssue(parsed.error)}`;
  throw new UserError(`${file}, line 1 is not part of a campaign: ${problem}`, "give the unchanged results of a hunt");
}

/** Merges hunts for one lock: the first counterexample counts, as in an undivided hunt. */
async function mergeHunt(identities: readonly Identified[], store: string): Promise<HuntResult> {
  const files = identities.map(([file]) => file);
  const parameters = parametersOf(identities, huntParametersSchema);
  const count = new HuntCount(parameters, firstBroken(files));
  for (const file of files) for (const entry of huntEntries(file)) count.add(entry);
  const { counterexample, notes, ...counts } = count.findings(wantedPositions(parameters, undefined));
  const kept = counterexample === undefined ? undefined : adoptRun(counterexample.folder, store);
  if (kept !== undefined) {
    const { plan } = await readKeptRun(kept);
    if (plan !== undefined) new Regressions(store).keep(plan);
  }
  const found =
    counterexample === undefined || kept === undefined
      ? {}
      : { counterexample: { ...counterexample, folder: relative(store, kept) } };
  return {
    name: huntName(parameters.lock, parameters.topology.kind),
    store,
    findings: { ...counts, notes: adopted(notes, store), ...found },
    reason: reasonOf(identities),
    elapsedMs: sumOf(timesOf(files)),
    lostShards: missingShards(identities.map(([, { shard }]) => shard)),
  };
}

/** The position of the first counterexample in any of the journals; Infinity where there is none. */
function firstBroken(files: readonly string[]): number {
  let first = Infinity;
  for (const file of files) {
    for (const { verdict, position } of huntEntries(file)) if (verdict === "invalid") first = Math.min(first, position);
  }
  return first;
}

/** The entries of a hunt's journal, one by one: there may be millions. Folders are those of the runs. */
function* huntEntries(file: string): Generator<HuntEntry> {
  for (const entry of journalEntries(file, huntEntrySchema)) {
    yield entry.folder === undefined ? entry : { ...entry, folder: join(storeOf(file), entry.folder) };
  }
}

/** Merges explorations: what counts is what an undivided exploration would have run. */
async function mergeExploration(files: readonly string[], store: string): Promise<ExploreResult> {
  const journals = read(files, exploreEntrySchema);
  const identities = identified(journals);
  const parameters = parametersOf(identities, exploreParametersSchema);
  const entries = journals.flatMap(({ file, entries: each }) =>
    each.map((entry) => ("broken" in entry ? { ...entry, folder: join(storeOf(file), entry.folder) } : entry)),
  );
  const { broken, ...found } = findingsOfExploration(parameters, new ExploreRecord(entries), undefined);
  const kept = broken?.folder === undefined ? undefined : adoptRun(broken.folder, store);
  if (kept !== undefined) {
    const { plan } = await readKeptRun(kept);
    if (plan !== undefined) new Regressions(store).keep(plan);
  }
  const folder = kept === undefined ? undefined : relative(store, kept);
  return {
    name: explorationName(parameters.lock, parameters.topology.kind),
    store,
    findings: { ...found, broken: broken && { path: broken.path, folder } },
    reason: reasonOf(identified(journals)),
  };
}

/** Notes with their first runs in another store; without a run where it is not among the results. */
function adopted(notes: readonly TalliedNote[], store: string): readonly TalliedNote[] {
  const folders = new Map<string, string>();
  return notes.map(({ folder, ...note }) => {
    if (folder === undefined || !existsSync(folder)) return note;
    const known = folders.get(folder) ?? relative(store, adoptRun(folder, store));
    folders.set(folder, known);
    return { ...note, folder: known };
  });
}

/** The times of all shards. */
function timesOf(files: readonly string[]): ElapsedMs {
  return joinedTimes(files.map(readElapsed));
}

function read<T>(files: readonly string[], schema: z.ZodType<T>): readonly JournalContent<T>[] {
  return files.map((file) => readJournal(file, schema));
}

function identified(journals: readonly JournalContent<unknown>[]): readonly Identified[] {
  return journals.map(({ file, identity }) => [file, identity]);
}

/** The folder of results that contains a journal. */
function storeOf(file: string): string {
  return dirname(dirname(file));
}

/** Why results are missing, if some are. */
function reasonOf(identities: readonly Identified[]): string {
  const missing = missingShards(identities.map(([, { shard }]) => shard));
  return missing === undefined ? "the hunt was not finished" : `${missing} is missing from the results`;
}
