import type { Property, PropertyVerdict } from "../core/verdict.ts";
import type { SharedEvidence } from "./evidence/evidence.ts";
import type { HistoryStep } from "./evidence/history-step.ts";

/** Judges one property while the history is read. It keeps only what it needs, never the history. */
export interface Checker {
  push(step: HistoryStep): void;
  /** To be called once, after the last event. */
  finish(): PropertyVerdict;
  /** As `finish`, in pieces, for a checker that may take long. */
  finishing?(): Generator<undefined, PropertyVerdict>;
  /** Whether the checker needs no further event of this idle key. If absent, it never needs one. */
  knows?(key: string): boolean;
  /** Judges a key that will not be used again, and forgets it. Absent if the checker keeps nothing about keys. */
  conclude?(key: string): void;
  /** What a reader should know in addition to the verdict. */
  readonly remarks?: readonly string[];
}

/** Makes the checker of one property for one history. */
export interface CheckerFactory {
  readonly property: Property;
  create(evidence: SharedEvidence): Checker;
}
