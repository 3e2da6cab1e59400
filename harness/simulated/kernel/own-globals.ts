import { globalsOfDrivers } from "../../client/globals-of-drivers.ts";

const { Reflect: realReflect } = globalThis;
const NAMES_OF_REFLECT = realReflect.ownKeys(realReflect);

/** Some properties of `globalThis`; where somebody runs to whom they belong, they may have other values by now. */
interface Properties {
  readonly keys: readonly PropertyKey[];
  readonly descriptors: readonly PropertyDescriptor[];
}

const NONE: Properties = { keys: [], descriptors: [] };
const world = globalThis as Record<PropertyKey, unknown>;

/**
 * What the program of one process has put on `globalThis`. It is there while that program runs, and until another with globals of its
 * own does, which does not see it. Properties that were there before, or cannot be removed, are everybody's; what the harness's own
 * loading of a driver put there is not there while such a program runs.
 */
export class OwnGlobals {
  /** Whose additions are in place. */
  static #present: OwnGlobals | null = null;
  /** What is everybody's, in its order. */
  static #shared: readonly PropertyKey[] = [];
  static #isShared: ReadonlySet<PropertyKey> = new Set();
  /** What was put there when drivers were loaded in the real world, while it is not there. */
  static #ofDrivers = NONE;

  #additions = NONE;
  /** All keys of `globalThis` when this program was left. */
  #keys: readonly PropertyKey[] = [];
  #reflect: typeof Reflect | null = null;

  /** The program of this process runs from now on; null: one without globals of its own, or the real world. */
  static enter(globals: OwnGlobals | null): void {
    const before = OwnGlobals.#present;
    if (globals === before) return;
    let there = NONE;
    if (before !== null) there = before.#leave();
    else {
      OwnGlobals.#ofDrivers = globalsOfDrivers.size === 0 ? NONE : present([...globalsOfDrivers]);
      exchange(OwnGlobals.#ofDrivers, NONE);
      OwnGlobals.#noteShared(realReflect.ownKeys(globalThis));
    }
    OwnGlobals.#present = globals;
    exchange(there, globals === null ? OwnGlobals.#ofDrivers : globals.#additions);
    if (globals !== null && globals.#reflect !== null) globalThis.Reflect = globals.#reflect;
  }

  static #noteShared(keys: readonly PropertyKey[]): void {
    if (areEqual(keys, OwnGlobals.#shared)) return;
    OwnGlobals.#shared = keys;
    OwnGlobals.#isShared = new Set(keys);
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

  /** Returns what this program has put there, which is still there. */
  #leave(): Properties {
    if (this.#reflect !== null) globalThis.Reflect = realReflect;
    const keys = realReflect.ownKeys(globalThis);
    // The keys seldom change, and this is done at each change from one program to another.
    if (areEqual(keys, OwnGlobals.#shared)) return (this.#additions = NONE);
    if (areEqual(keys, this.#keys)) return (this.#additions = refreshed(this.#additions));
    this.#keys = keys;
    return (this.#additions = present(keys.filter((key) => !OwnGlobals.#isShared.has(key))));
  }
}

/** Those of the keys that are there and can be removed. */
function present(keys: readonly PropertyKey[]): Properties {
  const removable = keys.filter((key) => Object.getOwnPropertyDescriptor(globalThis, key)?.configurable === true);
  return { keys: removable, descriptors: removable.map((key) => Object.getOwnPropertyDescriptor(globalThis, key)!) };
}

/** The same properties, as they are now. */
function refreshed(properties: Properties): Properties {
  const { keys, descriptors } = properties;
  for (let index = 0; index < keys.length; index += 1) {
    const descriptor = descriptors[index]!;
    if (!isPlain(descriptor) || world[keys[index]!] !== descriptor.value) return present(keys);
  }
  return properties;
}

/**
 * Puts some properties in the place of others. Where two programs have added the same, such as the 31 helpers of tslib, they are
 * given other values: it takes long to remove a property of `globalThis`.
 */
function exchange(former: Properties, next: Properties): void {
  if (!areEqual(former.keys, next.keys)) {
    for (const key of former.keys) realReflect.deleteProperty(globalThis, key);
    next.keys.forEach((key, index) => Object.defineProperty(globalThis, key, next.descriptors[index]!));
    return;
  }
  for (let index = 0; index < next.keys.length; index += 1) {
    const key = next.keys[index]!;
    const descriptor = next.descriptors[index]!;
    if (isPlain(descriptor) && isPlain(former.descriptors[index]!)) world[key] = descriptor.value;
    else Object.defineProperty(globalThis, key, descriptor);
  }
}

/** Whether it is as an assignment makes it. */
function isPlain({ writable, enumerable, configurable }: PropertyDescriptor): boolean {
  return writable === true && enumerable === true && configurable === true;
}

function areEqual(one: readonly PropertyKey[], other: readonly PropertyKey[]): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1) if (one[index] !== other[index]) return false;
  return true;
}
