import { z } from "zod";

/**
 * The limits of a plan. Plans come from anywhere, and a run keeps its events in memory: a limit refuses a plan before
 * the run starts, where otherwise a timer or the memory would fail in the middle of it.
 */
export const PLAN_BOUNDS = {
  /** The longest duration: a day. */
  durationMs: 86_400_000,
  clients: 64,
  /** Per client. */
  sections: 100_000,
  /** Per client. */
  tasks: 64,
  /** Per section, and per re-entry. */
  steps: 1000,
  /** Per section. */
  tries: 100_000,
  faults: 1000,
  /** Permits of a semaphore. */
  permits: 1000,
  /** Further keys of one acquisition. */
  alsoKeys: 64,
  /** Characters of a key, and of a lock's name or path. */
  text: 4096,
} as const;

/** A duration or a time of a plan, in milliseconds. */
export const durationMs = z.number().nonnegative().max(PLAN_BOUNDS.durationMs);

/** A duration above 0, as a lease must have. The shortest is one nanosecond, the resolution of a history. */
export const lengthMs = z.number().min(1e-6).max(PLAN_BOUNDS.durationMs);
