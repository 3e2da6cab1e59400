interface Range {
  readonly from: number;
  to: number;
}

/** Which positions of each resource the audit names. Consecutive positions take no more memory than one. */
export class AuditedPositions {
  readonly #byKey = new Map<string, Range[]>();

  add(key: string, position: number): void {
    const ranges = this.#byKey.get(key);
    if (ranges === undefined) {
      this.#byKey.set(key, [{ from: position, to: position }]);
      return;
    }
    const last = ranges.at(-1)!;
    if (position === last.to + 1) last.to = position;
    else if (!this.has(key, position)) ranges.push({ from: position, to: position });
  }

  has(key: string, position: number): boolean {
    return this.#byKey.get(key)?.some(({ from, to }) => from <= position && position <= to) ?? false;
  }
}
