import { traitsOf } from "../../../faults/traits.ts";
import { killsClients } from "../../core/fault-traits.ts";
import type { FaultEvent } from "../../history/history.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import type { ProcessLineage } from "../../history/process-lineage.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import { ownerName } from "../../history/owner-value.ts";

/** How many are remembered, of all keys together. */
const REMEMBERED = 20_000;

interface UnseenHold {
  readonly key: string;
  readonly owner: string;
  /** The process that extended it last, or had it when it was to be released. */
  readonly process: number;
}

/**
 * Holds that no longer count, or never did, and that the lock may promise all the same. The history shows an extension of
 * them and no grant: they are of acquires of unknown outcome, or from before the history. Or a release of them was asked for
 * that had no effect, or that another client asked for. The death of their clients ends their promise too.
 */
export class UnseenHolds {
  readonly #holds = new OldestFirst<string, UnseenHold>(REMEMBERED);
  /** By process, what its release that is under way is to end. */
  readonly #leaving = new Map<number, UnseenHold>();
  readonly #lineage: ProcessLineage;

  /** @param lineage which processes may be one client */
  constructor(lineage: ProcessLineage) {
    this.#lineage = lineage;
  }

  /** A release, or the answer to one. */
  push({ event, changes }: HistoryStep): void {
    if (event.type === "fault" || event.type === "audit" || event.f !== "release") return;
    if (event.type === "invoke") {
      for (const { kind, hold } of changes) {
        const { key, owner, currentProcess: process } = hold;
        if (kind === "ended") this.#leaving.set(event.process, { key, owner, process });
      }
      return;
    }
    const hold = this.#leaving.get(event.process);
    this.#leaving.delete(event.process);
    if (hold !== undefined && (event.type === "fail" || !this.#lineage.mayContinue(hold.process, event.process)))
      this.keep(hold);
  }

  /** A hold that may last although it does not count. */
  keep(hold: UnseenHold): void {
    const name = ownerName(hold.key, hold.owner);
    this.#holds.delete(name);
    this.#holds.set(name, hold);
  }

  /** Those whose client died by this fault. */
  bereavedBy({ f, value, time }: FaultEvent): readonly UnseenHold[] {
    const { phase, outcome, processes = [] } = value;
    const isDeath = phase === "start" && outcome === "installed" && killsClients(traitsOf(f));
    if (!isDeath) return [];
    return [...this.#holds.values(), ...this.#leaving.values()].filter(({ process }) =>
      processes.some((dead) => process === dead || this.#mayDie(process, dead, time)),
    );
  }

  #mayDie(process: number, dead: number, time: number): boolean {
    const isOne = this.#lineage.mayContinue(process, dead) || this.#lineage.mayContinue(dead, process);
    return isOne && !this.#lineage.livedOn(process, time);
  }
}
