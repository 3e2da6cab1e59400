import fc from "fast-check";
import type { History } from "../../history/history.ts";
import { Recording } from "./recording.ts";

/** What a client of the random lock server does next. All numbers are small, so that they collide. Times in milliseconds. */
export interface ServerMove {
  readonly client: number;
  readonly gap: number;
  /** From the invocation to the effect, and from there to the answer. */
  readonly there: number;
  readonly back: number;
  readonly choice: number;
  readonly ttlMs: number;
  /** `late`: no answer, and the effect comes this much later. `never`: no answer and no effect. */
  readonly outcome: "known" | "late" | "never";
  /** What else happens at the invocation; most numbers stand for nothing. */
  readonly event: number;
}

export interface RandomServer {
  readonly clients: number;
  /** Whether a client uses one owner value, or a fresh one for each acquisition. */
  readonly fixedOwners: boolean;
  readonly reentrant: boolean;
  /** `own`: minted in the step that takes the key; `second`: by a second command, just before the answer. */
  readonly tokens: "none" | "own" | "second";
  readonly validity: boolean;
  /** Whether the server may lose the key, and whether the history records that as an eviction. */
  readonly losses: "none" | "told" | "secret";
  /** Whether a release deletes the key without comparing the owner value. */
  readonly plainDelete: boolean;
  /**
   * Whether an unanswered release of a fixed owner value may come late. It may end a later hold of its client, which no
   * lock can prevent; this is then called, with the time in milliseconds.
   */
  readonly lateReleases?: (at: number) => void;
  /** Whether a client that believes that it holds says so when it enters again. */
  readonly statesReentry?: boolean;
  /** Lost notices are always mistaken, or with some of them one entry or all entries end. */
  readonly notices?: "mistaken" | "any";
  /** Whether the lock renews leases by itself, for longer or for shorter, and says so. */
  readonly renews?: boolean;
}

/** Servers in all in which sound ones differ, but for their fencing tokens. */
export function randomServers(
  clients: number,
): fc.Arbitrary<Omit<RandomServer, "tokens" | "losses" | "plainDelete" | "lateReleases">> {
  return fc.record({
    clients: fc.constant(clients),
    fixedOwners: fc.boolean(),
    reentrant: fc.boolean(),
    validity: fc.boolean(),
    statesReentry: fc.boolean(),
    notices: fc.constantFrom("mistaken" as const, "any" as const),
    renews: fc.boolean(),
  });
}

/** What a server may do wrong, or nothing of it. */
export const serverFlaws: fc.Arbitrary<Pick<RandomServer, "tokens" | "losses" | "plainDelete">> = fc.record({
  tokens: fc.constantFrom("none" as const, "own" as const, "second" as const),
  losses: fc.constantFrom("none" as const, "told" as const, "secret" as const),
  plainDelete: fc.boolean(),
});

export function serverMoves(clients: number, maxLength: number): fc.Arbitrary<readonly ServerMove[]> {
  const quick = fc.oneof({ weight: 6, arbitrary: fc.nat({ max: 5 }) }, { weight: 1, arbitrary: fc.nat({ max: 150 }) });
  return fc.array(
    fc.record({
      client: fc.nat({ max: clients - 1 }),
      gap: fc.oneof({ weight: 9, arbitrary: fc.nat({ max: 40 }) }, { weight: 1, arbitrary: fc.nat({ max: 3000 }) }),
      there: quick,
      back: quick,
      choice: fc.nat({ max: 9 }),
      ttlMs: fc.constantFrom(20, 100, 100, 400),
      outcome: fc.oneof(
        { weight: 8, arbitrary: fc.constant("known" as const) },
        { weight: 1, arbitrary: fc.constant("late" as const) },
        { weight: 1, arbitrary: fc.constant("never" as const) },
      ),
      event: fc.nat({ max: 40 }),
    }),
    { minLength: 2, maxLength, size: "max" },
  );
}

interface Key {
  owner: string | undefined;
  depth: number;
  enteredAt: number;
  until: number;
  fence: number;
}

interface Client {
  process: number;
  owner: string | undefined;
  fence: number | undefined;
  depth: number;
  acquisitions: number;
  dead: boolean;
  busyUntil: number;
}

type Act = () => void;

/** Plays moves against a lock server, which is sound unless the options say otherwise, and records what its clients see. */
export function playServer(moves: readonly ServerMove[], options: RandomServer): History {
  const game = new Game(options);
  for (const move of moves) game.move(move);
  return game.finish();
}

