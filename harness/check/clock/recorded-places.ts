/** How a text names events. */
const NAMED_EVENTS = /\b(events?) (\d+)(?: and (\d+))?/g;
/** The fields of a verdict that hold the index of an event, or several. */
const INDICES: ReadonlySet<string> = new Set(["events", "faults", "fault", "grant", "invoked"]);

/** Where events stand in a recording that were judged in another order. */
export class RecordedPlaces {
  /** By the place in the order in which they were judged. */
  readonly #places = new Map<number, number>();

  /** The event with index `recorded` was judged as the one with index `judged`. */
  moved(judged: number, recorded: number): void {
    if (judged !== recorded) this.#places.set(judged, recorded);
  }

  /** The same verdict, or a part of one, with the events as the recording counts them. */
  inRecording<T>(verdict: T): T {
    return this.#places.size === 0 ? verdict : (this.#told(verdict) as T);
  }

  #told(part: unknown, name = ""): unknown {
    if (typeof part === "string") return this.#reworded(part);
    if (typeof part === "number" && INDICES.has(name)) return this.#placeOf(part);
    if (Array.isArray(part)) {
      const told = part.map((item: unknown) => this.#told(item, name));
      return INDICES.has(name) ? told.toSorted((one, other) => Number(one) - Number(other)) : told;
    }
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([field, value]) => [field, this.#told(value, field)]));
  }

  #reworded(text: string): string {
    return text.replace(NAMED_EVENTS, (_, what: string, one: string, other?: string) => {
      const also = other === undefined ? "" : ` and ${this.#placeOf(Number(other))}`;
      return `${what} ${this.#placeOf(Number(one))}${also}`;
    });
  }

  #placeOf(judged: number): number {
    return this.#places.get(judged) ?? judged;
  }
}
