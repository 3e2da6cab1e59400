import { PROMOTION } from "../core/fault-traits.ts";
import type { FaultEvent, HistoryEvent, Unstamped } from "../history/history.ts";
import { ANCHORS, isAnchorOf } from "../core/trigger.ts";
import type { Recorder } from "./recorder.ts";
import type { TriggerBoard } from "./trigger-board.ts";

/**
 * Records an event, then publishes it to the board: history first, so that every action that waits for the event is
 * recorded after it.
 */
export class EventPublisher {
  readonly recorder: Recorder;
  readonly #board: TriggerBoard;
  readonly #clients: number;

  constructor(recorder: Recorder, board: TriggerBoard, clients: number) {
    this.recorder = recorder;
    this.#board = board;
    this.#clients = clients;
  }

  /** The client behind a process: after `info` a client continues as `process + clients`. */
  clientOf(process: number): number {
    return process % this.#clients;
  }

  /** Records something a client did. Resolves when every action that waits for it without a delay is done. */
  async client(event: Unstamped & { readonly process: number }): Promise<HistoryEvent> {
    const recorded = this.recorder.record(event);
    const kind = event.type === "lost" ? "lost" : `${event.f}:${event.type}`;
    const isAwaited = ANCHORS.some((anchor) => isAnchorOf(anchor, kind));
    if (isAwaited) await this.#board.publish({ kind, client: this.clientOf(event.process) });
    return recorded;
  }

  /** Records a fault that was injected or healed, or something the system did by itself (no `fault` number). */
  async fault(kind: string, value: FaultEvent["value"], fault?: number): Promise<void> {
    this.recorder.record({ process: "nemesis", type: "fault", f: kind, value });
    if (fault !== undefined) await this.#board.publish({ kind: `fault:${value.phase}`, fault });
    else if (kind === PROMOTION) await this.#board.publish({ kind: "promotion" });
  }
}
