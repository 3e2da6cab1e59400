import type { HistoryEvent } from "../../history/history.ts";
import { shareOf } from "../../core/sharing.ts";
import { MAY_RENEW } from "../../history/holds/repeated-acquire.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import type { CompletionEvent, InvocationEvent } from "../../history/operations.ts";
import { ownerName, REPLACED, replacedBy, underFirst, UNHEARD_OF } from "../../history/owner-value.ts";
import { statedIn } from "../../history/unordered.ts";

type Extension = Extract<CompletionEvent, { f: "extend" }>;
type Acquire = Extract<InvocationEvent, { f: "acquire" }>;
type Grant = Extract<HistoryEvent, { type: "ok"; f: "acquire" }>;
type ExtensionRequest = Extract<InvocationEvent, { f: "extend" }>;

/** How many owner values are remembered of holds that may be over. */
const REMEMBERED = 20_000;

/** How many of the oldest are looked at for each new one: those of holds that last stay. */
const REVIEWED = 2;

/** Of each key, so many of the last holds are looked at of which an extension has an unknown outcome. */
const REMEMBERED_OF_KEY = 8;

/** Of each key, so many of the oldest extensions that are under way are looked at. */
const REVIEWED_OF_KEY = 64;

/** What is known besides of the holds of a key, by owner values as the checkers see them. */
export interface KnownHolds {
  /** When the lease of the hold under this value ends at the latest, by what its client was told; undefined if nobody holds the key so. */
  readonly leaseEndOf: (key: string, owner: string, process: number) => number | undefined;
  /** Whether this value may have been granted the key, as the recording names it. */
  readonly mayBeGranted: (key: string, owner: string) => boolean;
  /** False for two processes of two clients. */
  readonly sameClient: (one: number, other: number) => boolean;
  /** Whether the two processes are one client for certain. */
  readonly areOne: (one: number, other: number) => boolean;
  /** Whether the later process may be the client of the earlier one, which does nothing any more. */
  readonly mayContinue: (earlier: number, later: number) => boolean;
  /** Whether a client may go on under another process number while its operation is under way for the checkers. */
  readonly mayFallSilent: boolean;
}

/** An owner value of a hold. */
interface Known {
  readonly key: string;
  /** The first owner value of the hold. */
  readonly first: string;
  readonly process: number;
  /** What the checkers see in place of the value. */
  readonly name: string;
}

/** An extension that is under way. */
interface Asked {
  readonly owner: string;
  /** The first owner value of its hold. */
  readonly first: string;
}

/**
 * A lock may draw a new owner value when it extends a lease: the completion of the extension then has another value than
 * its invocation. It is the same hold, so the checkers see the first value of it throughout. Whoever still uses a value
 * that was replaced refers to nothing; but the resource lists a write under the value that its author had then.
 */
export class RenamedOwners {
  readonly #holds: KnownHolds;
  readonly #remembered: number;
  /** By process, the extension that is under way. */
  readonly #asked = new Map<number, Asked>();
  /** By key, the processes whose extension is under way, the oldest first. */
  readonly #asking = new Map<string, Set<number>>();
  /** By key and first owner value of a hold, how many extensions of it are under way. */
  readonly #underWay = new Map<string, number>();
  /** By key and first owner value of a hold, the event that showed its last new value. */
  readonly #replacedAt: OldestFirst<string, number>;
  /** By key and owner value, the name that it has for the checkers, if that is another. */
  readonly #names = new OldestFirst<string, Known>();
  /** By key and owner value, the holds of which an extension has an unknown outcome. */
  readonly #unanswered = new OldestFirst<string, Known>();
  /** By key, the last of them. */
  readonly #lately = new OldestFirst<string, readonly Known[]>(REMEMBERED);
  /** By key and first owner value of a hold, the end of its lease when it was given a value that may be of another client's. */
  readonly #doubted: OldestFirst<string, number>;
  /** By process, its last acquire. */
  readonly #acquires = new OldestFirst<number, Acquire>(REMEMBERED);
  #renames = false;
  /** Of which holds an extension has shown that the lock does not always draw a new value: it may extend several keys in another way. */
  readonly #keeps = new Set<"one key" | "several keys">();
  /** By key and owner value, that it was granted the key together with others. */
  readonly #several: OldestFirst<string, true>;

