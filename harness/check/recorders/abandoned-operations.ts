import { clientOf, taskOf } from "../../history/clients.ts";
import type { HistoryEvent, HistoryHeader } from "../../history/history.ts";
import { OpenRequests } from "../../history/holds/open-requests.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import type { InvocationEvent } from "../../history/operations.ts";
import { ANSWERED_LATE, NEVER_ANSWERED } from "../../history/unordered.ts";

/** How many processes, and how many abandoned acquires, are remembered. */
const REMEMBERED = 20_000;

/**
 * Operations that were not answered when their client went on under another process number. They are judged like operations that ended
 * as `info` then: a recorder may leave that line out. An operation that is answered within the events that are known ahead was
 * under way beside the other: its client does several things at a time.
 *
 * An answer may come even later. If it is a grant, the client holds from then on, as if the acquire had never been abandoned. Any other
 * answer is left out, because an unknown outcome allows whatever a known one does.
 */
export class AbandonedOperations {
  readonly #header: Pick<HistoryHeader, "clients" | "tasks">;
  /** By process, how many answers are foreseen and not judged yet. */
  readonly #foreseen = new Map<number, number>();
  /** By client, and by task if it is known which one a process is, the operations under way of which no answer is foreseen. */
  readonly #silent = new OpenRequests<InvocationEvent>();
  readonly #begun = new OldestFirst<number, true>(REMEMBERED);
  /** By process, all of them; the invocations of the last acquires. */
  readonly #abandoned = new Set<number>();
  readonly #acquires = new OldestFirst<number, InvocationEvent>(REMEMBERED);

  constructor(header: Pick<HistoryHeader, "clients" | "tasks">) {
    this.#header = header;
  }

  /** Takes note of an event long before its turn. */
  foresee({ type, process }: HistoryEvent): void {
    if (!isAnswer(type) || typeof process !== "number") return;
    this.#foreseen.set(process, (this.#foreseen.get(process) ?? 0) + 1);
    this.#silent.end(this.#nameOf(process), process);
  }

  /** The events to judge in place of this one, which is the next. */
  read(event: HistoryEvent): readonly HistoryEvent[] {
    if (event.type === "invoke") return [...this.#begin(event), event];
    const { type, process } = event;
    if (!isAnswer(type) || typeof process !== "number") return [event];
    const left = (this.#foreseen.get(process) ?? 1) - 1;
    if (left > 0) this.#foreseen.set(process, left);
    else this.#foreseen.delete(process);
    if (!this.#abandoned.delete(process)) return [event];
    const acquire = this.#acquires.get(process);
    this.#acquires.delete(process);
    return acquire === undefined || type !== "ok"
      ? []
      : [Object.assign({ ...acquire }, { [ANSWERED_LATE]: true }), event];
  }

  /** Returns the ends of what is abandoned as this operation begins. */
  #begin(event: InvocationEvent): readonly HistoryEvent[] {
    const { process } = event;
    const ends = this.#begun.has(process) ? [] : this.#abandon(event);
    this.#begun.set(process, true);
    if (!this.#foreseen.has(process)) this.#silent.begin(this.#nameOf(process), process, event);
    return ends;
  }

  #abandon(next: InvocationEvent): readonly HistoryEvent[] {
    const name = this.#nameOf(next.process);
    const ended: InvocationEvent[] = [];
    for (const open of this.#silent.of(name)?.values() ?? []) {
      // Begun together, they are of one operation on several keys, or of several tasks; but a coarse clock does not show who began first.
      if (open.time >= next.time && open.key !== next.key) break;
      if (!isBeside(open, next)) ended.push(open);
    }
    for (const open of ended) {
      this.#silent.end(name, open.process);
      this.#abandoned.add(open.process);
      if (open.f === "acquire") this.#acquires.set(open.process, open);
    }
    const { index, time } = next;
    return ended.map(({ process, f, key }) => {
      const value = { reason: "it was never answered" };
      return { index, time, process, type: "info", f, key, value, [NEVER_ANSWERED]: true } as HistoryEvent;
    });
  }

  #nameOf(process: number): string {
    return `${clientOf(process, this.#header.clients)} ${taskOf(process, this.#header) ?? ""}`;
  }
}

/** Whether the two ask for keys of one acquisition. */
function isBeside(open: InvocationEvent, next: InvocationEvent): boolean {
  return next.f === "acquire" && open.f === "acquire" && next.value.alsoKeys?.includes(open.key) === true;
}

function isAnswer(type: HistoryEvent["type"]): boolean {
  return type === "ok" || type === "fail" || type === "info";
}
