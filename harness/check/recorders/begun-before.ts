import { OldestFirst } from "../../history/oldest-first.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import { ownerName } from "../../history/owner-value.ts";

/** How many processes, and how many keys, are remembered. */
const REMEMBERED = 20_000;

/** A process, the key on which it does something, and the owner value that it names. */
export interface Stranger {
  readonly process: number;
  readonly key: string;
  readonly owner: string;
}

/**
 * Which processes may have had an acquire under way when the recording began, of which it has neither the invocation nor the answer.
 * It was granted before the first thing that the process did since, so that it is known where in the order of the holds
 * it stands, as long as nobody has asked for a grant or a release since then that was carried out.
 */
export class BegunBefore {
  readonly #beganFree: boolean;
  /** By process, its first event. */
  readonly #begun = new OldestFirst<number, number>(REMEMBERED);
  /** By key, the invocation of the last grant or release that was carried out. */
  readonly #changed = new OldestFirst<string, number>(REMEMBERED);
  /** Keys that several may hold: where nobody excludes others, such a hold needs no room. */
  readonly #shared = new OldestFirst<string, true>(REMEMBERED);
  /** By process, the hold that such an acquire may have begun: it did one thing at a time. */
  readonly #claimed = new OldestFirst<number, string>(REMEMBERED);

  /** @param beganFree whether no operation was under way when the history began */
  constructor(beganFree: boolean) {
    this.#beganFree = beganFree;
  }

  push({ event, invocation }: Pick<HistoryStep, "event" | "invocation">): void {
    const { type, process } = event;
    if (this.#beganFree || typeof process !== "number") return;
    if (type === "invoke" && !this.#begun.has(process)) this.#begun.set(process, event.index);
    if (type === "invoke" && event.f === "acquire" && (event.value.limit ?? event.value.mode) !== undefined) {
      this.#shared.set(event.key, true);
    }
    if (type !== "ok" || invocation === undefined) return;
    const isChange = event.f === "acquire" || (event.f === "release" && event.value.released);
    if (isChange) this.#changed.set(event.key, Math.max(invocation.index, this.#changed.get(event.key) ?? -1));
  }

  /** Whether this owner without a known grant may have been granted the key by such an acquire. */
  mayHaveAsked({ process, key, owner }: Stranger): boolean {
    const begun = this.#begun.get(process);
    const changed = this.#changed.get(key);
    if (this.#beganFree || begun === undefined || this.#shared.has(key)) return false;
    // As long as nothing has changed, it has the hold from before the recording, if any.
    if (changed === undefined || changed > begun) return false;
    const hold = ownerName(key, owner);
    const claimed = this.#claimed.get(process) ?? hold;
    this.#claimed.set(process, claimed);
    return claimed === hold;
  }
}
