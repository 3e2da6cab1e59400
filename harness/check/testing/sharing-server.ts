import type { Sharing } from "../../core/sharing.ts";
import { randomStream } from "../../core/random.ts";
import type { History } from "../../history/history.ts";
import { Recording } from "./recording.ts";

export interface SharingServer {
  readonly seed: number;
  readonly clients: number;
  readonly operations: number;
  /** The permits of a semaphore; absent for a read-write lock. */
  readonly limit?: number;
  /** Whether a client uses one owner value, or a fresh one for each acquisition. */
  readonly fixedOwners: boolean;
  /** Whether leases may end as early as by a server's clock that is fast, within Redlock's allowance. */
  readonly fastClock: boolean;
  /** Whether it now and then grants although there is no room. Default: false, which is sound. */
  readonly overbooks?: boolean;
}

interface Hold {
  readonly client: number;
  readonly sharing: Sharing;
  /** When the lock drops it. */
  until: number;
}

interface Client {
  process: number;
  owner: string | undefined;
  acquisitions: number;
}

/** 1 % and 2 ms. */
const byFastClock = (ttlMs: number): number => Math.max(0, ttlMs * 0.99 - 2);

/**
 * What clients of a semaphore or a read-write lock see, which is sound unless the options say otherwise: each operation
 * takes effect at one instant between its invocation and its answer, or later if it has none, and leases last for some time
 * after they may expire.
 */
export function playSharing(options: SharingServer): History {
  return new Game(options).play();
}

class Game {
  readonly #options: SharingServer;
  readonly #random;
  readonly #recording: Recording;
  readonly #clients: readonly Client[];
  readonly #holds = new Map<string, Hold>();
  #queue: { readonly at: number; readonly order: number; readonly act: (at: number) => void }[] = [];
  #order = 0;
  #begun = 0;

  constructor(options: SharingServer) {
    this.#options = options;
    this.#random = randomStream(options.seed, "sharing");
    this.#recording = new Recording({ clients: options.clients, topology: "single" });
    this.#clients = Array.from({ length: options.clients }, (_, process) => ({
      process,
      owner: undefined,
      acquisitions: 0,
    }));
  }

  play(): History {
    for (const client of this.#clients.keys()) this.#next(client, 0);
    for (;;) {
      this.#queue.sort((one, other) => one.at - other.at || one.order - other.order);
      const first = this.#queue.shift();
      if (first === undefined) return this.#recording.history;
      first.act(first.at);
    }
  }

  #at(at: number, act: (at: number) => void): void {
    this.#queue.push({ at, order: (this.#order += 1), act });
  }

  #below(limit: number): number {
    return this.#random.integer(0, limit - 1);
  }

  #next(client: number, now: number): void {
    const gap = this.#below(4) === 0 ? this.#below(120) : this.#below(15);
    this.#at(now + gap + 1, (at) => this.#begin(client, at));
  }

  #begin(number: number, at: number): void {
    if (this.#begun >= this.#options.operations) return;
    this.#begun += 1;
    const client = this.#clients[number]!;
    if (client.owner === undefined) this.#acquire(number, client, at);
    else if (this.#below(3) === 0) this.#extend(number, client.owner, at);
    else this.#release(number, client.owner, at);
  }

  #acquire(number: number, client: Client, at: number): void {
    const { fixedOwners, limit } = this.#options;
    client.acquisitions += 1;
    const owner = fixedOwners ? `c${number}` : `c${number}-${client.acquisitions}`;
    const sharing: Sharing =
      limit === undefined
        ? { mode: this.#below(4) === 0 ? "exclusive" : "shared" }
        : { limit, permits: this.#below(4) === 0 ? 1 + this.#below(limit) : 1 };
    const ttlMs = this.#ttlMs();
    this.#recording.seek(at, client.process, { ttlMs, ...sharing });
    const take = (now: number): boolean => {
      // Its owner value may still be held, by an acquire that its client has no answer to. This lock is not reentrant.
      if (this.#live(now).has(owner) || !this.#hasRoom(sharing, now)) return false;
      this.#holds.set(owner, { client: number, sharing, until: now + this.#lasts(ttlMs) });
      return true;
    };
    this.#send(number, "acquire", at, take, (taken, now) => {
      if (!taken) this.#recording.refused(now, client.process);
      else {
        client.owner = owner;
        this.#recording.granted(now, client.process, owner);
      }
    });
  }

  #extend(number: number, owner: string, at: number): void {
    const { process } = this.#clients[number]!;
    const ttlMs = this.#ttlMs();
    this.#recording.seekExtension(at, process, owner, ttlMs);
    const prolong = (now: number): boolean => {
      const hold = this.#live(now).get(owner);
      if (hold !== undefined) hold.until = now + this.#lasts(ttlMs);
      return hold !== undefined;
    };
    this.#send(number, "extend", at, prolong, (done, now) => {
      if (done) this.#recording.extended(now, process, owner);
      else this.#recording.failExtension(now, process);
    });
  }

  #release(number: number, owner: string, at: number): void {
    const client = this.#clients[number]!;
    this.#recording.leave(at, client.process, owner);
    const free = (now: number): boolean => this.#live(now).delete(owner);
    this.#send(number, "release", at, free, (released, now) => {
      client.owner = undefined;
      this.#recording.left(now, client.process, released);
    });
  }

  #ttlMs(): number {
    return [20, 60, 60, 400][this.#below(4)]!;
  }

  #lasts(ttlMs: number): number {
    return (this.#options.fastClock ? byFastClock(ttlMs) : ttlMs) + [0, 1, 10, 200][this.#below(4)]!;
  }

  #live(now: number): Map<string, Hold> {
    for (const [owner, { until }] of this.#holds) if (until <= now) this.#holds.delete(owner);
    return this.#holds;
  }

  #hasRoom({ limit, permits = 1, mode }: Sharing, now: number): boolean {
    if (this.#options.overbooks === true && this.#below(10) === 0) return true;
    const others = [...this.#live(now).values()].map(({ sharing }) => sharing);
    if (limit !== undefined) return others.reduce((sum, other) => sum + (other.permits ?? 1), permits) <= limit;
    return mode === "shared" ? others.every((other) => other.mode === "shared") : others.length === 0;
  }

  /** The effect takes place on the way, and the answer comes back or not. */
  #send(
    number: number,
    f: "acquire" | "extend" | "release",
    at: number,
    effect: (at: number) => boolean,
    answer: (result: boolean, at: number) => void,
  ): void {
    const client = this.#clients[number]!;
    const there = at + this.#below(6);
    const back = there + this.#below(6);
    const outcome = this.#below(12);
    if (outcome > 1) {
      this.#at(there, () => {
        const result = effect(there);
        this.#at(back, () => {
          answer(result, back);
          this.#next(number, back);
        });
      });
      return;
    }
    // A fixed owner value may be used again, and what comes late would be about that.
    const late = this.#options.fixedOwners ? 0 : this.#below(80);
    if (outcome === 0) this.#at(there + late, effect);
    this.#at(back, () => {
      this.#recording.info(back, client.process, f);
      client.process += this.#options.clients;
      if (f !== "extend") client.owner = undefined;
      this.#next(number, back);
    });
  }
}
