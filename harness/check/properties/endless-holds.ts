import { isEndless } from "../../history/holds/endless-lease.ts";
import { type HistoryHeader, NANOSECONDS_PER_MS } from "../../history/history.ts";
import { clientInWords, timeWords } from "../words.ts";
import type { HistoryStep } from "../evidence/history-step.ts";

/** What may have left a key held that no lease frees. */
interface Left {
  readonly by: "acquire" | "release" | "holder";
  readonly process: number;
  readonly time: number;
}

/**
 * Holds that no lease ends and that nobody may ever release: their holder has not, or nobody knows whether it has one. Every
 * other client then waits in vain, and the lock is not to blame.
 */
export class EndlessHolds {
  readonly #header: HistoryHeader;
  readonly #left = new Map<string, Left>();
  /** The keys that clients ask for without an end. */
  readonly #endless = new Set<string>();

  constructor(header: HistoryHeader) {
    this.#header = header;
  }

  push({ event, invocation, changes }: HistoryStep): void {
    if (event.type === "invoke" && event.f === "acquire" && isEndless(event.value.ttlMs * NANOSECONDS_PER_MS))
      this.#endless.add(event.key);
    for (const { kind, hold } of changes) {
      const { key, process, grantedTime: time } = hold;
      // An acquire of unknown outcome may take the key later than others have had it.
      if (this.#left.get(key)?.by === "acquire") continue;
      if (kind === "ended") this.#left.delete(key);
      else if (kind === "granted" && this.#endless.has(key)) this.#left.set(key, { by: "holder", process, time });
    }
    if (event.type !== "info" || invocation === undefined) return;
    const { f: by, key, process, time } = invocation;
    if ((by === "acquire" || by === "release") && this.#endless.has(key)) this.#left.set(key, { by, process, time });
  }

  /** Which one kept others waiting, in words; undefined if there is none. */
  explanation(): string | undefined {
    const [first] = this.#left;
    if (first === undefined) return undefined;
    const [key, { by, process, time }] = first;
    const who = clientInWords(this.#header, process);
    if (by === "holder") return `${who} has held ${key} since ${timeWords(time)}, and no lease ends its hold`;
    const may = by === "acquire" ? "have taken" : "not have freed";
    return `the ${by} of ${key} by ${who} at ${timeWords(time)}, of unknown outcome, may ${may} a lock that no lease ends`;
  }
}
