/**
 * How long leases of a hold can be trusted, in view of its extensions without an answer: such a request may take effect at
 * any time, even after a later one, and then the lease ends that soon.
 */
export class LeaseBounds {
  readonly #asked = new Set<{ readonly ttlMs: number }>();

  /** No lease lasts longer for certain, counted from when it was asked for. `Infinity`: nothing is open. */
  get longestMs(): number {
    return Math.min(...[...this.#asked].map(({ ttlMs }) => ttlMs));
  }

  /** A lease of this length is asked for. Returns what to call when the answer is there. */
  ask(ttlMs: number): () => void {
    const request = { ttlMs };
    this.#asked.add(request);
    return () => this.#asked.delete(request);
  }
}
