import type { History } from "./history.ts";

/** A run of the same plan with one change, to compare with. */
export interface Control {
  /** What is different, and what came of it: `without kill-node of node-0 at 0.861 ms, the same schedule breaks nothing`. */
  readonly says: string;
  readonly history: History;
}
