/** How many positions share an entry. */
const BITS = 32;

/** Which positions of each resource the audit names, in whatever order: a bit each. */
export class AuditedPositions {
  readonly #byKey = new Map<string, Map<number, number>>();

  add(key: string, position: number): void {
    const known = this.#byKey.get(key);
    const named = known ?? new Map<number, number>();
    if (known === undefined) this.#byKey.set(key, named);
    const entry = Math.floor(position / BITS);
    named.set(entry, (named.get(entry) ?? 0) | bitOf(position));
  }

  has(key: string, position: number): boolean {
    const bits = this.#byKey.get(key)?.get(Math.floor(position / BITS)) ?? 0;
    return (bits & bitOf(position)) !== 0;
  }
}

function bitOf(position: number): number {
  return 1 << (position % BITS);
}
