import { clientOf } from "./clients.ts";
import { HoldIndex } from "./hold-index.ts";
import type { Hold } from "./holds.ts";
import { SharesHeld } from "./holds/shares-held.ts";
import type { Share } from "../core/sharing.ts";

/** A place in the list of a key's open holds, in the order in which they were granted. */
interface Link {
  readonly hold: Hold;
  previous: Link | undefined;
  next: Link | undefined;
}

interface KeyHolds {
  first: Link | undefined;
  last: Link | undefined;
  readonly links: Map<Hold, Link>;
  readonly shares: SharesHeld;
  readonly byOwner: HoldIndex<string>;
  readonly byClient: HoldIndex<number>;
}

/** Where process numbers do not tell clients, so many of the latest holds of a key are searched for an event. */
const SCANNED_OF_OTHERS = 100;
/** Up to this number, the holds with one owner value are searched one by one. */
const SCANNED_OF_OWNER = 32;

/**
 * The open holds of all keys, by key, owner value and client, so that neither thousands of open holds nor thousands of
 * keys make an event more expensive. Within a key they are in the order in which they were granted.
 */
export class OpenHolds {
  readonly #keys = new Map<string, KeyHolds>();
  readonly #byClient = new HoldIndex<number>();
  readonly #clients: number | undefined;
  #size = 0;

  /** @param clients how many clients ran, where the history says so: then a process number names its client */
  constructor(clients: number | undefined) {
    this.#clients = clients;
  }

  /** How many holds are open, of all keys. */
  get size(): number {
    return this.#size;
  }

  /** How many holds of a key are open. */
  count(key: string): number {
    return this.#keys.get(key)?.links.size ?? 0;
  }

  /** How the open holds of a key share it; undefined if there are none. */
  shares(key: string): SharesHeld | undefined {
    return this.#keys.get(key)?.shares;
  }

  /** The open holds of a key, the oldest first. */
  *of(key: string): Iterable<Hold> {
    for (let link = this.#keys.get(key)?.first; link !== undefined; link = link.next) yield link.hold;
  }

  /** The open holds of a key, the latest first. */
  *latest(key: string): Iterable<Hold> {
    for (let link = this.#keys.get(key)?.last; link !== undefined; link = link.previous) yield link.hold;
  }

  /** An open hold of a key with this owner value, the oldest. */
  oldestOfOwner(key: string, owner: string): Hold | undefined {
    const [oldest] = this.#keys.get(key)?.byOwner.of(owner) ?? [];
    return oldest;
  }

  /**
   * The open holds of a key that an operation of this process may refer to, by this owner value if it has one, in any
   * order: those of its client, and, where process numbers do not tell clients, others. Some certainly belong to another client.
   */
  *candidates(key: string, process: number, owner: string | undefined): Iterable<Hold> {
    const holds = this.#keys.get(key);
    if (holds === undefined) return;
    if (owner !== undefined && holds.byOwner.count(owner) <= SCANNED_OF_OWNER) {
      yield* holds.byOwner.of(owner);
      return;
    }
    const client = this.#clientOf(process);
    for (const hold of holds.byClient.of(client)) if (owner === undefined || hold.owner === owner) yield hold;
    if (this.#clients !== undefined) return;
    let scanned = 0;
    for (const hold of this.latest(key)) {
      if (!holds.byClient.has(client, hold) && (owner === undefined || hold.owner === owner)) yield hold;
      scanned += 1;
      if (scanned >= SCANNED_OF_OTHERS) return;
    }
  }

  /** The open holds of a key that are certainly of this process's client. */
  ofClient(key: string, process: number): Iterable<Hold> {
    return this.#keys.get(key)?.byClient.of(this.#clientOf(process)) ?? [];
  }

  /** The open holds of all keys that may be this process's. */
  *ofClientAnywhere(process: number): Iterable<Hold> {
    if (this.#clients !== undefined) yield* this.#byClient.of(this.#clientOf(process));
    else for (const { links } of this.#keys.values()) yield* links.keys();
  }

  add(hold: Hold): void {
    const holds = this.#of(hold.key);
    const link: Link = { hold, previous: holds.last, next: undefined };
    if (holds.last === undefined) holds.first = link;
    else holds.last.next = link;
    holds.last = link;
    holds.links.set(hold, link);
    holds.shares.add(hold.share);
    this.#size += 1;
    holds.byOwner.add(hold.owner, hold);
    this.#index(holds, hold);
  }

  remove(hold: Hold): void {
    const holds = this.#keys.get(hold.key);
    const link = holds?.links.get(hold);
    if (holds === undefined || link === undefined) return;
    if (link.previous === undefined) holds.first = link.next;
    else link.previous.next = link.next;
    if (link.next === undefined) holds.last = link.previous;
    else link.next.previous = link.previous;
    holds.links.delete(hold);
    holds.shares.delete(hold.share);
    this.#size -= 1;
    holds.byOwner.delete(hold.owner, hold);
    this.#unindex(holds, hold);
    if (holds.links.size === 0) this.#keys.delete(hold.key);
  }

  /** The client of a hold acts under this number from now on. */
  move(hold: Hold, process: number): void {
    if (hold.currentProcess === process) return;
    const holds = this.#keys.get(hold.key);
    if (holds?.links.has(hold) !== true) {
      hold.currentProcess = process;
      return;
    }
    this.#unindex(holds, hold);
    hold.currentProcess = process;
    this.#index(holds, hold);
  }

  /** An open hold excludes others in another way from now on. */
  reshare(hold: Hold, share: Share): void {
    const shares = this.#keys.get(hold.key)?.shares;
    shares?.delete(hold.share);
    hold.share = share;
    shares?.add(share);
  }

  #clientOf(process: number): number {
    return clientOf(process, this.#clients);
  }

  #of(key: string): KeyHolds {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const fresh: KeyHolds = {
      first: undefined,
      last: undefined,
      links: new Map(),
      shares: new SharesHeld(),
      byOwner: new HoldIndex(),
      byClient: new HoldIndex(),
    };
    this.#keys.set(key, fresh);
    return fresh;
  }

  #index(holds: KeyHolds, hold: Hold): void {
    const client = this.#clientOf(hold.currentProcess);
    holds.byClient.add(client, hold);
    this.#byClient.add(client, hold);
  }

  #unindex(holds: KeyHolds, hold: Hold): void {
    const client = this.#clientOf(hold.currentProcess);
    holds.byClient.delete(client, hold);
    this.#byClient.delete(client, hold);
  }
}
