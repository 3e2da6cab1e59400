import type { Hold } from "../../history/holds.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import { ownerName } from "../../history/owner-value.ts";

/** How many owner values are remembered, of all keys together: about 4 MB. */
const REMEMBERED_OWNERS = 20_000;

/** The releases of one owner value of one key, by whichever clients. */
interface Releases {
  /** How many are under way. */
  readonly open: number;
  /** Index of the last completion. */
  readonly lastEnd: number;
  /** Whether the outcome of one is unknown: it may take effect at any time. */
  readonly unknown: boolean;
}

const NONE: Releases = { open: 0, lastEnd: -1, unknown: false };

/**
 * Which holds a release may have ended that was not meant for them: it was under way beside their acquire, or it was meant
 * for an earlier hold of the same owner value and its outcome is unknown. An owner that is then granted the lock again may
 * have begun a new hold.
 */
export class UnsettledReleases {
  readonly #byOwner = new OldestFirst<string, Releases>();
  readonly #doubted = new WeakSet<Hold>();
  /** Whatever was released until then, it may have been under any owner value. */
  #forgotten = NONE;
  readonly #capacity: number;

  /** @param capacity how many owner values are remembered */
  constructor(capacity = REMEMBERED_OWNERS) {
    this.#capacity = capacity;
  }

  /** Whether the lock may have ended this hold although its client has not released it. */
  mayHaveEnded(hold: Hold): boolean {
    return this.#doubted.has(hold);
  }

  push({ event, invocation, changes }: HistoryStep): void {
    for (const { kind, hold } of changes) {
      if (kind === "granted" && (this.#isBeside(hold, this.#of(hold)) || this.#isBeside(hold, this.#forgotten))) {
        this.#doubted.add(hold);
      }
    }
    if (event.type === "invoke" && event.f === "release") {
      const { owner } = event.value;
      const known = this.#of({ key: event.key, owner });
      this.#set({ key: event.key, owner }, { ...known, open: known.open + 1 });
    } else if (invocation?.f === "release") {
      const { owner } = invocation.value;
      const { open, unknown } = this.#of({ key: invocation.key, owner });
      const isUnknown = unknown || event.type === "info";
      this.#set(
        { key: invocation.key, owner },
        { open: Math.max(0, open - 1), lastEnd: event.index, unknown: isUnknown },
      );
    }
  }

  #isBeside({ invokedIndex }: Hold, { open, lastEnd, unknown }: Releases): boolean {
    return unknown || open > 0 || lastEnd > invokedIndex;
  }

  #of({ key, owner }: Pick<Hold, "key" | "owner">): Releases {
    return this.#byOwner.get(ownerName(key, owner)) ?? NONE;
  }

  #set({ key, owner }: Pick<Hold, "key" | "owner">, releases: Releases): void {
    this.#byOwner.set(ownerName(key, owner), releases);
    const { size, oldest } = this.#byOwner;
    if (size <= this.#capacity || oldest === undefined) return;
    const [name, { open, lastEnd, unknown }] = oldest;
    this.#byOwner.delete(name);
    this.#forgotten = {
      open: 0,
      lastEnd: Math.max(this.#forgotten.lastEnd, lastEnd),
      unknown: this.#forgotten.unknown || unknown || open > 0,
    };
  }
}
