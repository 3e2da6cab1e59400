const { Reflect: realReflect } = globalThis;

/**
 * What the program of one process has put on `globalThis`. It is there while that program runs, and until another with globals of its
 * own does, which does not see it. Properties that were there before, or cannot be removed, are everybody's.
 */
export class OwnGlobals {
  /** Whose additions are in place. */
  static #present: OwnGlobals | null = null;
  /** What is everybody's. */
  static #shared = new Set<PropertyKey>();

  #additions: readonly (readonly [PropertyKey, PropertyDescriptor])[] = [];
  #reflect: typeof Reflect | null = null;

  /** The program of this process runs from now on; null: one without globals of its own, or the real world. */
  static enter(globals: OwnGlobals | null): void {
    const before = OwnGlobals.#present;
    if (globals === before) return;
    if (before !== null) before.#leave();
    else OwnGlobals.#shared = new Set(realReflect.ownKeys(globalThis));
    OwnGlobals.#present = globals;
    if (globals === null) return;
    for (const [key, descriptor] of globals.#additions) Object.defineProperty(globalThis, key, descriptor);
    if (globals.#reflect !== null) globalThis.Reflect = globals.#reflect;
  }

  /** Gives the program a `Reflect` of its own, to add to. Not every program has one: all code that uses it becomes slower. */
  giveReflect(): void {
    if (this.#reflect !== null) return;
    this.#reflect = Object.defineProperties({}, Object.getOwnPropertyDescriptors(realReflect)) as typeof Reflect;
    if (OwnGlobals.#present === this) globalThis.Reflect = this.#reflect;
  }

  #leave(): void {
    if (this.#reflect !== null) globalThis.Reflect = realReflect;
    this.#additions = realReflect
      .ownKeys(globalThis)
      .filter((key) => !OwnGlobals.#shared.has(key))
      .map((key) => [key, Object.getOwnPropertyDescriptor(globalThis, key)!] as const)
      .filter(([key]) => realReflect.deleteProperty(globalThis, key));
  }
}
