import { OldestFirst } from "../../history/oldest-first.ts";

/** How many drawn numbers are remembered: about 10 MB. */
const REMEMBERED = 100_000;
/** How a text names events. */
const NAMED_EVENTS = /\b(events?) (\d+)(?: and (\d+))?/g;
/** How a text names a process, where the number may have been drawn. */
const NAMED_PROCESS = /\bprocess (\d+)/g;
/** The fields of a verdict that hold the index of an event, or several. */
const INDICES: ReadonlySet<string> = new Set(["events", "faults", "fault", "grant", "invoked"]);

/** Where events stand in a recording that were judged in another order. */
export class RecordedPlaces {
  /** By the place in the order in which they were judged. */
  readonly #places = new Map<number, number>();
  /** By number that was drawn. */
  readonly #processes = new OldestFirst<number, number>(REMEMBERED);

  /** The event with index `recorded` was judged as the one with index `judged`. */
  moved(judged: number, recorded: number): void {
    if (judged !== recorded) this.#places.set(judged, recorded);
  }

  /** What this process is recorded to do was judged as that of a process whose number was drawn for it. */
  drawn(judged: number, recorded: number): void {
    this.#processes.set(judged, recorded);
  }

  /** The same verdict, or a part of one, with the events as the recording counts them. */
  inRecording<T>(verdict: T): T {
    return this.#places.size === 0 ? verdict : (this.#told(verdict) as T);
  }

  #told(part: unknown, name = ""): unknown {
    if (typeof part === "string") return this.#reworded(part);
    if (typeof part === "number" && name === "process") return this.#processOf(part);
    if (typeof part === "number" && INDICES.has(name)) return this.#placeOf(part);
    if (Array.isArray(part)) {
      const told = part.map((item: unknown) => this.#told(item, name));
      return INDICES.has(name) ? told.toSorted((one, other) => Number(one) - Number(other)) : told;
    }
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([field, value]) => [field, this.#told(value, field)]));
  }

  #reworded(text: string): string {
    const renamed = text.replace(NAMED_PROCESS, (_, drawn: string) => `process ${this.#processOf(Number(drawn))}`);
    return renamed.replace(NAMED_EVENTS, (_, what: string, one: string, other?: string) => {
      const also = other === undefined ? "" : ` and ${this.#placeOf(Number(other))}`;
      return `${what} ${this.#placeOf(Number(one))}${also}`;
    });
  }

  #processOf(judged: number): number {
    return this.#processes.get(judged) ?? judged;
  }

  #placeOf(judged: number): number {
    return this.#places.get(judged) ?? judged;
  }
}
