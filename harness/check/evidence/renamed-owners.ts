import type { HistoryEvent } from "../../history/history.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import type { CompletionEvent } from "../../history/operations.ts";
import { REPLACED } from "../../history/owner-value.ts";
import { statedIn } from "../../history/unordered.ts";

type Extension = Extract<CompletionEvent, { f: "extend" }>;

/** How many owner values are remembered of holds that may be over. */
const REMEMBERED = 20_000;

/** How many of the oldest are looked at for each new one: those of holds that last stay. */
const REVIEWED = 2;

/** An owner value of a hold. */
interface Known {
  readonly key: string;
  /** The first owner value of the hold. */
  readonly first: string;
  readonly process: number;
  /** What the checkers see in place of the value. */
  readonly name: string;
}

/**
 * A lock may draw a new owner value when it extends a lease: the completion of the extension then has another value than
 * its invocation. It is the same hold, so the checkers see the first value of it throughout. Whoever still uses a value
 * that was replaced refers to nothing.
 */
export class RenamedOwners {
  readonly #isHeld: (key: string, owner: string, process: number) => boolean;
  readonly #remembered: number;
  /** By process, the owner value whose extension is under way. */
  readonly #asked = new Map<number, string>();
  /** By key and owner value, the name that it has for the checkers, if that is another. */
  readonly #names = new OldestFirst<string, Known>();
  /** By key and owner value, the holds of which an extension has an unknown outcome. */
  readonly #unanswered = new OldestFirst<string, Known>();
  #renames = false;

  /**
   * @param isHeld whether somebody holds the key under this value, as the checkers know it
   * @param remembered how many owner values are remembered of holds that may be over
   */
  constructor(isHeld: (key: string, owner: string, process: number) => boolean, remembered = REMEMBERED) {
    this.#isHeld = isHeld;
    this.#remembered = remembered;
  }

  /** The event with the first owner value of its hold. An extension that answers with a value in use did not draw it. */
  named<E extends HistoryEvent>(event: E): E {
    if (event.type === "invoke" && event.f === "extend") this.#asked.set(event.process, event.value.owner);
    else if (event.f === "extend" && typeof event.process === "number") {
      const { key, process } = event;
      const asked = this.#asked.get(process);
      this.#asked.delete(process);
      if (asked !== undefined && event.type === "info") this.#doubt(key, this.#nameOf(key, asked), process);
      const drawn = asked === undefined ? undefined : drawnBy(event, asked);
      if (asked !== undefined && drawn !== undefined && !this.#isHeld(key, this.#nameOf(key, drawn), process))
        this.#rename(key, [asked, drawn], event);
    }
    if (this.#names.size === 0 || !("key" in event)) return event;
    const stated = event.value as { readonly owner?: unknown } | undefined;
    if (typeof stated?.owner !== "string") return event;
    const owner = this.#nameOf(event.key, stated.owner);
    return owner === stated.owner ? event : { ...event, value: { ...stated, owner } };
  }

  /**
   * Whether a hold may have another owner value than anybody knows: the lock draws new ones, and nobody knows the outcome of
   * an extension of this hold.
   */
  mayHaveAnother(key: string, first: string): boolean {
    return this.#renames && this.#unanswered.has(placeOf(key, first));
  }

  #doubt(key: string, first: string, process: number): void {
    this.#keep(this.#unanswered, first, { key, first, process, name: first });
  }

  #rename(key: string, [before, after]: readonly [string, string], { type, process }: Extension): void {
    this.#renames = true;
    const first = this.#nameOf(key, before);
    // If it is not known when an extension took effect, others may have used the value before it until now.
    if (type === "ok")
      this.#call(before, { key, first, process, name: before === first ? `${before}${REPLACED}` : before });
    this.#call(after, { key, first, process, name: first });
  }

  #call(owner: string, known: Known): void {
    if (owner === known.name) this.#names.delete(placeOf(known.key, owner));
    else this.#keep(this.#names, owner, known);
  }

  #keep(among: OldestFirst<string, Known>, owner: string, known: Known): void {
    among.set(placeOf(known.key, owner), known);
    for (let reviewed = 0; reviewed < REVIEWED && among.size > this.#remembered; reviewed += 1) {
      const [place, old] = among.oldest ?? [];
      if (place === undefined || old === undefined) return;
      among.delete(place);
      if (this.#isHeld(old.key, old.first, old.process)) among.set(place, old);
    }
  }

  #nameOf(key: string, owner: string): string {
    return (this.#names.size === 0 ? undefined : this.#names.get(placeOf(key, owner))?.name) ?? owner;
  }
}

/** The owner value that the lock drew, if the recording has another than the one that was asked for. */
function drawnBy(event: Extension, asked: string): string | undefined {
  const { owner } = statedIn(event);
  return owner === asked ? undefined : owner;
}

function placeOf(key: string, owner: string): string {
  return JSON.stringify([key, owner]);
}
