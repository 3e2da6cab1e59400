/**
 * What the harness's own loading of drivers has put on `globalThis`. It loads each driver once for itself, to ask what it supports. A
 * client with modules of its own is not to find there what another process would not have: the store of a library, say.
 */
export const globalsOfDrivers = new Set<PropertyKey>();

/** Loads, and notes what that puts on `globalThis`. */
export async function notingGlobals<T>(load: () => Promise<T>): Promise<T> {
  const before = new Set(Reflect.ownKeys(globalThis));
  try {
    return await load();
  } finally {
    for (const key of Reflect.ownKeys(globalThis)) if (!before.has(key)) globalsOfDrivers.add(key);
  }
}
