import { traitsOf } from "../../../faults/traits.ts";
import { killsClients } from "../../core/fault-traits.ts";
import type { FaultEvent } from "../../history/history.ts";
import { OldestFirst } from "../../history/oldest-first.ts";

/** How many are remembered, of all keys together. */
const REMEMBERED = 20_000;

interface UnseenHold {
  readonly key: string;
  readonly owner: string;
  /** The process that extended it last. */
  readonly process: number;
}

/**
 * Holds of which the history shows an extension and no grant: of acquires of unknown outcome, or from before the history.
 * The death of their clients ends their promise too.
 */
export class UnseenHolds {
  readonly #holds = new OldestFirst<string, UnseenHold>();
  readonly #sameClient: (earlier: number, later: number) => boolean;

  /** @param sameClient true unless two processes belong to two clients for certain */
  constructor(sameClient: (earlier: number, later: number) => boolean) {
    this.#sameClient = sameClient;
  }

  /** The extension of a hold that no known grant began. */
  extend(hold: UnseenHold): void {
    const name = JSON.stringify([hold.key, hold.owner]);
    this.#holds.delete(name);
    this.#holds.set(name, hold);
    const { size, oldest } = this.#holds;
    if (size > REMEMBERED && oldest !== undefined) this.#holds.delete(oldest[0]);
  }

  /** Those whose client died by this fault. */
  bereavedBy({ f, value }: FaultEvent): readonly UnseenHold[] {
    const { phase, outcome, processes = [] } = value;
    if (this.#holds.size === 0 || phase !== "start" || outcome !== "installed" || !killsClients(traitsOf(f))) return [];
    return [...this.#holds.values()].filter(({ process }) =>
      processes.some((dead) => this.#sameClient(process, dead) || this.#sameClient(dead, process)),
    );
  }
}
