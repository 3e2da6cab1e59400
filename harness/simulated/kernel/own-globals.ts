const { Reflect: realReflect } = globalThis;

/**
 * What the program of one process has put on `globalThis`, and a `Reflect` of its own, to which libraries add as well. It is there
 * while that program runs, and nobody else sees it. Properties that were there before, or cannot be removed, are everybody's.
 */
export class OwnGlobals {
  /** Whose additions are in place. */
  static #present: OwnGlobals | null = null;
  /** What is everybody's. */
  static #shared = new Set<PropertyKey>();

  #additions: readonly (readonly [PropertyKey, PropertyDescriptor])[] = [];
  readonly #reflect = Object.defineProperties({}, Object.getOwnPropertyDescriptors(realReflect)) as typeof Reflect;

  /** The program of this process runs from now on; null: one without globals of its own, or the real world. */
  static enter(globals: OwnGlobals | null): void {
    const before = OwnGlobals.#present;
    if (globals === before) return;
    if (before !== null) before.#leave();
    else OwnGlobals.#shared = new Set(realReflect.ownKeys(globalThis));
    OwnGlobals.#present = globals;
    if (globals === null) return;
    for (const [key, descriptor] of globals.#additions) Object.defineProperty(globalThis, key, descriptor);
    globalThis.Reflect = globals.#reflect;
  }

  #leave(): void {
    globalThis.Reflect = realReflect;
    this.#additions = realReflect
      .ownKeys(globalThis)
      .filter((key) => !OwnGlobals.#shared.has(key))
      .map((key) => [key, Object.getOwnPropertyDescriptor(globalThis, key)!] as const)
      .filter(([key]) => realReflect.deleteProperty(globalThis, key));
  }
}
