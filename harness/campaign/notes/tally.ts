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
  for (const { notes = [], folder } of runs) for (const note of notes) counted.add(note, folder);
  return counted.sorted;
}

/** Notes, counted while a campaign goes on. */
export class Tally {
  readonly #found = new Map<string, TalliedNote>();

  /** @param before what was counted earlier, as `counted` gave it */
  constructor(before: readonly TalliedNote[] = []) {
    for (const note of before) this.#found.set(keyOf(note), note);
  }

  add({ kind, what }: RunNote, folder?: string): void {
    const key = keyOf({ kind, what });
    const known = this.#found.get(key);
    this.#found.set(key, { kind, what, runs: (known?.runs ?? 0) + 1, ...firstOf(known, folder) });
  }

  /** In the order in which they came first. */
  get counted(): readonly TalliedNote[] {
    return [...this.#found.values()];
  }

  /** By kind, the most frequent first, and of equals the one that came first. */
  get sorted(): readonly TalliedNote[] {
    return this.counted.toSorted(
      (one, other) => NOTE_KINDS.indexOf(one.kind) - NOTE_KINDS.indexOf(other.kind) || other.runs - one.runs,
    );
  }
}

/** Equal for notes that count together. */
function keyOf({ kind, what }: RunNote): string {
  return JSON.stringify([kind, what]);
}

/**
 * Whether a campaign decided enough to be called valid: at least one run was valid, no more runs were unknown than
 * valid, and the lock crashed none of its clients. Runs under whose faults nothing was promised do not count.
 */
export function isDecided(counts: {
  readonly valid: number;
  readonly unknown: number;
  readonly notes: readonly RunNote[];
}): boolean {
  const { valid, unknown } = counts;
  return valid > 0 && valid >= unknown && !crashedClients(counts);
}

/** Whether the lock crashed a client of its own in some run. */
export function crashedClients({ notes }: { readonly notes: readonly RunNote[] }): boolean {
  return notes.some(({ kind }) => kind === "crashed");
}

function firstOf(known: TalliedNote | undefined, folder: string | undefined): { readonly folder?: string } {
  const first = known === undefined ? folder : (known.folder ?? folder);
  return first === undefined ? {} : { folder: first };
}
