import { OldestFirst } from "./oldest-first.ts";
import type { KnownGrant, ProcessLineage } from "./process-lineage.ts";

/** How many entries of each kind are remembered. */
const REMEMBERED = 256;
/** How many acquires are remembered that may be any client's: each new process may have asked for each of them. */
const REMEMBERED_OF_ANY = 64;
/** How many of them are of one kind, and how many of one kind are offered to one hold: it hardly ever needs more than one. */
const OF_A_KIND = 16;
/** How many processes are remembered that acquires of unknown outcome were offered to: as many as `ProcessLineage` remembers. */
const REMEMBERED_OFFERS = 20_000;

/** How many grants of one key are remembered at least: there may be thousands of keys. */
const RECENT = 8;

const NONE: readonly never[] = [];

interface Offered {
  count: number;
  /** When the last of the first few was asked for: what was asked for earlier may have come earlier. */
  latest: number;
}

interface Unknown<T> {
  readonly process: number;
  readonly acquire: T;
  /** Those of one kind differ only in when they were asked for. */
  readonly kind: string;
  readonly invokedIndex: number;
  /** The one owner value that its client is known to have had, if any. */
  owner: string | undefined;
  /** Its own owner value, where that is known and only its time is not, and nobody was seen to be granted it yet. */
  awaited: string | undefined;
  /** How many grants there were before it. */
  readonly after: number;
}

/**
 * Which holds of one key an acquire of unknown outcome may have entered again. Nobody was told its owner value. It may
 * be the last value that its client was granted, whose hold the acquire may have found. As long as the client is known
 * to use no other value, it may be that value whenever the client is granted it: a client may use one value for all its
 * holds, and the acquire may take effect at any time after its invocation. A client that has since been granted another
 * value uses a fresh one for each hold. Where the history does not say how many clients ran, a process may continue one of
 * several, and so may one of a client that does several things at a time, each perhaps under a value of its own: each value that one of
 * these was granted is then possible, and none is known to be the only one.
 */
export class PossibleReentries<T> {
  readonly #lineage: ProcessLineage;
  readonly #kindOf: (acquire: T) => string;
  /** The last grants, and the last of each process, the latest last. */
  #granted: KnownGrant[] = [];
  /** With more grants, those are dropped that are none of these. */
  #mostGranted = 2 * RECENT;
  /** By grant and kind, the acquires that may be any client's and were offered to it since. */
  #offered: Map<KnownGrant, Map<string, Offered>> | undefined;
  /** Shared by all that have none: most keys have no acquire of unknown outcome. */
  #unknown: readonly Unknown<T>[] = NONE;
  /** The last of those whose client was granted another owner value since. */
  #settled: readonly Unknown<T>[] = NONE;
  /** By process, the first owner value without a known grant that it referred to. */
  #referred: Map<number, string> | undefined;
  #owners: Set<string> | undefined;
  #grants = 0;
  /**
   * By process, which of the grants was its last that an acquire of unknown outcome may have come before: each that came before
   * it and may be its client's was offered to it.
   */
  #offers: OldestFirst<number, number> | undefined;

  /** @param kindOf acquires of one kind may do the same to a hold */
  constructor(lineage: ProcessLineage, kindOf: (acquire: T) => string) {
    this.#lineage = lineage;
    this.#kindOf = kindOf;
  }

  /**
   * The outcome of this acquire will never be known. Returns the owner values whose holds it may have entered again: the
   * last that its client had been granted when it asked, or the one that it referred to without having been granted any; and
   * those that it was granted while the acquire was under way.
   *
   * @param stated its owner value, where only the time at which it was granted is unknown: then it is of no other
   */
  add(process: number, acquire: T, invokedIndex: number, stated?: string): ReadonlySet<string> {
    if (stated !== undefined) return this.#addStated(process, acquire, invokedIndex, stated);
    const owner = this.#ownerOf(process);
    const unknown = {
      process,
      acquire,
      kind: this.#kindOf(acquire),
      invokedIndex,
      owner,
      after: this.#grants,
      awaited: undefined,
    };
    this.#keep(unknown);
    const before = this.#ownerOf(process, invokedIndex);
    const owners = owner === undefined ? this.#possibleOwnersOf(unknown) : new Set([owner]);
    if (before !== undefined) owners.add(before);
    else for (const referred of this.#referredBy(process)) owners.add(referred);
    for (const grant of this.#granted) {
      if (grant.index <= invokedIndex || owners.has(grant.owner)) continue;
      if (this.#mayBeOne(grant.process, process) && this.#isOffered(grant, unknown)) owners.add(grant.owner);
    }
    for (const possible of owners) this.#include(possible);
    return owners;
  }

  #addStated(process: number, acquire: T, invokedIndex: number, owner: string): ReadonlySet<string> {
    const isGranted = this.#granted.some((grant) => grant.owner === owner);
    const awaited = isGranted ? undefined : owner;
    const kind = this.#kindOf(acquire);
    this.#keep({ process, acquire, kind, invokedIndex, owner, after: this.#grants, awaited });
    if (!isGranted) return new Set();
    this.#include(owner);
    return new Set([owner]);
  }

  #keep(unknown: Unknown<T>): void {
    if (this.#lineage.knowsClients) {
      this.#unknown = [...this.#unknown.slice(1 - REMEMBERED), unknown];
      return;
    }
    const alike = this.#unknown.filter(({ kind }) => kind === unknown.kind);
    const oldest = alike.length < OF_A_KIND ? undefined : alike[0];
    const others = this.#unknown.filter((other) => other !== oldest);
    this.#unknown = [...others.slice(1 - REMEMBERED_OF_ANY), unknown];
  }

