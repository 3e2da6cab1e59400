import type { Property, PropertyVerdict } from "../core/verdict.ts";
import type { Evidence } from "./evidence.ts";
import type { Step } from "./step.ts";

/** Judges one property while the history goes by. It keeps what it must, never the history. */
export interface Checker {
  push(step: Step): void;
  /** To be called once, after the last event. */
  finish(): PropertyVerdict;
  /** What a reader should know beside the verdict. */
  readonly remarks?: readonly string[];
}

/** Makes the checker of one property for one history. */
export interface CheckerFactory {
  readonly property: Property;
  create(evidence: Evidence): Checker;
}
