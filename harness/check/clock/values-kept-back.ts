import { clientOf } from "../../history/clients.ts";
import type { HistoryEvent } from "../../history/history.ts";
import { type CompletionEvent, OpenOperations } from "../../history/operations.ts";
import { DRAWN_FROM, ownerName, UNHEARD_OF } from "../../history/owner-value.ts";
import { statedIn } from "../../history/unordered.ts";
import { shortValue } from "../evidence/long-values.ts";

/** So many extensions of unknown outcome of one client and key are known: the last ones. */
const REMEMBERED_UNHEARD = 8;

/** An extension of unknown outcome: the event of its completion, and the value for which it was asked. */
interface Unheard {
  readonly index: number;
  readonly asked: string;
}

/**
 * The owner values that extensions have drawn whose completions are kept back, or may have drawn, where the outcome is unknown. Their
 * clients use them at once: such an event says which value it replaces, or may replace, so that it concerns the same hold.
 */
export class ValuesKeptBack {
  readonly #clients: number;
  readonly #open = new OpenOperations();
  /** By client, key and drawn value, the value that it replaces. */
  readonly #replaced = new Map<string, string>();
  /** By client and key, the extensions of unknown outcome, the last one first. */
  readonly #unheard = new Map<string, readonly Unheard[]>();

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
      if (event.type === "info") this.#doubt(event, shortValue(asked));
    }
    if (invocation !== undefined) return event;
    const from = this.#replaced.size > 0 ? this.#replacedBy(event) : undefined;
    if (from !== undefined) return Object.assign({ ...event }, { [DRAWN_FROM]: shortValue(from) });
    const unheard = this.#unheard.size > 0 ? this.#unheard.get(this.#placeOf(event)) : undefined;
    return unheard === undefined
      ? event
      : Object.assign({ ...event }, { [UNHEARD_OF]: unheard.map(({ asked }) => asked) });
  }

  #doubt(completion: CompletionEvent, asked: string): void {
    const place = this.#placeOf(completion);
    const before = (this.#unheard.get(place) ?? []).slice(0, REMEMBERED_UNHEARD - 1);
    this.#unheard.set(place, [{ index: completion.index, asked }, ...before]);
  }

  /** To be called when a completion is kept back no more. */
  came(completion: CompletionEvent): void {
    if (completion.f === "extend" && completion.type === "info") {
      const place = this.#placeOf(completion);
      const left = (this.#unheard.get(place) ?? []).filter(({ index }) => index !== completion.index);
      if (left.length > 0) this.#unheard.set(place, left);
      else this.#unheard.delete(place);
    }
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

  #placeOf(event: HistoryEvent, owner = ""): string {
    const key = "key" in event ? event.key : "";
    const client = typeof event.process === "number" ? clientOf(event.process, this.#clients) : "";
    return ownerName(ownerName(key, String(client)), owner);
  }
}
