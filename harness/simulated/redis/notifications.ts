/** Classes of keyspace events, by the letter of the directive `notify-keyspace-events`. */
export type EventClass = "g" | "$" | "l" | "s" | "h" | "z" | "x" | "e" | "t" | "m" | "d" | "n";

/** The meaning of `A`: everything but misses and new keys. */
const ALL = "g$lshzxetd";
const LISTED_FIRST = `${ALL}n`;
const LISTED_LAST = "KEm";

/** Which keyspace events are published. */
export class NotificationFilter {
  #flags = new Set<string>();

  /** Sets the directive's value. False when a letter is unknown; then nothing changes. */
  set(text: string): boolean {
    if (!/^[Ag$lshzxetdnKEm]*$/.test(text)) return false;
    this.#flags = new Set(text.replaceAll("A", ALL));
    return true;
  }

  /** The directive as CONFIG GET shows it: letters in a fixed order; `A` where it fits, and then `n` is not shown. */
  toString(): string {
    const shown = (letters: string): string =>
      Array.from(letters)
        .filter((flag) => this.#flags.has(flag))
        .join("");
    const classes = shown(ALL) === ALL ? "A" : shown(LISTED_FIRST);
    return classes + shown(LISTED_LAST);
  }

  get silent(): boolean {
    return this.#flags.size === 0;
  }

  /** The channels on which an event is published, with its messages. */
  channels(kind: EventClass, event: string, key: string, database: number): readonly (readonly [string, string])[] {
    if (!this.#flags.has(kind)) return [];
    const found: [string, string][] = [];
    if (this.#flags.has("K")) found.push([`__keyspace@${database}__:${key}`, event]);
    if (this.#flags.has("E")) found.push([`__keyevent@${database}__:${event}`, key]);
    return found;
  }
}
