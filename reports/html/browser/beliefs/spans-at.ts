/** Spans ascending by their beginning, which may overlap, arranged to ask which contain an instant. */
export class SpansAt<Span extends { readonly from: number; readonly to: number }> {
  readonly #spans: readonly Span[];
  /** The latest end of a span and of those before it. */
  readonly #latest: Float64Array;

  constructor(spans: readonly Span[]) {
    this.#spans = spans;
    this.#latest = new Float64Array(spans.length);
    let latest = -Infinity;
    spans.forEach(({ to }, place) => (this.#latest[place] = latest = Math.max(latest, to)));
  }

  /** The spans that have begun and are not over, in their order. */
  at(time: number): readonly Span[] {
    const found: Span[] = [];
    for (let place = this.#begunBefore(time) - 1; place >= 0 && (this.#latest[place] ?? 0) > time; place -= 1) {
      const span = this.#spans[place];
      if (span !== undefined && span.to > time) found.push(span);
    }
    return found.reverse();
  }

  /** How many spans begin at this instant or before. */
  #begunBefore(time: number): number {
    let [low, high] = [0, this.#spans.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#spans[middle]?.from ?? 0) <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