  /** Whether this hold needs one more acquire that may have entered it again. */
  #isOffered(grant: KnownGrant, { kind, invokedIndex }: Unknown<T>): boolean {
    if (this.#lineage.knowsClients) return true;
    const ofAll = (this.#offered ??= new Map<KnownGrant, Map<string, Offered>>());
    const offered = ofAll.get(grant) ?? new Map<string, Offered>();
    ofAll.set(grant, offered);
    const known = offered.get(kind);
    if (known === undefined) offered.set(kind, { count: 1, latest: invokedIndex });
    else if (known.count < OF_A_KIND) {
      known.count += 1;
      known.latest = Math.max(known.latest, invokedIndex);
    } else return invokedIndex < known.latest;
    return true;
  }

  /**
   * Returns the acquires that, as the grant of event `index` shows, may have entered this owner's hold again: also those that
   * were asked for after it was, while it was under way.
   */
  grant(process: number, owner: string, index: number, invokedIndex = index): readonly T[] {
    if (this.#granted.push(this.#lineage.grant({ process, owner, index })) > this.#mostGranted) this.#drop();
    this.#grants += 1;
    if (this.#unknown.length === 0 && this.#settled.length === 0) return NONE;
    const lastOffer = this.#offers?.get(process) ?? 0;
    const free: Unknown<T>[] = [];
    const beside: Unknown<T>[] = [];
    const others = new Set<Unknown<T>>();
    for (const unknowns of [this.#settled, this.#unknown]) {
      for (const unknown of unknowns) {
        if (unknown.awaited === owner) {
          unknown.awaited = undefined;
          beside.push(unknown);
        }
        if (unknown.owner === owner || !this.#mayBeOne(unknown.process, process)) continue;
        if (unknown.owner === undefined) {
          if (lastOffer <= unknown.after) free.push(unknown);
        } else if (unknown.invokedIndex > invokedIndex) beside.push(unknown);
        else others.add(unknown);
      }
    }
    if (free.length > 0) this.#offer(process);
    for (const unknown of free) if (this.#isOne(unknown.process, process)) unknown.owner ??= owner;
    this.#settle(others);
    if (free.length + beside.length > 0) this.#include(owner);
    return [...free, ...beside].map(({ acquire }) => acquire);
  }

  /** Drops what is neither one of the last grants nor the last of its process. */
  #drop(): void {
    const processes = new Set<number>();
    const kept: KnownGrant[] = [];
    for (const grant of this.#granted.toReversed()) {
      const isLast = processes.size < REMEMBERED && !processes.has(grant.process);
      if (!isLast && kept.length >= RECENT) this.#offered?.delete(grant);
      else kept.push(grant);
      processes.add(grant.process);
    }
    this.#granted = kept.toReversed();
    this.#mostGranted = kept.length + RECENT;
  }

  #offer(process: number): void {
    const offers = (this.#offers ??= new OldestFirst(REMEMBERED_OFFERS));
    offers.set(process, this.#grants);
  }

  /**
   * A client refers to an owner value without a known grant: it was granted it by an acquire of unknown outcome, or before
   * the history began. As long as it is known to use no other, its acquires of unknown outcome may have entered that hold,
   * or one that it is granted later. Returns those until now.
   */
  refer(process: number, owner: string): readonly T[] {
    if (this.#ownerOf(process) !== undefined || this.#referredBy(process).length > 0) return [];
    this.#referred ??= new Map();
    if (this.#referred.size >= REMEMBERED) return [];
    this.#referred.set(process, owner);
    this.#include(owner);
    return this.#unknown.filter((unknown) => this.#mayBeOne(unknown.process, process)).map(({ acquire }) => acquire);
  }

  /** Whether an acquire of unknown outcome may have been granted with this owner value. */
  mayHaveGranted(owner: string): boolean {
    return this.#owners?.has(owner) === true;
  }

  /** These are no longer of any owner that their client is granted later. */
  #settle(others: ReadonlySet<Unknown<T>>): void {
    if (others.size === 0) return;
    this.#unknown = this.#unknown.filter((unknown) => !others.has(unknown));
    this.#settled = [...this.#settled.filter((unknown) => !others.has(unknown)), ...others].slice(-RECENT);
  }

  #include(owner: string): void {
    this.#owners ??= new Set();
    this.#owners.add(owner);
  }

  /** The last owner value that its client is known to have been granted before this event. */
  #ownerOf(process: number, before = Infinity): string | undefined {
    const isOwn = (grant: KnownGrant): boolean => grant.index < before && this.#isOne(grant.process, process);
    return this.#granted.findLast(isOwn)?.owner;
  }

  /** The last owner values of the processes that may be this one's client. */
  #possibleOwnersOf(unknown: Unknown<T>): Set<string> {
    const owners = new Set<string>();
    for (const grant of this.#granted) {
      if (this.#mayBeOne(grant.process, unknown.process) && this.#isOffered(grant, unknown)) owners.add(grant.owner);
    }
    return owners;
  }

  #referredBy(process: number): readonly string[] {
    for (const [other, owner] of this.#referred ?? NONE) if (this.#mayBeOne(other, process)) return [owner];
    return NONE;
  }

  #mayBeOne(one: number, other: number): boolean {
    return this.#lineage.mayUseOneValue(one, other);
  }

  #isOne(one: number, other: number): boolean {
    return this.#lineage.areOneTask(one, other);
  }
}
