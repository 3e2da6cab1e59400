import type { HistoryEvent } from "../../history/history.ts";
import type { ProcessLineage } from "../../history/process-lineage.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import { OpenOperations } from "../../history/operations.ts";
import { goesOn, RECORDED_PROCESS } from "../../history/unordered.ts";

/** How many processes are remembered. */
const REMEMBERED = 20_000;

/**
 * Which process goes on where another one ended: after an operation of unknown outcome a client acts under another number. Such an
 * operation may also have no completion at all; a process that begins while it is open may then be the same client.
 */
export class ContinuedProcesses {
  readonly #lineage: ProcessLineage;
  readonly #open = new OpenOperations();
  /** Processes whose operation had an unknown outcome. */
  readonly #retired = new OldestFirst<number, true>(REMEMBERED);
  /** By process that stands for another one in a single operation, that one. */
  readonly #recorded = new OldestFirst<number, number>(REMEMBERED);
  /** By process, its first event. */
  readonly #begun = new OldestFirst<number, number>(REMEMBERED);

  constructor(lineage: ProcessLineage) {
    this.#lineage = lineage;
  }

  push(event: HistoryEvent & { readonly [RECORDED_PROCESS]?: number }): void {
    const { type, process, index } = event;
    if (typeof process !== "number") return;
    if (type === "invoke" && this.#begun.get(process) === undefined) this.#begun.set(process, index);
    this.#open.push(event);
    const recorded = event[RECORDED_PROCESS];
    if (recorded !== undefined) this.#recorded.set(process, recorded);
    if (type === "info" && !goesOn(event.value?.reason)) this.#retired.set(this.#recordedOf(process), true);
  }

  /** Whether the later process is the same as the earlier one, or may go on where that ended. */
  mayContinue(earlier: number, later: number): boolean {
    const recorded = this.#recordedOf(earlier);
    if (recorded === this.#recordedOf(later)) return true;
    return (
      (this.#retired.has(recorded) || this.#hasGoneSilent(earlier, later)) && this.#lineage.mayContinue(earlier, later)
    );
  }

  #recordedOf(process: number): number {
    return this.#recorded.get(process) ?? process;
  }

  /** Whether the later process did nothing until the earlier one had an operation under way that is not answered. */
  #hasGoneSilent(earlier: number, later: number): boolean {
    const open = this.#open.of(earlier);
    return open !== undefined && open.index < (this.#begun.get(later) ?? -1);
  }
}
