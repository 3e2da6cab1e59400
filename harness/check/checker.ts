import type { Property, PropertyVerdict } from "../core/verdict.ts";
import type { SharedEvidence } from "./evidence/evidence.ts";
import type { HistoryStep } from "./evidence/history-step.ts";

/** Judges one property while the history is read. It keeps what it needs, never the history. */
export interface Checker {
  push(step: HistoryStep): void;
  /** To be called once, after the last event. */
  finish(): PropertyVerdict;
  /** The same in pieces, if it may take long. */
  finishing?(): Generator<undefined, PropertyVerdict>;
  /** Whether it knows all that it will ever need of this key, which is idle. If absent, always. */
  knows?(key: string): boolean;
  /** Judges a key that will not be used again, and drops what it knows of it. If absent, it keeps nothing of a key. */
  conclude?(key: string): void;
  /** What a reader should know in addition to the verdict. */
  readonly remarks?: readonly string[];
}

/** Makes the checker of one property for one history. */
export interface CheckerFactory {
  readonly property: Property;
  create(evidence: SharedEvidence): Checker;
}
