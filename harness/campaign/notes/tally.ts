import { NOTE_KINDS, type RunNote } from "../../core/run-note.ts";

/** A note of a run, counted over a campaign. */
export interface TalliedNote extends RunNote {
  readonly runs: number;
  /** The folder of the first such run, where it was kept. */
  readonly folder?: string;
}

/** Counts the notes of runs, given in the order of the campaign: by kind, the most frequent first. */
export function tally(
  runs: readonly { readonly notes?: readonly RunNote[]; readonly folder?: string }[],
): readonly TalliedNote[] {
  const counted = new Tally();
  for (const [position, { notes = [], folder }] of runs.entries()) counted.addRun(notes, { position, folder });
  return counted.sorted;
}

/** A note with the places in the campaign where it came first. */
interface Counted {
  readonly note: TalliedNote;
  /** The position of the first run that had it. */
  readonly at: number;
  /** The position of the run whose folder it names. */
  readonly folderAt: number;
}

/**
 * Notes, counted while a campaign goes on. The runs may come in any order, as those of shards do, if each comes with its
 * position.
 */
export class Tally {
  readonly #found = new Map<string, Counted>();
  #next = 0;

  /** @param before what was counted earlier, as `counted` gave it */
  constructor(before: readonly TalliedNote[] = []) {
    for (const note of before) {
      const at = this.#next++;
      this.#found.set(keyOf(note), { note, at, folderAt: note.folder === undefined ? Infinity : at });
    }
  }

  /** Adds a note of a run that comes after all before. */
  add(note: RunNote): void {
    this.#count(note, this.#next++, undefined);
  }

  /** Adds the notes of the run at a position of the campaign. */
  addRun(
    notes: readonly RunNote[],
    { position, folder }: { readonly position: number; readonly folder?: string | undefined },
  ): void {
    for (const [index, note] of notes.entries()) this.#count(note, position + index / notes.length, folder);
  }

  /** In the order in which they came first. */
  get counted(): readonly TalliedNote[] {
    return [...this.#found.values()].toSorted((one, other) => one.at - other.at).map(({ note }) => note);
  }

  /** By kind, the most frequent first, and of equals the one that came first. */
  get sorted(): readonly TalliedNote[] {
    return this.counted.toSorted(
      (one, other) => NOTE_KINDS.indexOf(one.kind) - NOTE_KINDS.indexOf(other.kind) || other.runs - one.runs,
    );
  }

  #count({ kind, what }: RunNote, at: number, folder: string | undefined): void {
    const key = keyOf({ kind, what });
    const known = this.#found.get(key);
    const isFirst = folder !== undefined && at < (known?.folderAt ?? Infinity);
    const first = isFirst ? folder : known?.note.folder;
    this.#found.set(key, {
      note: withFolder({ kind, what, runs: (known?.note.runs ?? 0) + 1 }, first),
      at: Math.min(at, known?.at ?? Infinity),
      folderAt: isFirst ? at : (known?.folderAt ?? Infinity),
    });
  }
}

function withFolder(note: TalliedNote, folder: string | undefined): TalliedNote {
  return folder === undefined ? note : { ...note, folder };
}

/** Equal for notes that count together. */
function keyOf({ kind, what }: RunNote): string {
  return JSON.stringify([kind, what]);
}

/**
 * Whether a campaign decided enough to be called valid: at least one run was valid, no more runs were unknown than
 * valid, and the lock neither crashed a client nor flooded a server. Runs under whose faults nothing was promised do not count.
 */
export function isDecided(counts: {
  readonly valid: number;
  readonly unknown: number;
  readonly notes: readonly RunNote[];
}): boolean {
  const { valid, unknown } = counts;
  return valid > 0 && valid >= unknown && harmsBy(counts).length === 0;
}

/** What a lock does that ends a client or the run: whatever the other runs show, this is to be looked at. */
const HARMS = ["crashed", "flooded"] as const;
export type Harm = (typeof HARMS)[number];

/** What the lock did so in some run. */
export function harmsBy({ notes }: { readonly notes: readonly RunNote[] }): readonly Harm[] {
  return HARMS.filter((harm) => notes.some(({ kind }) => kind === harm));
}

export function isHarm({ kind }: RunNote): boolean {
  return HARMS.some((harm) => harm === kind);
}
