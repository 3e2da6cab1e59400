import type { Judged } from "../run-campaign.ts";
import { notesOf } from "../notes/run-notes.ts";
import { Tally, type TalliedNote } from "../notes/tally.ts";
import type { RunRecord } from "../../../reports/run/run-record.ts";

/** How far the search of a cell has come without a counterexample. */
export interface CellProgress {
  readonly runs: number;
  readonly valid: number;
  /** In the order in which they came first. */
  readonly notes: readonly TalliedNote[];
}

/** The runs of a cell and the observations in them, counted while they come. */
export class CellNotes {
  #runs: number;
  #valid: number;
  readonly #notes: Tally;

  /** @param before the runs before the search was interrupted */
  constructor({ runs, valid, notes }: CellProgress = { runs: 0, valid: 0, notes: [] }) {
    this.#runs = runs;
    this.#valid = valid;
    this.#notes = new Tally(notes);
  }

  add({ plan, record, verdict }: Judged & { readonly record: RunRecord }): void {
    this.#runs += 1;
    if (verdict.verdict === "valid") this.#valid += 1;
    // Why runs are unknown, and what happened to late writes. Other violations do not decide a cell.
    for (const note of notesOf({ plan, history: record.history, verdict }, "asked")) {
      if (note.kind === "undecided" || note.kind === "outlived") this.#notes.add(note);
    }
  }

  get valid(): number {
    return this.#valid;
  }

  get progress(): CellProgress {
    return { runs: this.#runs, valid: this.#valid, notes: this.#notes.counted };
  }

  /** What a campaign reports of the cell in every case. */
  get counts() {
    return { runs: this.#runs, valid: this.#valid, notes: this.#notes.sorted };
  }

  /** The outcome of a cell in which nothing broke, with the number of valid runs that support it. */
  get holding() {
    const { runs, valid, notes } = this.counts;
    const outlived = notes.some(({ kind }) => kind === "outlived");
    const found = valid === 0 ? "unknown" : outlived ? "outlived" : "holds";
    return { found, runs, valid, ...(notes.length === 0 ? {} : { notes }) } as const;
  }
}
