import { globalsOfDrivers } from "../../client/globals-of-drivers.ts";

const { Reflect: realReflect } = globalThis;
const NAMES_OF_REFLECT = realReflect.ownKeys(realReflect);

type Property = readonly [PropertyKey, PropertyDescriptor];

/**
 * What the program of one process has put on `globalThis`. It is there while that program runs, and until another with globals of its
 * own does, which does not see it. Properties that were there before, or cannot be removed, are everybody's; what the harness's own
 * loading of a driver put there is not there while such a program runs.
 */
export class OwnGlobals {
  /** Whose additions are in place. */
  static #present: OwnGlobals | null = null;
  /** What is everybody's. */
  static #shared = new Set<PropertyKey>();
  /** What was put there when drivers were loaded in the real world, while it is not there. */
  static #ofDrivers: readonly Property[] = [];

  #additions: readonly Property[] = [];
  #reflect: typeof Reflect | null = null;

  /** The program of this process runs from now on; null: one without globals of its own, or the real world. */
  static enter(globals: OwnGlobals | null): void {
    const before = OwnGlobals.#present;
    if (globals === before) return;
    if (before !== null) before.#leave();
    else {
      OwnGlobals.#ofDrivers = takeOff([...globalsOfDrivers]);
      OwnGlobals.#shared = new Set(realReflect.ownKeys(globalThis));
    }
    OwnGlobals.#present = globals;
    putOn(globals === null ? OwnGlobals.#ofDrivers : globals.#additions);
    if (globals !== null && globals.#reflect !== null) globalThis.Reflect = globals.#reflect;
  }

  /** Gives the program a `Reflect` of its own, to add to. Not every program has one: all code that uses it becomes slower. */
  giveReflect(): void {
    if (this.#reflect !== null) return;
    this.#reflect = {} as typeof Reflect;
    for (const name of NAMES_OF_REFLECT) {
      Object.defineProperty(this.#reflect, name, Object.getOwnPropertyDescriptor(realReflect, name)!);
    }
    if (OwnGlobals.#present === this) globalThis.Reflect = this.#reflect;
  }

  #leave(): void {
    if (this.#reflect !== null) globalThis.Reflect = realReflect;
    this.#additions = takeOff(realReflect.ownKeys(globalThis).filter((key) => !OwnGlobals.#shared.has(key)));
  }
}

/** Removes what is there and can be removed, and returns it. */
function takeOff(keys: readonly PropertyKey[]): readonly Property[] {
  return keys
    .filter((key) => Object.hasOwn(globalThis, key))
    .map((key) => [key, Object.getOwnPropertyDescriptor(globalThis, key)!] as const)
    .filter(([key]) => realReflect.deleteProperty(globalThis, key));
}

function putOn(properties: readonly Property[]): void {
  for (const [key, descriptor] of properties) Object.defineProperty(globalThis, key, descriptor);
}
