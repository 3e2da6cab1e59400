import { type Random, randomStream } from "../../core/random.ts";
import type { History } from "../../history/history.ts";
import { Recording } from "./recording.ts";

const CLIENTS = 4;
const OPERATIONS = 40;
const TTLS = [60, 150, 400] as const;

interface Waiter {
  readonly client: number;
  readonly owner: string;
  readonly ttlMs: number;
  readonly answer: (grantedAtMs: number) => void;
}

/**
 * What clients of a lock with a queue see. Each asks at some time, and is answered some time after the server has decided;
 * one that waits is told now and then that it stands in the queue. Some ask once, without waiting, and some never release.
 *
 * @param passes whether the server now and then grants the lock to the second in the queue, which is not fair
 */
export function playFairLock(seed: number, passes: boolean): History {
  return new FairServer(randomStream(seed, "fair"), passes).play();
}

class FairServer {
  readonly #random: Random;
  readonly #passes: boolean;
  readonly #recording = new Recording({ clients: CLIENTS, backend: "simulated" });
  /** What happens at the same time happens in the order in which it was planned. */
  #plan: { readonly atMs: number; readonly act: () => void }[] = [];
  #now = 0;
  #operations = 0;
  #holder: { readonly owner: string; readonly untilMs: number } | undefined;
  #queue: Waiter[] = [];

  constructor(random: Random, passes: boolean) {
    this.#random = random;
    this.#passes = passes;
  }

  play(): History {
    for (let client = 0; client < CLIENTS; client += 1) this.#after(this.#below(5), () => this.#ask(client));
    for (;;) {
      this.#plan.sort((one, other) => one.atMs - other.atMs);
      const next = this.#plan.shift();
      if (next === undefined) return this.#recording.history;
      this.#now = next.atMs;
      next.act();
    }
  }

  #below(limit: number): number {
    return this.#random.integer(0, limit - 1);
  }

  /** A message takes so long, or what a client does between two of them. */
  #delay(): number {
    return 1 + (this.#below(5) === 0 ? this.#below(60) : this.#below(4));
  }

  #after(ms: number, act: () => void): void {
    this.#plan.push({ atMs: this.#now + ms, act });
  }

  #ask(client: number): void {
    if ((this.#operations += 1) > OPERATIONS) return;
    const owner = `o${this.#operations}`;
    const ttlMs = TTLS[this.#below(TTLS.length)]!;
    const waits = this.#below(4) > 0;
    this.#recording.seek(this.#now, client, { ttlMs, waitMs: waits ? 60_000 : 0 });
    const answer = (grantedAtMs: number): void =>
      this.#after(this.#delay(), () => {
        this.#recording.granted(this.#now, client, owner, { grantedAtMs });
        this.#after(this.#delay(), () => this.#leave(client, owner));
      });
    this.#after(this.#delay(), () => {
      if (waits) this.#enqueue({ client, owner, ttlMs, answer });
      else if (this.#isFree()) this.#grant({ client, owner, ttlMs, answer });
      else {
        this.#after(this.#delay(), () => {
          this.#recording.refused(this.#now, client);
          this.#after(this.#delay(), () => this.#ask(client));
        });
      }
    });
  }

  #enqueue(waiter: Waiter): void {
    this.#queue.push(waiter);
    this.#serve();
    this.#tell(waiter);
  }

  #tell(waiter: Waiter): void {
    if (!this.#queue.includes(waiter)) return;
    this.#recording.queued(this.#now, waiter.client);
    if (this.#below(2) === 0) this.#after(20 * this.#delay(), () => this.#tell(waiter));
  }

  #leave(client: number, owner: string): void {
    if (this.#below(8) > 0) {
      this.#recording.leave(this.#now, client, owner);
      this.#after(this.#delay(), () => {
        const released = this.#holder?.owner === owner;
        if (released) this.#free();
        this.#after(this.#delay(), () => {
          this.#recording.left(this.#now, client, released);
          this.#after(this.#delay(), () => this.#ask(client));
        });
      });
    } else this.#after(this.#delay(), () => this.#ask(client));
  }

  #isFree(): boolean {
    return this.#holder === undefined && this.#queue.length === 0;
  }

  #free(): void {
    this.#holder = undefined;
    this.#serve();
  }

  #serve(): void {
    if (this.#holder !== undefined || this.#queue.length === 0) return;
    const place = this.#passes && this.#queue.length > 1 && this.#below(3) === 0 ? 1 : 0;
    const [next] = this.#queue.splice(place, 1);
    if (next !== undefined) this.#grant(next);
  }

  #grant({ owner, ttlMs, answer }: Waiter): void {
    const hold = { owner, untilMs: this.#now + ttlMs };
    this.#holder = hold;
    this.#after(ttlMs, () => {
      if (this.#holder === hold) this.#free();
    });
    answer(this.#now);
  }
}
