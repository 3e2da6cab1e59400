import { clientOf } from "../../history/clients.ts";
import type { HistoryEvent } from "../../history/history.ts";
import { type CompletionEvent, OpenOperations } from "../../history/operations.ts";
import { DRAWN_FROM, ownerName } from "../../history/owner-value.ts";
import { statedIn } from "../../history/unordered.ts";
import { shortValue } from "../evidence/long-values.ts";

/**
 * The owner values that extensions have drawn whose completions are kept back. Their clients use them at once: such an event says
 * which value it replaces, so that it concerns the same hold.
 */
export class ValuesKeptBack {
  readonly #clients: number;
  readonly #open = new OpenOperations();
  /** By client, key and drawn value, the value that it replaces. */
  readonly #replaced = new Map<string, string>();

  constructor(clients: number) {
    this.#clients = clients;
  }

  /** An event of a client, under the process number that the recording has. */
  recorded<E extends HistoryEvent>(event: E): E {
    const invocation = this.#open.push(event);
    if (invocation?.f === "extend") {
      const { owner } = statedIn(event as CompletionEvent);
      const asked = invocation.value.owner;
      if (owner !== undefined && owner !== asked) this.#replaced.set(this.#placeOf(event, owner), asked);
    }
    const from = invocation === undefined && this.#replaced.size > 0 ? this.#replacedBy(event) : undefined;
    return from === undefined ? event : Object.assign({ ...event }, { [DRAWN_FROM]: shortValue(from) });
  }

  /** To be called when a completion is kept back no more. */
  came(completion: CompletionEvent): void {
    const { owner } = completion.f === "extend" ? statedIn(completion) : {};
    if (owner !== undefined) this.#replaced.delete(this.#placeOf(completion, owner));
  }

  /** The value that the checkers know in place of the one in this event. */
  #replacedBy(event: HistoryEvent): string | undefined {
    const { owner } = (event.value ?? {}) as { readonly owner?: string };
    if (owner === undefined) return undefined;
    const replacedBy = (value: string): string | undefined => this.#replaced.get(this.#placeOf(event, value));
    // A lock may draw a value that it has drawn before.
    const seen = new Set<string>();
    let from: string | undefined;
    for (let next = replacedBy(owner); next !== undefined && !seen.has(next); next = replacedBy(next)) {
      seen.add(next);
      from = next;
    }
    return from;
  }

  #placeOf(event: HistoryEvent, owner: string): string {
    const key = "key" in event ? event.key : "";
    const client = typeof event.process === "number" ? clientOf(event.process, this.#clients) : "";
    return ownerName(ownerName(key, String(client)), owner);
  }
}
