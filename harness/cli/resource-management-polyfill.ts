/**
 * The parts of explicit resource management that Node 22 lacks, apart from the syntax, which is compiled away:
 * `SuppressedError` and `AsyncDisposableStack`. They are installed where they are missing when this module is loaded;
 * later versions of Node have them. Source: ECMAScript's proposal of that name, finished in 2025.
 */
export class DisposalSuppressedError extends Error {
  override readonly name = "SuppressedError";
  /** The later error. */
  readonly error: unknown;
  /** The error that came first. */
  readonly suppressed: unknown;

  constructor(error: unknown, suppressed: unknown, message?: string) {
    super(message);
    this.error = error;
    this.suppressed = suppressed;
  }
}

/** Disposes its resources, the last one first. */
export class DisposalStack implements AsyncDisposable {
  readonly [Symbol.toStringTag] = "AsyncDisposableStack";
  #disposals: (() => unknown)[] = [];
  #disposed = false;

  get disposed(): boolean {
    return this.#disposed;
  }

  use<T extends AsyncDisposable | Disposable | null | undefined>(value: T): T {
    this.#mustBeOpen();
    if (value === null || value === undefined) return value;
    const dispose: unknown = Reflect.get(value, Symbol.asyncDispose) ?? Reflect.get(value, Symbol.dispose);
    if (typeof dispose !== "function") throw new TypeError("it cannot be disposed");
    this.#disposals.push(() => Reflect.apply(dispose, value, []) as unknown);
    return value;
  }

  adopt<T>(value: T, onDispose: (value: T) => unknown): T {
    this.defer(() => onDispose(value));
    return value;
  }

  defer(onDispose: () => unknown): void {
    this.#mustBeOpen();
    this.#disposals.push(onDispose);
  }

  /** A new stack with all its resources; this one is then disposed and empty. */
  move(): DisposalStack {
    this.#mustBeOpen();
    const moved = new DisposalStack();
    moved.#disposals = this.#disposals;
    this.#disposals = [];
    this.#disposed = true;
    return moved;
  }

  /** @throws what a disposal threw; after several, a `SuppressedError` with the last, and the others nested in it */
  async disposeAsync(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    let failure: { readonly error: unknown } | undefined;
    for (const dispose of this.#disposals.splice(0).toReversed()) {
      try {
        await dispose();
      } catch (error) {
        failure = { error: failure === undefined ? error : new globalThis.SuppressedError(error, failure.error) };
      }
    }
    if (failure !== undefined) throw failure.error;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync();
  }

  #mustBeOpen(): void {
    if (this.#disposed) throw new ReferenceError("the stack is disposed already");
  }
}

const lacking: Record<string, unknown> = {
  SuppressedError: DisposalSuppressedError,
  AsyncDisposableStack: DisposalStack,
};
for (const [name, value] of Object.entries(lacking)) {
  if (!(name in globalThis)) Object.defineProperty(globalThis, name, { configurable: true, writable: true, value });
}
