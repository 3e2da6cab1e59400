import { RiskCount } from "../../core/statistics/residual-risk.ts";
import type { NoteKind, RunNote } from "../../core/run-note.ts";
import { PROPERTIES, type Property } from "../../core/verdict.ts";
import { isHarm, Tally, type TalliedNote } from "../notes/tally.ts";
import type { HuntEntry, HuntFindings, HuntParameters } from "./hunt-journal.ts";
import { Positions } from "./positions.ts";

/** The lock broke something that does not decide: a plan that broke it before, under other flags, may break the same. */
const BREAKS: ReadonlySet<NoteKind> = new Set(["not-claimed", "not-promisable", "not-asked"]);

type QuietEntry = Exclude<HuntEntry, { verdict: "invalid" }>;

/**
 * The result of a hunt, or of all its shards, counted entry by entry: a hunt of millions of plans keeps none of them. The
 * entries may come in any order; one that was there before counts once.
 */
export class HuntCount {
  readonly #parameters: HuntParameters;
  readonly #last: number;
  readonly #positions = new Positions();
  readonly #notes = new Tally();
  readonly #risk = new RiskCount();
  readonly #held = new Map<Property, number>();
  readonly #open = new Set<Property>();
  #runs = 0;
  #valid = 0;
  #unknown = 0;
  #unpromised = 0;
  #crashedOrFlooded = 0;
  #repeated = 0;
  #fixed = 0;
  #broken: Extract<HuntEntry, { verdict: "invalid" }> | undefined;

  /**
   * @param last the position of the first counterexample, where one is known before: an undivided hunt would have ended
   * there, and what comes after does not count
   */
  constructor(parameters: HuntParameters, last = Infinity) {
    this.#parameters = parameters;
    this.#last = last;
  }

  /** How many runs there are, the counterexample too. */
  get runs(): number {
    return this.#runs;
  }

  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  add(entry: HuntEntry): void {
    if (entry.position > this.#last || !this.#positions.add(entry.position)) return;
    this.#runs += 1;
    if (entry.position < this.#parameters.regressions.length) this.#repeated += 1;
    if (entry.verdict === "invalid") this.#broken ??= entry;
    else this.#addQuiet(entry);
  }

  /** @param wanted how many plans there should be */
  findings(wanted: number): HuntFindings {
    const broken = this.#broken;
    return {
      parameters: this.#parameters,
      runs: this.#runs,
      valid: this.#valid,
      unknown: this.#unknown,
      unpromised: this.#unpromised,
      crashedOrFlooded: this.#crashedOrFlooded,
      notes: [...this.#notes.sorted, ...this.#untested],
      held: PROPERTIES.flatMap((property) => {
        const runs = this.#held.get(property);
        return runs === undefined ? [] : [{ property, runs }];
      }),
      repeated: this.#repeated,
      fixed: this.#fixed,
      missing: broken === undefined ? wanted - this.#runs : 0,
      residualRisk: broken === undefined ? this.#risk.risk : undefined,
      counterexample: broken,
    };
  }

  /** Promised properties that applied to none of the runs. A counterexample is a verdict without them. */
  get #untested(): readonly TalliedNote[] {
    if (this.#broken !== undefined || this.#runs === 0) return [];
    return (this.#parameters.promised ?? [])
      .filter((property) => !this.#held.has(property) && !this.#open.has(property))
      .map((what) => ({ kind: "untested", what, runs: this.#runs }));
  }

  #addQuiet(entry: QuietEntry): void {
    const { position, verdict, notes = [], held = [], open = [], folder } = entry;
    if (verdict === "valid") this.#valid += 1;
    else if (notes.some(({ kind }) => kind === "nothing-promised")) this.#unpromised += 1;
    else this.#addUnknown(notes);
    const broke = position < this.#parameters.regressions.length;
    if (broke && verdict === "valid" && !notes.some(({ kind }) => BREAKS.has(kind))) this.#fixed += 1;
    for (const property of open) this.#open.add(property);
    for (const property of held) this.#held.set(property, (this.#held.get(property) ?? 0) + 1);
    this.#notes.addRun(notes, { position, folder });
    this.#risk.add(entry);
  }

  #addUnknown(notes: readonly RunNote[]): void {
    this.#unknown += 1;
    if (notes.some(isHarm) && !notes.some(({ kind }) => kind === "undecided")) this.#crashedOrFlooded += 1;
  }
}