class Game {
  readonly #options: RandomServer;
  readonly #recording: Recording;
  readonly #clients: readonly Client[];
  readonly #key: Key = { owner: undefined, depth: 0, enteredAt: 0, until: 0, fence: 0 };
  #queue: { readonly at: number; readonly order: number; readonly act: Act }[] = [];
  #order = 0;
  #minted = 0;
  #largestWritten = 0;
  #writer: string | undefined;
  #position = 0;
  #writes = 0;

  constructor(options: RandomServer) {
    this.#options = options;
    this.#recording = new Recording({ clients: options.clients, topology: "single" });
    this.#clients = Array.from({ length: options.clients }, (_, process): Client => {
      const nothing = { owner: undefined, fence: undefined, depth: 0, acquisitions: 0, dead: false, busyUntil: 0 };
      return { process, ...nothing };
    });
  }

  move(move: ServerMove): void {
    const client = this.#clients[move.client]!;
    // Later than its last answer: a client does one thing at a time.
    const at = client.busyUntil + move.gap + 1;
    client.busyUntil = at + move.there + move.back;
    this.#at(at, () => this.#invoke(client, move, at));
  }

  finish(): History {
    while (this.#queue.length > 0) {
      this.#queue.sort((left, right) => left.at - right.at || left.order - right.order);
      this.#queue.shift()!.act();
    }
    return this.#recording.history;
  }

  #at(at: number, act: Act): void {
    this.#queue.push({ at, order: (this.#order += 1), act });
  }

  #invoke(client: Client, move: ServerMove, at: number): void {
    if (client.dead) return;
    if (move.event === 0 && this.#options.losses !== "none") this.#lose(at);
    if (move.event === 1) {
      this.#recording.fault(at, "kill-client", { processes: [client.process] });
      client.dead = true;
      return;
    }
    if (client.owner !== undefined && move.event === 2) {
      this.#recording.lost(at, client.process, client.owner);
      if (this.#options.notices === "any") this.#leave(client.owner, move.choice % 3, at);
      this.#forget(client);
    }
    if (this.#options.renews === true && move.event >= 3 && move.event <= 6) this.#renew(client, move, at);
    const { choice } = move;
    if (client.owner === undefined || choice === 0) this.#acquire(client, move, at);
    else if (choice <= 2) this.#extend(client, client.owner, move, at);
    else if (choice <= 5) this.#write(client, client.owner, move, at);
    else this.#release(client, client.owner, move, at);
  }

  #lose(at: number): void {
    this.#key.owner = undefined;
    if (this.#options.losses === "told") this.#recording.fault(at, "eviction", { targets: ["node-0"] });
  }

  /** Ends nothing (0), one entry (1) or all entries (2) of an owner. */
  #leave(owner: string, what: number, at: number): void {
    this.#expire(at);
    if (this.#key.owner !== owner) return;
    this.#key.depth -= what === 2 ? this.#key.depth : what;
    if (this.#key.depth <= 0) this.#key.owner = undefined;
  }

  /** The client is told of it at once, or, unless the lease is shorter than it knows, some time later. */
  #renew(client: Client, { choice, back, ttlMs }: ServerMove, at: number): void {
    const { owner } = client;
    this.#expire(at);
    if (owner === undefined || this.#key.owner !== owner) return;
    const told = choice % 2 === 0 || at + ttlMs < this.#key.until ? at : at + back;
    this.#key.until = at + ttlMs;
    const tell = (): void => {
      if (!client.dead) this.#recording.renewed(told, client.process, owner, ttlMs, at);
    };
    if (told === at) tell();
    else this.#at(told, tell);
  }

  #forget(client: Client): void {
    client.owner = undefined;
    client.fence = undefined;
    client.depth = 0;
  }

  #expire(at: number): void {
    if (this.#key.owner !== undefined && this.#key.until <= at) this.#key.owner = undefined;
  }

  /** Sends a request: the effect takes place on the way, and the answer comes back or not. */
  #send<T>(
    client: Client,
    move: ServerMove,
    at: number,
    f: "acquire" | "extend" | "release" | "write",
    effect: (at: number) => T,
    answer: (result: T, at: number) => void,
  ): void {
    const there = at + move.there;
    const back = there + move.back;
    if (move.outcome === "known") {
      this.#at(there, () => {
        const result = effect(there);
        this.#at(back, () => {
          if (!client.dead) answer(result, back);
        });
      });
      return;
    }
    if (move.outcome === "late") {
      const prompt = f === "release" && this.#options.fixedOwners && this.#options.lateReleases === undefined;
      const late = there + (prompt ? 0 : move.choice * 20);
      this.#at(late, () => effect(late));
    }
    this.#at(back, () => {
      if (client.dead) return;
      this.#recording.info(back, client.process, f);
      client.process += this.#options.clients;
      if (f === "release" || f === "acquire") this.#forget(client);
    });
  }

  #acquire(client: Client, move: ServerMove, at: number): void {
    const { fixedOwners, reentrant, validity, tokens } = this.#options;
    const again = reentrant && client.owner !== undefined;
    if (!again) client.acquisitions += 1;
    const fresh = fixedOwners ? `c${move.client}` : `c${move.client}-${client.acquisitions}`;
    const owner = again ? (client.owner ?? fresh) : fresh;
    const inner = again && this.#options.statesReentry === true;
    this.#recording.seek(at, client.process, { ttlMs: move.ttlMs, inner });
    const take = (now: number): number | undefined => this.#take(owner, move.ttlMs, now);
    this.#send(client, move, at, "acquire", take, (taken, now) => {
      const validForMs = at + move.ttlMs - now;
      if (taken === undefined) this.#recording.refused(now, client.process);
      else if (validity && validForMs <= 0) {
        // A first grant is left to expire. A grant that its client may meet again cannot be said to have had no effect.
        if (!again && !fixedOwners) this.#recording.refused(now, client.process, "granted too late");
        else {
          this.#recording.info(now, client.process, "acquire");
          client.process += this.#options.clients;
          this.#forget(client);
        }
      } else {
        const fence = tokens === "second" ? (this.#minted += 1) : taken;
        const details = { ...(tokens === "none" ? {} : { fence }), ...(validity ? { validForMs } : {}) };
        this.#recording.granted(now, client.process, owner, details);
        client.depth = again && client.owner === owner ? client.depth + 1 : 1;
        client.owner = owner;
        client.fence = tokens === "none" ? undefined : fence;
      }
    });
  }

  #take(owner: string, ttlMs: number, now: number): number | undefined {
    this.#expire(now);
    if (this.#key.owner !== undefined && !(this.#options.reentrant && this.#key.owner === owner)) return undefined;
    if (this.#key.owner === undefined) {
      this.#key.fence = this.#options.tokens === "own" ? (this.#minted += 1) : 0;
      this.#key.depth = 0;
    }
    this.#key.owner = owner;
    this.#key.depth += 1;
    this.#key.enteredAt = now;
    this.#key.until = now + ttlMs;
    return this.#key.fence;
  }

  #extend(client: Client, owner: string, move: ServerMove, at: number): void {
    this.#recording.seekExtension(at, client.process, owner, move.ttlMs);
    const prolong = (now: number): boolean => {
      this.#expire(now);
      if (this.#key.owner !== owner) return false;
      this.#key.until = now + move.ttlMs;
      return true;
    };
    this.#send(client, move, at, "extend", prolong, (done, now) => {
      const validForMs = at + move.ttlMs - now;
      if (!done) this.#recording.failExtension(now, client.process);
      else if (this.#options.validity && validForMs <= 0) {
        this.#recording.info(now, client.process, "extend");
        client.process += this.#options.clients;
      } else this.#recording.extended(now, client.process, owner, this.#options.validity ? { validForMs } : {});
    });
  }

  #release(client: Client, owner: string, move: ServerMove, at: number): void {
    this.#recording.leave(at, client.process, owner);
    const free = (now: number): boolean => {
      this.#expire(now);
      if (this.#key.owner === undefined) return false;
      if (this.#key.owner !== owner && !this.#options.plainDelete) return false;
      if (this.#key.owner === owner && this.#key.enteredAt > at) this.#options.lateReleases?.(now);
      this.#key.depth -= 1;
      if (this.#key.depth <= 0) this.#key.owner = undefined;
      return true;
    };
    this.#send(client, move, at, "release", free, (released, now) => {
      this.#recording.left(now, client.process, released);
      client.depth -= 1;
      if (!released || client.depth <= 0) this.#forget(client);
    });
  }

  #write(client: Client, owner: string, move: ServerMove, at: number): void {
    const { fence } = client;
    const data = `w${(this.#writes += 1)}`;
    const rest = fence === undefined ? {} : { fence };
    this.#recording.write(at, client.process, owner, data, rest);
    const apply = (now: number): boolean => {
      const stale = fence !== undefined && fence < this.#largestWritten;
      const others = fence !== undefined && fence === this.#largestWritten && this.#writer !== owner;
      const accepted = !stale && !others;
      if (accepted) {
        this.#position += 1;
        if (fence !== undefined) [this.#largestWritten, this.#writer] = [fence, owner];
      }
      this.#recording.audit(now, Math.max(1, this.#position), data, { owner, accepted, ...rest });
      return accepted;
    };
    const positioned = (now: number): number | undefined => (apply(now) ? this.#position : undefined);
    this.#send(client, move, at, "write", positioned, (position, now) => {
      if (position === undefined) this.#recording.refuseWrite(now, client.process);
      else this.#recording.wrote(now, client.process, position);
    });
  }
}
