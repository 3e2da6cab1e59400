import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** How many of these objects are still in use. */
export async function countKept(objects: readonly WeakRef<object>[]): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  // A WeakRef keeps what it names until the turn is over.
  await nextTurn();
  collectGarbage();
  return objects.filter((object) => object.deref() !== undefined).length;
}
