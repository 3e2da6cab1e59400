import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { z } from "zod";
import { UserError } from "../../core/errors.ts";
import {
  type CampaignIdentity,
  differenceOf,
  type JournalContent,
  journalFolder,
  readJournal,
} from "../../run/campaign-journal.ts";
import { Regressions } from "../../run/regressions.ts";
import { concludeLadder } from "../ladder/conclude-ladder.ts";
import {
  counterexamplesIn,
  foundIn,
  ladderEntrySchema,
  mostTelling,
  tableOfJournal,
} from "../ladder/ladder-journal.ts";
import { concludeHunt } from "./conclude-hunt.ts";
import { findingsOf, huntEntrySchema, huntParametersSchema, wantedPositions } from "./hunt-journal.ts";
import { huntName } from "./hunt-settings.ts";
import { adoptRun, readKeptRun } from "./kept-run.ts";
import type { ReportFormat } from "./report-files.ts";

export interface MergeOptions {
  /** Where the counterexamples are copied to and the reports are written. */
  readonly store: string;
  readonly json: boolean;
  readonly formats: readonly ReportFormat[];
  readonly former?: string | undefined;
}

/** The journals of folders of results; a journal may be named itself. @throws UserError when there is none */
export function journalsIn(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    if (existsSync(path) && statSync(path).isFile()) return [path];
    const folder = journalFolder(path);
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".jsonl")) : [];
    if (names.length > 0) return names.toSorted().map((name) => join(folder, name));
    throw new UserError(`${path} holds no results`, "give the --store of a hunt");
  });
}

/** What all journals are of. @throws UserError when they are not of one campaign */
export function commonIdentity(identities: readonly (readonly [file: string, CampaignIdentity])[]): CampaignIdentity {
  const [first, ...rest] = identities;
  if (first === undefined) throw new UserError("there is nothing to merge", "give the folders of results");
  for (const [file, identity] of rest) {
    const difference = differenceOf(first[1], identity);
    if (difference !== undefined) {
      throw new UserError(
        `${first[0]} and ${file} are of different campaigns (${difference})`,
        "merge one campaign at a time; a journal can be named itself",
      );
    }
  }
  return first[1];
}

/** Puts tables together: the report is that of the whole, whoever searched which cell. */
export function mergeLadder(files: readonly string[], options: MergeOptions): Promise<number> {
  const journals = read(files, ladderEntrySchema);
  const [first = ""] = files;
  const { cells, backend } = tableOfJournal(
    commonIdentity(journals.map(({ file, identity }) => [file, identity])),
    first,
  );
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
    return folder === undefined ? [] : [[index, adoptRun(folder, options.store)] as const];
  });
  return concludeLadder(
    {
      backend,
      found,
      wanted: cells.length,
      reason: missingShards(journals),
      counterexamples: new Map(shown),
      containersOnly: [],
    },
    { ...options, name: "ladder" },
  );
}

/** Puts hunts for one lock together: the first counterexample counts, as it would have in one piece. */
export async function mergeHunt(files: readonly string[], options: MergeOptions): Promise<number> {
  const journals = read(files, huntEntrySchema);
  const identity = commonIdentity(journals.map(({ file, identity: each }) => [file, each]));
  const parameters = huntParametersSchema.parse(identity.parameters);
  const entries = journals.flatMap(({ file, entries: each }) =>
    each.map((entry) =>
      entry.verdict === "invalid" ? { ...entry, folder: join(storeOf(file), entry.folder) } : entry,
    ),
  );
  const { counterexample, ...counts } = findingsOf(parameters, entries, wantedPositions(parameters, undefined));
  const kept = counterexample === undefined ? undefined : adoptRun(counterexample.folder, options.store);
  if (kept !== undefined) {
    const { plan } = await readKeptRun(kept);
    if (plan !== undefined) new Regressions(options.store).keep(plan);
  }
  const found =
    counterexample === undefined || kept === undefined
      ? {}
      : { counterexample: { ...counterexample, folder: relative(options.store, kept) } };
  return concludeHunt(
    { ...counts, ...found },
    { ...options, name: huntName(parameters.lock, parameters.topology.kind), reason: missingShards(journals) },
  );
}

function read<T>(files: readonly string[], schema: z.ZodType<T>): readonly JournalContent<T>[] {
  return files.map((file) => readJournal(file, schema));
}

/** The folder of results that a journal lies in. */
function storeOf(file: string): string {
  return dirname(dirname(file));
}

/** Why results are missing, if they are. */
function missingShards(journals: readonly JournalContent<unknown>[]): string {
  const shards = journals.flatMap(({ identity: { shard } }) => (shard === undefined ? [] : [shard]));
  const count = Math.max(1, ...shards.map((shard) => shard.count));
  const missing = Array.from({ length: count }, (_, index) => index + 1).filter(
    (number) => !shards.some(({ index }) => index === number),
  );
  return missing.length === 0 || shards.length === 0
    ? "the hunt was not finished"
    : `shard ${missing.join(", ")} of ${count} is not among the results`;
}
