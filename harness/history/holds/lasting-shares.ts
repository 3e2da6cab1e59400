import { type Share, weaker } from "../../core/sharing.ts";
import { OldestFirst } from "../oldest-first.ts";
import type { CompletionEvent, InvocationEvent } from "../operations.ts";
import type { Hold } from "./hold.ts";

/** How many owner values are remembered. */
const REMEMBERED_OWNERS = 10_000;

/** What the lock may still count of an owner whose hold is over as far as its client knows. */
interface Lasting {
  readonly share: Share;
  /** Index of the event that ended the hold. */
  readonly endedIndex: number;
  /** Whether a release that was carried out may have left an older entry of its owner. */
  readonly isOneOfSeveral: boolean;
  /** An acquire that was invoked later found nothing of it. */
  readonly until: number;
}

/**
 * How owners share keys whose holds are over, but perhaps not at the lock: nobody knows whether the release was carried out,
 * or the client was wrong to give up. If such an owner is granted the key again, it may have entered its old hold once
 * more, and counts as the weaker of the two.
 */
export class LastingShares {
  readonly #byOwner = new OldestFirst<string, Lasting>();
  /** Holds that may have entered an older one, or were perhaps entered several times. */
  readonly #several = new WeakSet<Hold>();

  /** A hold begins. Returns how it certainly excludes others. */
  begin(hold: Hold): Share {
    const lasting = this.#byOwner.get(nameOf(hold));
    if (lasting === undefined || hold.invokedTime > lasting.until) return hold.share;
    this.#several.add(hold);
    return weaker(hold.share, lasting.share);
  }

  /** A hold may have more entries than are counted. */
  doubt(hold: Hold): void {
    this.#several.add(hold);
  }

  /** A hold has ended. */
  end(hold: Hold): void {
    // Nothing excludes others more.
    if (hold.share.kind === "exclusive") return;
    const isOneOfSeveral = this.#several.has(hold);
    this.#byOwner.set(nameOf(hold), {
      share: hold.share,
      endedIndex: hold.end?.index ?? -1,
      isOneOfSeveral,
      until: lastsUntil(hold),
    });
    const { size, oldest } = this.#byOwner;
    if (size > REMEMBERED_OWNERS && oldest !== undefined) this.#byOwner.delete(oldest[0]);
  }

  /** A release was answered. */
  released(
    invocation: Extract<InvocationEvent, { f: "release" }>,
    { type, value, time }: Extract<CompletionEvent, { f: "release" }>,
  ): void {
    if (type !== "ok") return;
    const name = nameOf({ key: invocation.key, owner: invocation.value.owner });
    const lasting = this.#byOwner.get(name);
    if (lasting === undefined) return;
    if (value.released && (lasting.isOneOfSeveral || lasting.endedIndex !== invocation.index)) return;
    this.#byOwner.replace(name, { ...lasting, until: Math.min(lasting.until, time) });
  }
}

/** When its lease is over for certain: an operation whose outcome is unknown may prolong it at any time. */
function lastsUntil({ leaseEndAtMost, promised }: Hold): number {
  const mayChange = promised?.shortestUnknown !== undefined || (promised?.asked?.size ?? 0) > 0;
  return mayChange ? Infinity : leaseEndAtMost;
}

function nameOf({ key, owner }: Pick<Hold, "key" | "owner">): string {
  return JSON.stringify([key, owner]);
}
