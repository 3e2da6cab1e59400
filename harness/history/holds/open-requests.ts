/** What is under way, by a name and by process. */
export class OpenRequests<T> {
  readonly #open = new Map<string, Map<number, T>>();

  begin(name: string, process: number, request: T): void {
    const known = this.#open.get(name);
    if (known === undefined) this.#open.set(name, new Map([[process, request]]));
    else known.set(process, request);
  }

  end(name: string, process: number): void {
    const known = this.#open.get(name);
    known?.delete(process);
    if (known?.size === 0) this.#open.delete(name);
  }

  /** Those of this name, the oldest first. */
  of(name: string): ReadonlyMap<number, T> | undefined {
    return this.#open.get(name);
  }
}
