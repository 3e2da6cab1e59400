import type { Plan } from "../../core/plan.ts";
import type { RunNote } from "../../core/run-note.ts";
import type { Judged } from "../run-campaign.ts";
import { notesOf } from "../notes/run-notes.ts";
import { type TalliedNote, tally } from "../notes/tally.ts";
import type { RunRecord } from "../../../reports/run/run-record.ts";

/** The observations in a cell's runs, beside their verdicts. */
export class CellNotes {
  readonly #runs: { readonly notes: readonly RunNote[] }[] = [];

  add({ plan, record, verdict }: Judged & { readonly plan: Plan; readonly record: RunRecord }): void {
    this.#runs.push({ notes: notesOf({ plan, history: record.history, verdict }, "asked") });
  }

  /** Why runs are unknown, and what happened to late writes. Other violations do not decide a cell. */
  get all(): readonly TalliedNote[] {
    return tally(this.#runs).filter(({ kind }) => kind === "undecided" || kind === "outlived");
  }

  /** The outcome of a cell in which nothing broke, with the number of valid runs that support it. */
  found(valid: number) {
    const notes = this.all;
    const outlived = notes.some(({ kind }) => kind === "outlived");
    const found = valid === 0 ? "unknown" : outlived ? "outlived" : "holds";
    return { found, valid, ...(notes.length === 0 ? {} : { notes }) } as const;
  }
}
