import { HarnessError } from "../../core/errors.ts";

/** Nothing in a simulation is unbounded. A limit that is reached ends the run with a
 * `SimulationLimitError`, or with a `UserError` if the program of a host does not end its step. */
export interface Limits {
  /** Events that a kernel runs in its life. */
  readonly events: number;
  /** True time that a kernel may reach, in microseconds. */
  readonly timeUs: number;
  /** Immediates and closed handles within one step: a program that polls by `setImmediate` never ends its step. */
  readonly tasksPerStep: number;
  /** Readings of a clock within one step: a program that spins until a time never ends its step. */
  readonly clockReadsPerStep: number;
  /** Failures kept per host. */
  readonly failuresPerHost: number;
}

export const DEFAULT_LIMITS: Limits = {
  events: 20_000_000,
  timeUs: 24 * 3_600_000_000,
  tasksPerStep: 100_000,
  clockReadsPerStep: 1_000_000,
  failuresPerHost: 1000,
};

/** What to do about a program that does not end its step. */
export const SPINNING_HINT = "wait with a timer, or give it real time (--backend live or containers)";

/** A simulation went on for longer than any sensible run does. */
export class SimulationLimitError extends HarnessError {}
