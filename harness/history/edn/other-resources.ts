import { isEdnMap } from "./edn-operations.ts";
import type { EdnMap } from "./edn-forms.ts";

/**
 * Reads and writes of something else than the guarded resource of lockstorm's format, such as the register that a Jepsen
 * workload updates while it holds the lock: `{:f :write, :value 5}` has no name of the write, and what is read is no position.
 */
export class OtherResources {
  /** The processes whose operation under way is one of these. */
  readonly #open = new Set<number>();

  /** Whether an operation is one of these. To be asked of every operation of a client. */
  has(process: number, type: string | undefined, f: string, form: EdnMap): boolean {
    if (f !== "read" && f !== "write") return false;
    if (type !== "invoke") return this.#open.delete(process);
    const { value = null } = form;
    const isGuarded = f === "write" ? isEdnMap(value) && "data" in value : "key" in form || isEdnMap(value);
    if (isGuarded) this.#open.delete(process);
    else this.#open.add(process);
    return !isGuarded;
  }
}
