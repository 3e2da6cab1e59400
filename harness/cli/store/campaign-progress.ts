import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { z } from "zod";
import { inFigures } from "../../core/words/in-figures.ts";

const CHUNK = 1 << 20;

const headerSchema = z.looseObject({
  kind: z.string(),
  parameters: z.looseObject({
    lock: z.string().optional(),
    seed: z.number().optional(),
    runs: z.number().optional(),
    cells: z.array(z.string()).optional(),
    regressions: z.array(z.string()).optional(),
  }),
  shard: z.object({ index: z.number(), count: z.number() }).optional(),
});
type Header = z.infer<typeof headerSchema>;

const entrySchema = z.looseObject({
  verdict: z.string().optional(),
  outcome: z.looseObject({ found: z.string() }).optional(),
  real: z.looseObject({ found: z.string() }).optional(),
  /** Of an exploration: the schedules of one part, and the workload as it is, which comes first. */
  schedules: z.array(z.looseObject({ outcome: z.string() })).optional(),
  opened: z.string().optional(),
  schedule: z.looseObject({ outcome: z.string() }).optional(),
});

/** What is counted, by the kind of campaign; runs of any other. */
const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  ladder: ["cell", "cells"],
  exploration: ["schedule", "schedules"],
};

/** How far a campaign is, by its journal. */
export interface CampaignProgress {
  /** What it is, and how much of it is done: `hunt, single, seed 3: 312 of 1,000 runs done, 310 valid, 2 unknown`. */
  readonly about: string;
  readonly done: number;
  /** Absent where nobody knows. */
  readonly wanted?: number | undefined;
}

/**
 * Follows the journal of a campaign while it grows: only what was appended since is read.
 */
export class JournalFollower {
  readonly #file: string;
  #header: Header | undefined;
  #offset = 0;
  #first = "";
  #torn = Buffer.alloc(0);
  #counts = new Map<string, number>();

  constructor(file: string) {
    this.#file = file;
  }

  /** @throws Error when its first line is none of a journal */
  progress(): CampaignProgress {
    this.#read();
    if (this.#header === undefined) return { about: "has not begun", done: 0 };
    const done = this.#done();
    // A hunt ends with its counterexample: no further run is to be expected.
    const wanted = this.#isFound ? done : wantedOf(this.#header);
    return { about: words(this.#header, { done, wanted, counts: this.#counts, isFound: this.#isFound }), done, wanted };
  }

  /** Whether this is a hunt that found its counterexample, and so ended. */
  get #isFound(): boolean {
    return this.#header?.kind === "hunt" && this.#counts.has("invalid");
  }

  #done(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  #read(): void {
    if (!existsSync(this.#file)) return;
    const file = openSync(this.#file, "r");
    try {
      // A campaign that begins again has another journal under the same name.
      if (fstatSync(file).size < this.#offset || this.#isReplaced(file)) this.#forget();
      const chunk = Buffer.allocUnsafe(CHUNK);
      for (let length = -1; length !== 0;) {
        length = readSync(file, chunk, 0, CHUNK, this.#offset);
        this.#offset += length;
        this.#take(Buffer.concat([this.#torn, chunk.subarray(0, length)]));
      }
    } finally {
      closeSync(file);
    }
  }

  #isReplaced(file: number): boolean {
    if (this.#first === "") return false;
    const bytes = Buffer.alloc(Buffer.byteLength(this.#first));
    readSync(file, bytes, 0, bytes.length, 0);
    return bytes.toString("utf8") !== this.#first;
  }

  #forget(): void {
    this.#header = undefined;
    this.#offset = 0;
    this.#first = "";
    this.#torn = Buffer.alloc(0);
    this.#counts = new Map();
  }

  #take(bytes: Buffer): void {
    const end = bytes.lastIndexOf("\n") + 1;
    this.#torn = Buffer.from(bytes.subarray(end));
    for (const line of bytes.toString("utf8", 0, end).split("\n")) {
      if (line === "") continue;
      if (this.#header === undefined) {
        this.#header = headerSchema.parse(JSON.parse(line));
        this.#first = line;
      } else this.#count(line);
    }
  }

  #count(line: string): void {
    for (const word of wordsOf(line)) this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
  }
}

/** How the run, the cell or the schedules of an entry came out; none for an entry that is a part of one. */
function wordsOf(line: string): readonly string[] {
  const parsed = entrySchema.safeParse(asJson(line));
  if (!parsed.success) return [];
  const { verdict, outcome, real, schedules, opened, schedule } = parsed.data;
  if (schedules !== undefined) return schedules.map((each) => each.outcome);
  if (opened === "" && schedule !== undefined) return [schedule.outcome];
  const word = verdict ?? real?.found ?? outcome?.found;
  return word === undefined ? [] : [word];
}

function wantedOf({ kind, parameters, shard }: Header): number | undefined {
  const { runs, cells, regressions = [] } = parameters;
  const all = kind === "hunt" ? (runs === undefined ? undefined : runs + regressions.length) : cells?.length;
  if (all === undefined || shard === undefined) return all;
  return Math.max(0, Math.ceil((all - shard.index + 1) / shard.count));
}

function words(
  { kind, parameters, shard }: Header,
  {
    done,
    wanted,
    counts,
    isFound,
  }: {
    readonly done: number;
    readonly wanted: number | undefined;
    readonly counts: ReadonlyMap<string, number>;
    readonly isFound: boolean;
  },
): string {
  const { lock, seed } = parameters;
  const part = shard === undefined ? [] : [`shard ${shard.index} of ${shard.count}`];
  const what = [kind, ...(lock === undefined ? [] : [lock]), ...(seed === undefined ? [] : [`seed ${seed}`]), ...part];
  const outcomes = [...counts].map(([word, count]) => `${inFigures(count)} ${word}`).join(", ");
  const unit = UNITS[kind] ?? ["run", "runs"];
  const counted = `${inFigures(done)} ${unit[done === 1 ? 0 : 1]}`;
  if (isFound) return `${what.join(", ")}: counterexample found after ${counted}, ${outcomes}`;
  const extent = wanted === undefined ? counted : `${inFigures(done)} of ${inFigures(wanted)} ${unit[1]}`;
  return `${what.join(", ")}: ${extent} done${outcomes === "" ? "" : `, ${outcomes}`}`;
}

function asJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
