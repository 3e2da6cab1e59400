import type { HistoryEvent } from "../../history/history.ts";
import { isGivingUp } from "../../history/holds/given-up.ts";
import type { CompletionEvent } from "../../history/operations.ts";
import { ownerName, replacedBy } from "../../history/owner-value.ts";
import { AFTER_GRANTS } from "../../history/unordered.ts";

/**
 * The grants whose completions are kept back. Their own processes know of them: what such a process does after that comes after it,
 * whatever the clocks of others say. An event that gives up the owner value says so.
 */
export class GrantsKeptBack {
  /** By recorded process, key and owner value, the processes under which the acquires are judged, the oldest first. */
  readonly #acquires = new Map<string, readonly number[]>();
  /** By process under which an acquire is judged, the name of its grant here. */
  readonly #names = new Map<number, string>();

  /** An event of a client, under the process number that the recording has. */
  recorded<E extends HistoryEvent>(event: E): E {
    if (this.#acquires.size === 0 || !isGivingUp(event)) return event;
    const { key, process } = event;
    const owner = replacedBy(event) ?? event.value.owner;
    const acquires = this.#acquires.get(nameOf(key, process, owner));
    return acquires === undefined ? event : Object.assign({ ...event }, { [AFTER_GRANTS]: acquires });
  }

  /** To be called when a completion, under the process number that the recording has, is kept back as that of another. */
  keepBack(completion: CompletionEvent, judged: number): void {
    if (completion.type !== "ok" || completion.f !== "acquire") return;
    const name = nameOf(completion.key, completion.process, completion.value.owner);
    this.#names.set(judged, name);
    this.#acquires.set(name, [...(this.#acquires.get(name) ?? []), judged]);
  }

  /** To be called when a completion is kept back no more. */
  came({ process }: CompletionEvent): void {
    const name = this.#names.get(process);
    if (name === undefined) return;
    this.#names.delete(process);
    const left = this.#acquires.get(name)?.filter((acquire) => acquire !== process) ?? [];
    if (left.length > 0) this.#acquires.set(name, left);
    else this.#acquires.delete(name);
  }
}

function nameOf(key: string, process: number, owner: string): string {
  return ownerName(ownerName(key, String(process)), owner);
}
