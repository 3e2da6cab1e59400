import { type Share, weaker } from "../../core/sharing.ts";
import { OldestFirst } from "../oldest-first.ts";
import type { CompletionEvent, InvocationEvent } from "../operations.ts";
import type { Hold } from "./hold.ts";
import { overForCertain } from "./over-for-certain.ts";
import { ownerName } from "../owner-value.ts";

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
  readonly #byOwner = new OldestFirst<string, Lasting>(REMEMBERED_OWNERS);
  /** Holds that may have entered an older one, or were perhaps entered several times. */
  readonly #several = new WeakSet<Hold>();

  /** By key, the last owner whose releases may have left some of its entries, and how many. */
  readonly #entered = new OldestFirst<string, Entered>(REMEMBERED_OWNERS);

  /** A hold begins. Returns how it certainly excludes others. */
  begin(hold: Hold): Share {
    const entered = this.#entered.get(hold.key);
    if (entered?.owner === hold.owner) {
      hold.possibleEntries = entered.entries;
      hold.unknownEntries += entered.unknown;
    }
    if (entered !== undefined) this.#entered.delete(hold.key);
    const lasting = this.#byOwner.get(nameOf(hold));
    if (lasting === undefined || hold.invokedTime > lasting.until) return hold.share;
    this.#several.add(hold);
    return weaker(hold.share, lasting.share);
  }

  /** Its owner enters a hold again, or (`mayRenew`) may only renew its lease. */
  enter(hold: Hold, mayRenew: boolean): void {
    if (mayRenew) hold.possibleEntries += 1;
    // A reader that becomes a writer has entered again, or holds in another way what one release ends.
    if (hold.hasTwoModes || mayRenew) this.doubt(hold);
    else hold.depth += 1;
  }

  /** Whether a hold of this key is over only if none of its owner's later grants was a re-entry. */
  mayBeEntered(key: string): boolean {
    return (this.#entered.get(key)?.entries ?? 0) > 0;
  }

  /** The last owner of this key, which has released it. */
  lastOwner(key: string): LastOwner | undefined {
    return this.#entered.get(key);
  }

  /** A hold may have more entries than are counted. */
  doubt(hold: Hold): void {
    this.#several.add(hold);
  }

  /** A hold has ended. */
  end(hold: Hold): void {
    const share: Share = hold.wasReader ? { kind: "shared" } : hold.share;
    if ((hold.end?.by === "release" || hold.end?.by === "abandoned") && share.kind === "exclusive") {
      const { owner, currentProcess: process, possibleEntries: entries, end, grantedIndex: granted } = hold;
      // As long as nobody knows whether the release was carried out, it may have left the whole hold.
      const unknown = hold.unknownEntries + 1;
      // A client may give up an old hold after the next one was given up.
      const isOlder = granted < (this.#entered.get(hold.key)?.granted ?? -1);
      if (!isOlder) this.#entered.set(hold.key, { owner, process, entries, unknown, granted, ended: end.index });
    }
    // Nothing excludes others more.
    if (share.kind === "exclusive") return;
    const isOneOfSeveral = this.#several.has(hold);
    this.#byOwner.set(nameOf(hold), {
      share,
      endedIndex: hold.end?.index ?? -1,
      isOneOfSeveral,
      until: overForCertain(hold),
    });
  }

  /** A later release gives back one of the entries that may be left, or finds none. */
  #leave({ key, index, value: { owner } }: Extract<InvocationEvent, { f: "release" }>, released: boolean): void {
    const entered = this.#entered.get(key);
    if (entered?.owner !== owner) return;
    const { entries, unknown, ended } = entered;
    const isFirst = ended === index || entries === 0;
    const left = isFirst ? { entries, unknown: Math.max(0, unknown - 1) } : { entries: entries - 1, unknown };
    const rest = released ? left : NOTHING;
    this.#entered.replace(key, { ...entered, ...rest });
  }

  /** A release was answered. */
  released(
    invocation: Extract<InvocationEvent, { f: "release" }>,
    { type, value, time }: Extract<CompletionEvent, { f: "release" }>,
  ): void {
    if (type !== "ok") return;
    this.#leave(invocation, value.released);
    const name = nameOf({ key: invocation.key, owner: invocation.value.owner });
    const lasting = this.#byOwner.get(name);
    if (lasting === undefined) return;
    if (value.released && (lasting.isOneOfSeveral || lasting.endedIndex !== invocation.index)) return;
    this.#byOwner.replace(name, { ...lasting, until: Math.min(lasting.until, time) });
  }
}

const NOTHING = { entries: 0, unknown: 0 };

/** Whose hold a release ended, unless it had more entries than are counted, or the release was not carried out. */
export interface LastOwner {
  readonly owner: string;
  readonly process: number;
  /** How many entries may be left, because nobody knows which of its grants were renewals. */
  readonly entries: number;
  /** How many more there may be by operations of unknown outcome. */
  readonly unknown: number;
}

interface Entered extends LastOwner {
  /** Index of the grant of the hold. */
  readonly granted: number;
  /** Index of the release that ended the hold, as far as its first entry goes. */
  readonly ended: number;
}

function nameOf({ key, owner }: Pick<Hold, "key" | "owner">): string {
  return ownerName(key, owner);
}
