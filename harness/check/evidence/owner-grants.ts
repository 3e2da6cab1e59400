import type { Hold, HoldTracker } from "../../history/holds.ts";
import { hadNoEffect, type LeaseRequest } from "../../history/leases.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import { PossibleReentries } from "../../history/possible-reentries.ts";
import { type CompletionEvent, grantOf, type InvocationEvent } from "../../history/operations.ts";
import { statedIn } from "../../history/unordered.ts";
import type { HeldBefore } from "./held-before.ts";
import type { HistoryStep } from "./history-step.ts";

/** How many owner values are remembered, of all keys together: about 20 MB. */
const REMEMBERED_OWNERS = 20_000;

/** How many acquires of one client are remembered beside a release: beside more, nothing is certain of it. */
const REMEMBERED_BESIDES = 64;

type ReleaseRequest = Extract<InvocationEvent, { f: "release" }>;
type ReleaseAnswer = Extract<CompletionEvent, { f: "release"; type: "ok" }>;

/** What the history shows of one owner value of one key. Positions are event indices. */
export interface OwnerGrants {
  /** The hold to which its last grant belongs, which may have ended since. */
  readonly hold: Hold;
  /** When its last grant was completed. All its grants came before. */
  readonly grantedBy: number;
  /** How often it was granted the lock since it certainly had nothing, less the releases that found it. */
  readonly entries: number;
  /** How many acquires of unknown outcome may have entered its hold again, at any time. It grows: each may concern hundreds of owners. */
  unknown: number;
  /**
   * The completion of the release that shows that it no longer had anything of these grants, if there was one since the
   * last of them. Only `goneByOf` reads it.
   */
  readonly goneBy: number | undefined;
  /** The acquires that its client had under way then: each may have entered its hold once more. */
  readonly besides: readonly LeaseRequest[];
  /** Whether after that it may still have had a hold from before the history began, which its grants had entered again. */
  readonly mayRemain: boolean;
}

/**
 * The completion of the release that shows that an owner no longer had anything of its grants. Undefined if there was none,
 * or if an acquire that was under way may have entered its hold once more.
 */
export function goneByOf({ hold, goneBy, besides }: OwnerGrants): number | undefined {
  return besides.every((acquire) => hadNoEffect(acquire, hold)) ? goneBy : undefined;
}

/** Remembers the last grant of each owner value, even after its hold has ended, up to a number of owner values. */
export class OwnerGrantLog {
  readonly #byOwner = new OldestFirst<string, OwnerGrants>();
  readonly #capacity: number;
  readonly #heldBefore: HeldBefore;
  readonly #holds: HoldTracker;
  readonly #isShared: (key: string, owner: string) => boolean;
  readonly #reentries = new Map<string, PossibleReentries<undefined>>();
  #forgottenUpTo = -1;

  /**
   * @param holds tell which processes belong to one client
   * @param heldBefore who may hold since before the history
   * @param isShared whether several clients use this owner value of a key
   * @param capacity how many owner values are remembered
   */
  constructor(
    holds: HoldTracker,
    heldBefore: HeldBefore,
    isShared: (key: string, owner: string) => boolean,
    capacity = REMEMBERED_OWNERS,
  ) {
    this.#holds = holds;
    this.#isShared = isShared;
    this.#capacity = capacity;
    this.#heldBefore = heldBefore;
  }

  /** Every grant that was completed after this event is remembered; some earlier ones may be forgotten. */
  get forgottenUpTo(): number {
    return this.#forgottenUpTo;
  }

  of(key: string, owner: string): OwnerGrants | undefined {
    return this.#byOwner.get(nameOf(key, owner));
  }

  /** Whether this owner value was granted the key, or may have been. */
  mayKnow(key: string, owner: string): boolean {
    return this.#forgottenUpTo >= 0 || this.of(key, owner) !== undefined;
  }

  /** Drops what is known of a key that will not be used again, except its owner values: there are not too many. */
  conclude(key: string): void {
    this.#reentries.delete(key);
  }

  push({ event, invocation, changes, loss }: HistoryStep): void {
    const grant = grantOf(event, invocation);
    if (grant !== undefined) {
      const { key, process, value } = grant.completion;
      const { owner } = value;
      const hold = changes.find(({ kind }) => kind !== "ended")?.hold;
      if (hold === undefined) return;
      const name = nameOf(key, owner);
      const before = this.#byOwner.get(name);
      const entries = (before?.entries ?? 0) + 1;
      const unknown =
        (before?.unknown ?? 0) +
        this.#reentriesOf(key).grant(process, owner, event.index, grant.invocation.index).length;
      // The owner value that was granted last is the last to be forgotten.
      this.#byOwner.set(name, {
        hold,
        grantedBy: event.index,
        entries,
        unknown,
        goneBy: undefined,
        besides: [],
        mayRemain: false,
      });
      this.#forget();
    } else if (event.type === "info" && event.f === "acquire") {
      this.#addUnknown(event, invocation?.index ?? event.index);
    } else if (event.type === "ok" && event.f === "release" && invocation?.f === "release") {
      // It may go on under another owner value, which its client is granted later.
      if (loss === undefined) this.#released(event, invocation);
    }
  }

  #addUnknown(answer: CompletionEvent, invokedIndex: number): void {
    const { key, process } = answer;
    for (const owner of this.#reentriesOf(key).add(process, undefined, invokedIndex, statedIn(answer).owner)) {
      const known = this.#byOwner.get(nameOf(key, owner));
      if (known !== undefined) known.unknown += 1;
    }
  }

  #reentriesOf(key: string): PossibleReentries<undefined> {
    const known = this.#reentries.get(key);
    if (known !== undefined) return known;
    const fresh = new PossibleReentries<undefined>(this.#holds.lineage, () => "acquire");
    this.#reentries.set(key, fresh);
    return fresh;
  }

  #released({ key, index, value }: ReleaseAnswer, { index: invokedIndex, value: { owner } }: ReleaseRequest): void {
    const name = nameOf(key, owner);
    const known = this.#byOwner.get(name);
    // A release that was under way when its owner value was granted again may have come before that.
    if (known === undefined || known.grantedBy > invokedIndex) return;
    // A lock that tells clients apart says nothing of what another one holds under this value.
    if (!value.released && this.#isShared(key, owner)) return;
    const entries = known.entries - 1;
    const isGone = !value.released || entries + known.unknown <= 0;
    const besides = isGone && value.released ? this.#besides(key, known.hold.currentProcess) : [];
    const goneBy = isGone && besides !== undefined ? index : undefined;
    const mayRemain = isGone && value.released && this.#heldBefore.mayHold(key, owner);
    this.#byOwner.replace(name, { ...known, entries: isGone ? 0 : entries, goneBy, besides: besides ?? [], mayRemain });
  }

  /** The acquires that a client has under way; undefined if there are too many. */
  #besides(key: string, process: number): readonly LeaseRequest[] | undefined {
    const found: LeaseRequest[] = [];
    for (const request of this.#holds.openAcquires(key, process)) {
      if (found.push(request) > REMEMBERED_BESIDES) return undefined;
    }
    return found;
  }

  #forget(): void {
    while (this.#byOwner.size > this.#capacity) {
      const [name, { grantedBy }] = this.#byOwner.oldest!;
      this.#byOwner.delete(name);
      this.#forgottenUpTo = Math.max(this.#forgottenUpTo, grantedBy);
    }
  }
}

/** Made for each owner value that an acquire of unknown outcome may have had: a fraction of the time of JSON. */
function nameOf(key: string, owner: string): string {
  return `${key.length} ${key}${owner}`;
}
