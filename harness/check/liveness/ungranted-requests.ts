import { traitsOf } from "../../../faults/traits.ts";
import { inFigures } from "../../core/words/in-figures.ts";
import { disturbsUntilHealed } from "../../core/fault-traits.ts";
import { clientOf } from "../../history/clients.ts";
import { type FaultEvent, type HistoryHeader, NANOSECONDS_PER_MS } from "../../history/history.ts";
import type { CompletionEvent, InvocationEvent } from "../../history/operations.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import { RemarkList } from "../remark-list.ts";
import { clientInWords, timeWords } from "../words.ts";

/** For how long after the last fault a client may be getting over it: connections are made anew, with pauses that grow. */
const RECOVERY_NS = 2000 * NANOSECONDS_PER_MS;

/** Fewer requests without an answer may be chance. */
const TELLING = 2;

/** The requests of a client since the last fault was over, of which none was answered as a lock can answer. */
interface Unanswered {
  readonly seek: InvocationEvent;
  readonly times: number;
  readonly last: CompletionEvent;
}

/**
 * Clients that go on asking when no fault disturbs them any more, and are neither granted a lock nor told that another client
 * holds it: something in the client may be stuck. Nothing is accused, since a client may take its time to connect again.
 */
export class UngrantedRequests {
  readonly #inForce = new Set<string>();
  /** When the last fault was over; undefined before any. */
  #calmSince: number | undefined;
  /** By client. `fine`: one of its requests was answered. */
  readonly #clients = new Map<number, Unanswered | "fine">();

  push({ event, invocation }: Pick<HistoryStep, "event" | "invocation">, { clients }: HistoryHeader): void {
    if (event.type === "fault") this.#disturb(event);
    else if (invocation?.f === "acquire" && (event.type === "ok" || event.type === "fail" || event.type === "info")) {
      this.#answer(clientOf(invocation.process, clients), invocation, event);
    }
  }

  /** One remark for each such client. */
  remarks(header: HistoryHeader): readonly string[] {
    const list = new RemarkList("more clients that asked in vain are not listed");
    if (this.#inForce.size > 0) return list.all;
    for (const unanswered of this.#clients.values()) {
      if (unanswered === "fine" || unanswered.times < TELLING) continue;
      const { seek, times, last } = unanswered;
      const reason = last.type === "ok" ? undefined : last.value?.reason;
      list.add(
        `${clientInWords(header, seek.process)} asked ${inFigures(times)} times between ${timeWords(seek.time)} and ${timeWords(last.time)}, ` +
          `later than ${timeWords(RECOVERY_NS)} after the last fault was over, and was neither granted a lock nor told that another client holds it` +
          (reason === undefined ? "" : `: the last request ended with "${reason}"`),
      );
    }
    return list.all;
  }

  #disturb(fault: FaultEvent): void {
    const { f, time, value } = fault;
    if (value.outcome === "skipped") return;
    this.#calmSince = time;
    this.#clients.clear();
    const name = `${f} ${value.targets.join(" ")}`;
    if (value.phase === "heal") this.#inForce.delete(name);
    else if (disturbsUntilHealed(traitsOf(f))) this.#inForce.add(name);
  }

  #answer(client: number, seek: InvocationEvent, event: CompletionEvent): void {
    if (this.#calmSince === undefined || this.#inForce.size > 0 || this.#clients.get(client) === "fine") return;
    const isAnswer = event.type === "ok" || (event.type === "fail" && event.value?.reason === "contended");
    if (isAnswer) this.#clients.set(client, "fine");
    else if (seek.time >= this.#calmSince + RECOVERY_NS) {
      const before = this.#clients.get(client);
      const known = before === undefined || before === "fine" ? undefined : before;
      this.#clients.set(client, { seek: known?.seek ?? seek, times: (known?.times ?? 0) + 1, last: event });
    }
  }
}