  /**
   * @param holds what is known of the holds
   * @param remembered how many owner values are remembered of holds that may be over
   */
  constructor(holds: KnownHolds, remembered = REMEMBERED) {
    this.#holds = holds;
    this.#remembered = remembered;
    this.#replacedAt = new OldestFirst(remembered);
    this.#doubted = new OldestFirst(remembered);
    this.#several = new OldestFirst(remembered);
  }

  /** The event with the first owner value of its hold. An extension that answers with a value in use did not draw it. */
  named<E extends HistoryEvent>(event: E): E {
    if (event.type === "invoke") this.#adopt(event);
    if (event.type === "invoke" && event.f === "extend") this.#ask(event);
    else if (event.type !== "invoke" && event.f === "extend" && typeof event.process === "number") this.#answer(event);
    if (event.type === "invoke" && event.f === "acquire") {
      this.#acquires.set(event.process, event);
      if (this.#mayBeginBeside(event)) return { ...event, [MAY_RENEW]: true };
    }
    if (event.type === "ok" && event.f === "acquire") this.#grant(event);
    const from = replacedBy(event);
    if ((this.#names.size === 0 && from === undefined) || !("key" in event)) return event;
    const stated = event.value as { readonly owner?: unknown } | undefined;
    if (typeof stated?.owner !== "string") return event;
    if (from !== undefined) return underFirst(event, this.#nameOf(event.key, from));
    const known = this.#names.get(ownerName(event.key, stated.owner));
    if (known !== undefined && this.#isOfBefore(event, known)) return underFirst(event, known.first);
    const owner = (event.type === "audit" ? listedAs(known) : known?.name) ?? stated.owner;
    if (owner === stated.owner) return event;
    return owner.endsWith(REPLACED) ? { ...event, value: { ...stated, owner } } : underFirst(event, owner);
  }

  /**
   * Whether a hold may have had another owner value than its client knew at this event: the lock draws new ones, as far as
   * anybody knows, and an extension of this hold has an unknown outcome, is under way, or has shown a new value since.
   */
  mayHaveAnother(key: string, first: string, since: number): boolean {
    if (this.#isKept(key, first)) return false;
    const place = ownerName(key, first);
    return (
      this.#unanswered.has(place) || this.#underWay.has(place) || (this.#replacedAt.get(place) ?? -Infinity) > since
    );
  }

  /** Whether an extension whose outcome nobody was told may have drawn another owner value for a hold. */
  mayHaveDrawn(key: string, first: string): boolean {
    const place = ownerName(key, first);
    const isUnheard = this.#unanswered.has(place) || (this.#holds.mayFallSilent && this.#underWay.has(place));
    return isUnheard && !this.#isKept(key, first);
  }

  /**
   * Whether several may hold, and its client's hold may go on under a value that nobody was told: what is granted under the first value
   * may then be a second hold, which one release ends.
   */
  #mayBeginBeside({ key, process, value }: Acquire): boolean {
    if (shareOf(value).kind === "exclusive") return false;
    const isOwn = (known: Known): boolean =>
      this.#holds.mayContinue(known.process, process) && this.mayHaveDrawn(key, known.first);
    return this.#lately.get(key)?.some(isOwn) === true;
  }

  /** Whether it is a grant that was asked for before the answer of the extension which replaced its value: that came after it. */
  #isOfBefore(event: HistoryEvent, { key, first }: Known): boolean {
    if (event.type !== "ok" || event.f !== "acquire") return false;
    const asked = this.#acquires.get(event.process)?.index ?? event.index;
    return asked < (this.#replacedAt.get(ownerName(key, first)) ?? -Infinity);
  }

  #grant({ key, process, value: { owner } }: Grant): void {
    const isOfSeveral = (this.#acquires.get(process)?.value.alsoKeys ?? []).length > 0;
    if (isOfSeveral) this.#several.set(ownerName(key, owner), true);
  }

  #kindOf(key: string, first: string): "one key" | "several keys" {
    return this.#several.has(ownerName(key, first)) ? "several keys" : "one key";
  }

  /** Whether the lock keeps the value of such a hold when it extends it, as far as anybody knows. */
  #isKept(key: string, first: string): boolean {
    return !this.#renames && this.#keeps.has(this.#kindOf(key, first));
  }

  get #keepsAll(): boolean {
    const ofOne = this.#keeps.has("one key");
    return !this.#renames && ofOne && (this.#several.size === 0 || this.#keeps.has("several keys"));
  }

  #ask(event: ExtensionRequest): void {
    const { key, process, value } = event;
    const { owner } = value;
    const first = this.#nameOf(key, replacedBy(event) ?? owner);
    const place = ownerName(key, first);
    this.#asked.set(process, { owner, first });
    const asking = this.#asking.get(key);
    if (asking === undefined) this.#asking.set(key, new Set([process]));
    else asking.add(process);
    this.#underWay.set(place, (this.#underWay.get(place) ?? 0) + 1);
  }

  #answer(event: Extension): void {
    const { key, process } = event;
    const asked = this.#asked.get(process);
    if (asked === undefined) return;
    this.#asked.delete(process);
    const asking = this.#asking.get(key);
    asking?.delete(process);
    if (asking?.size === 0) this.#asking.delete(key);
    const place = ownerName(key, asked.first);
    const underWay = (this.#underWay.get(place) ?? 1) - 1;
    if (underWay > 0) this.#underWay.set(place, underWay);
    else this.#underWay.delete(place);
    if (event.type === "info") this.#leaveOpen(key, this.#nameOf(key, asked.owner, asked.first), process);
    const drawn = drawnBy(event, asked.owner);
    if (drawn === undefined) {
      if (event.type === "ok") this.#keeps.add(this.#kindOf(key, asked.first));
    } else if (!this.#isHeld(key, this.#nameOf(key, drawn), process)) this.#rename(key, [asked.owner, drawn], event);
  }

  #leaveOpen(key: string, first: string, process: number): void {
    const known = { key, first, process, name: first };
    this.#keep(this.#unanswered, first, known);
    const others = (this.#lately.get(key) ?? []).filter((other) => other.first !== first);
    this.#lately.set(key, [...others.slice(1 - REMEMBERED_OF_KEY), known]);
  }

  /**
   * A client may go on under the new value that it drew for an extension of unknown outcome. A value that nobody was granted is that one, as
   * far as anybody knows. Of a hold whose lease is over, only the same client can have another value: one of which nobody knows whether it is
   * may have another hold, of an acquire of unknown outcome or from before the recording.
   */
  #adopt(event: InvocationEvent): void {
    const { key, process, time } = event;
    const { owner } = (event.value ?? {}) as { readonly owner?: unknown };
    const known = this.#lately.get(key);
    const unheard = unheardBy(event);
    const silent = this.#holds.mayFallSilent ? this.#asking.get(key) : undefined;
    if ((known ?? silent ?? unheard) === undefined || typeof owner !== "string" || this.#keepsAll) return;
    if (this.#names.has(ownerName(key, owner)) || this.#holds.mayBeGranted(key, owner)) return;
    const own =
      this.#heldOf(key, process, unheard ?? []) ??
      this.#lastMeantBy(known ?? [], process, time) ??
      (silent === undefined ? undefined : this.#silentHold(key, process, time));
    if (own === undefined || this.#isKept(key, own.first)) return;
    this.#doubt(own, process);
    this.#call(owner, { ...own, process });
  }

  /** The one of these holds that this process may mean. One that was given back under a new value already hardly has another. */
  #lastMeantBy(known: readonly Known[], process: number, time: number): Known | undefined {
    const possible = known.filter(
      (hold) => this.#holds.sameClient(hold.process, process) && this.#mayLast(hold, process, time),
    );
    return possible.findLast(({ key, first, process: last }) => this.#isHeld(key, first, last)) ?? possible[0];
  }

  /** A value of a process of which nobody knows whose client it is may be of nothing that was granted: the hold goes on then. */
  #doubt({ key, first, process: last }: Known, process: number): void {
    const end = this.#holds.areOne(last, process) ? undefined : this.#holds.leaseEndOf(key, first, last);
    if (end !== undefined) this.#doubted.set(ownerName(key, first), end);
  }

  /** The hold of this client under the first of these owner values; where its grant comes later as well, nothing is held yet. */
  #heldOf(key: string, process: number, owners: readonly string[]): Known | undefined {
    const names = owners.map((owner) => this.#askedFor(key, owner) ?? this.#nameOf(key, owner));
    const first = names.find((name) => this.#isHeld(key, name, process)) ?? names[0];
    return first === undefined ? undefined : { key, first, process, name: first };
  }

  /** The first owner value of the hold for which this one is extended now. What drew the value may be known only later to be completed. */
  #askedFor(key: string, owner: string): string | undefined {
    let seen = 0;
    for (const process of this.#asking.get(key) ?? []) {
      const asked = this.#asked.get(process);
      seen += 1;
      if (seen > REVIEWED_OF_KEY) return undefined;
      if (asked?.owner === owner) return asked.first;
    }
    return undefined;
  }

  /** The hold of a client that may go on as this process, although its extension was never answered. */
  #silentHold(key: string, process: number, time: number): Known | undefined {
    let seen = 0;
    for (const asking of this.#asking.get(key) ?? []) {
      seen += 1;
      if (seen > REVIEWED_OF_KEY) return undefined;
      const first = this.#asked.get(asking)?.first;
      if (first === undefined || asking === process || !this.#holds.mayContinue(asking, process)) continue;
      const hold = { key, first, process: asking, name: first };
      if (this.#mayLast(hold, process, time)) return hold;
    }
    return undefined;
  }

  /** Whether this process may mean this hold, of which nobody knows the value. */
  #mayLast({ key, first, process: last }: Known, process: number, time: number): boolean {
    const end = this.#holds.leaseEndOf(key, first, last);
    if (end === undefined) {
      // Of an acquire of unknown outcome, or from before the recording: nobody was told of its lease.
      return !this.#holds.mayBeGranted(key, first) || (this.#doubted.get(ownerName(key, first)) ?? -Infinity) > time;
    }
    return this.#holds.areOne(last, process) || end > time;
  }

  #isHeld(key: string, owner: string, process: number): boolean {
    return this.#holds.leaseEndOf(key, owner, process) !== undefined;
  }

  #rename(key: string, [before, after]: readonly [string, string], { type, process, index }: Extension): void {
    this.#renames = true;
    const first = this.#nameOf(key, before);
    this.#replacedAt.set(ownerName(key, first), index);
    // If it is not known when an extension took effect, others may have used the value before it until now.
    if (type === "ok")
      this.#call(before, { key, first, process, name: before === first ? `${before}${REPLACED}` : before });
    this.#call(after, { key, first, process, name: first });
  }

  #call(owner: string, known: Known): void {
    // An audit may still name a value that stands for itself again.
    if (owner === known.first && owner === known.name) this.#names.delete(ownerName(known.key, owner));
    else this.#keep(this.#names, owner, known);
  }

  #keep(among: OldestFirst<string, Known>, owner: string, known: Known): void {
    among.set(ownerName(known.key, owner), known);
    for (let reviewed = 0; reviewed < REVIEWED && among.size > this.#remembered; reviewed += 1) {
      const [place, old] = among.oldest ?? [];
      if (place === undefined || old === undefined) return;
      among.delete(place);
      if (this.#isHeld(old.key, old.first, old.process)) among.set(place, old);
    }
  }

  #nameOf(key: string, owner: string, otherwise = owner): string {
    return (this.#names.size === 0 ? undefined : this.#names.get(ownerName(key, owner))?.name) ?? otherwise;
  }
}

/** The values for which its client asked for extensions whose outcome it does not know, before these are known to be completed. */
function unheardBy(event: HistoryEvent & { readonly [UNHEARD_OF]?: readonly string[] }): readonly string[] | undefined {
  return event[UNHEARD_OF];
}

/**
 * The owner value under which a resource lists the writes of a hold. It may list them when the value is of a later hold: of one value all
 * holds look alike to it.
 */
function listedAs(known: Known | undefined): string | undefined {
  const first = known?.first;
  return first?.endsWith(REPLACED) === true ? first.slice(0, -REPLACED.length) : first;
}

/** The owner value that the lock drew, if the recording has another than the one that was asked for. */
function drawnBy(event: Extension, asked: string): string | undefined {
  const { owner } = statedIn(event);
  return owner === asked ? undefined : owner;
}
