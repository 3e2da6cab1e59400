export interface Scored {
  readonly member: string;
  readonly score: number;
}

/** Members ordered by score, then by their bytes. */
export class SortedSet {
  readonly #scores = new Map<string, number>();
  readonly #ordered: Scored[] = [];

  get size(): number {
    return this.#ordered.length;
  }

  score(member: string): number | undefined {
    return this.#scores.get(member);
  }

  members(): IterableIterator<string> {
    return this.#scores.keys();
  }

  /** All members in order; not to be changed. */
  all(): readonly Scored[] {
    return this.#ordered;
  }

  set(member: string, score: number): void {
    const before = this.#scores.get(member);
    if (before !== undefined) this.#ordered.splice(this.#find(member, before), 1);
    this.#scores.set(member, score);
    this.#ordered.splice(this.#find(member, score), 0, { member, score });
  }

  delete(member: string): boolean {
    const score = this.#scores.get(member);
    if (score === undefined) return false;
    this.#ordered.splice(this.#find(member, score), 1);
    return this.#scores.delete(member);
  }

  /** Position from the lowest, or undefined when it is no member. */
  rank(member: string): number | undefined {
    const score = this.#scores.get(member);
    return score === undefined ? undefined : this.#find(member, score);
  }

  /** Index of the first element for which `isBefore` is false; it must hold for a prefix. */
  lowerBound(isBefore: (element: Scored) => boolean): number {
    let low = 0;
    let high = this.#ordered.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const element = this.#ordered[middle];
      if (element !== undefined && isBefore(element)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  clone(): SortedSet {
    const copy = new SortedSet();
    for (const { member, score } of this.#ordered) {
      copy.#scores.set(member, score);
      copy.#ordered.push({ member, score });
    }
    return copy;
  }

  #find(member: string, score: number): number {
    return this.lowerBound((each) => each.score < score || (each.score === score && each.member < member));
  }
}
