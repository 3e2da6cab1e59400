import { closeSync, mkdirSync, openSync, readdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { journalFolder, readJournal } from "../../campaign/campaign-journal.ts";
import { type HuntEntry, huntEntrySchema } from "../../campaign/hunt/hunt-journal.ts";
import { appendWhole } from "../../run/output-file.ts";

/**
 * The results of a long hunt in many shards, made of those of a short one in a moment: every run of the long one has what
 * a run of the short one had. @returns the folders of results, one for each shard
 */
export function dividedHunt(
  recorded: string,
  { shards, runsEach, folder }: { readonly shards: number; readonly runsEach: number; readonly folder: string },
): readonly string[] {
  const [name] = readdirSync(journalFolder(recorded)).filter((each) => each.endsWith(".jsonl"));
  if (name === undefined) throw new Error(`${recorded} has no journal`);
  const { identity, entries } = readJournal(join(journalFolder(recorded), name), huntEntrySchema);
  const header = { ...identity, parameters: { ...identity.parameters, runs: shards * runsEach } };
  return Array.from({ length: shards }, (_, index) => {
    const store = join(folder, `results-${index + 1}`);
    const file = join(journalFolder(store), `${basename(name, ".jsonl")}-${index + 1}-of-${shards}`);
    mkdirSync(journalFolder(store), { recursive: true });
    symlinkSync(join(recorded, "runs"), join(store, "runs"));
    const shard = { index: index + 1, count: shards };
    const positions = Array.from({ length: runsEach }, (_, run) => run * shards + index);
    writeLines(`${file}.jsonl`, [
      { format: "lockstorm-campaign", version: 1, ...header, shard },
      ...positions.map((position) => entryAt(position, entries)),
    ]);
    writeLines(
      `${file}.times`,
      positions.map(() => ({ work: 0, elapsedMs: 5 })),
    );
    return store;
  });
}

/** What a run of the short hunt had; only the short hunt's own runs were kept. */
function entryAt(position: number, entries: readonly HuntEntry[]): object {
  const { folder, ...entry } = entries[position % entries.length] ?? {};
  return { ...entry, position, ...(position < entries.length && folder !== undefined ? { folder } : {}) };
}

function writeLines(path: string, lines: readonly object[]): void {
  const file = openSync(path, "wx");
  appendWhole(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  closeSync(file);
}
