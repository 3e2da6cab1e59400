import { closeSync, existsSync } from "node:fs";
import { z } from "zod";
import { appendWhole, openForLines } from "../../run/output-file.ts";
import { wholeLines } from "../../run/whole-lines.ts";

const lineSchema = z.object({ work: z.int().nonnegative(), elapsedMs: z.number().nonnegative() });

/** The file of a journal's times. */
function timesFile(journal: string): string {
  return `${journal.replace(/\.jsonl$/, "")}.times`;
}

/**
 * How long each piece of a campaign's work took, as JSON lines beside its journal: a journal is the same however fast
 * the machine is, and shards merged are the same as the whole.
 */
export class WorkTimes implements Disposable {
  readonly #file: number;
  readonly #elapsed: Map<number, number>;

  /** @param isNew whether what is in the file belongs to another campaign */
  constructor(journal: string, isNew: boolean) {
    const file = timesFile(journal);
    this.#elapsed = isNew ? new Map() : new Map(readElapsed(journal));
    this.#file = openForLines(file, isNew || !existsSync(file));
  }

  /** The times of this campaign: the file may have been taken by another one that began in the same store meanwhile. */
  get elapsed(): ElapsedMs {
    return this.#elapsed;
  }

  add(work: number, elapsedMs: number): void {
    const line = { work, elapsedMs: Number(elapsedMs.toFixed(1)) };
    addTime(this.#elapsed, line);
    appendWhole(this.#file, `${JSON.stringify(line)}\n`);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

/** How long pieces of work took, in milliseconds; work that was done in several parts has their sum. */
export type ElapsedMs = ReadonlyMap<number, number>;

/** The times beside a journal; none for a journal that an older version wrote. Lines that are torn are left out. */
export function readElapsed(journal: string): ElapsedMs {
  const file = timesFile(journal);
  const elapsed = new Map<number, number>();
  if (!existsSync(file)) return elapsed;
  for (const line of wholeLines(file)) {
    const parsed = lineSchema.safeParse(asJson(line));
    if (parsed.success) addTime(elapsed, parsed.data);
  }
  return elapsed;
}

/** The times of several journals. No two did the same part of a piece of work. */
export function joinedTimes(times: Iterable<ElapsedMs>): ElapsedMs {
  const joined = new Map<number, number>();
  for (const elapsed of times) for (const [work, elapsedMs] of elapsed) addTime(joined, { work, elapsedMs });
  return joined;
}

function addTime(elapsed: Map<number, number>, { work, elapsedMs }: z.infer<typeof lineSchema>): void {
  elapsed.set(work, (elapsed.get(work) ?? 0) + elapsedMs);
}

/** The sum of all times, or of those of some pieces; undefined where none was measured. */
export function sumOf(elapsed: ElapsedMs, works: Iterable<number> = elapsed.keys()): number | undefined {
  let sum: number | undefined;
  for (const work of works) {
    const one = elapsed.get(work);
    if (one !== undefined) sum = (sum ?? 0) + one;
  }
  return sum === undefined ? undefined : Number(sum.toFixed(1));
}

function asJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
