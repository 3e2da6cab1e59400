/**
 * Whether two owners without a known grant have used a key: where a history begins with holds, two of them may have been on it
 * at a time, if it is one that several may hold.
 */
export class StrangersSeen {
  /** By key, the first of these owners, or that there are several. */
  readonly #seen = new Map<string, { readonly owner: string; readonly areSeveral: boolean }>();

  note(key: string, owner: string): void {
    const known = this.#seen.get(key);
    if (known === undefined) this.#seen.set(key, { owner, areSeveral: false });
    else if (known.owner !== owner && !known.areSeveral) this.#seen.set(key, { owner, areSeveral: true });
  }

  areSeveral(key: string): boolean {
    return this.#seen.get(key)?.areSeveral === true;
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }
}
