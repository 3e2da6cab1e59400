import { randomStream, type Random } from "../../core/random.ts";
import type { History } from "../../history/history.ts";
import { Recording } from "./recording.ts";
import { ONE_OF_SEVERAL } from "../../history/history.ts";
import { keysOf, type SmallOperation } from "./sound-locks.ts";

export interface SmallKind {
  readonly clients: number;
  /** How many things a client may do at a time. */
  readonly threads: number;
  readonly operations: number;
  /** `shared`: all clients use one value. */
  readonly owners: "fresh" | "fixed" | "shared";
  readonly shares: "none" | "permits" | "modes";
  readonly reenters?: boolean;
  readonly fences?: boolean;
  readonly reportsValidity?: boolean;
  /** Whether the lock renews leases by itself and says so, and notices may come after the release. */
  readonly notifies?: boolean;
  /** Whether clients ask for one of two keys or for both at once. Owner values are fresh then. */
  readonly severalKeys?: boolean;
  /** Whether an extension gives the hold a new owner value. */
  readonly renames?: boolean;
}

/** How long a unit lasts. Ten milliseconds are more than the drift that is allowed for. */
const UNIT_MS = 20;
const TTLS = [2.5, 6.5, 20.5] as const;

interface ServerHold {
  readonly client: number;
  owner: string;
  readonly fence: number;
  readonly permits: number;
  readonly mode: "shared" | "exclusive" | undefined;
  readonly keys: readonly string[];
  depth: number;
  until: number;
  /** When it was entered or extended last. */
  enteredAt: number;
}

/** Clients of a sound server: what each asks, when it takes effect, and what the client is told. */
export function soundOperations(seed: number, kind: SmallKind): SmallOperation[] {
  return new Server(randomStream(seed, "sound"), kind).play();
}

class Server {
  readonly #random: Random;
  readonly #kind: SmallKind;
  readonly #limit: number;
  readonly #operations: SmallOperation[] = [];
  readonly #queue: { readonly at: number; readonly act: () => void }[] = [];
  readonly #taken = new Set<number>();
  /** By client, the owner values under which it believes to hold. */
  readonly #believed: string[][];
  /** By client, the last owner value that it gave up. */
  readonly #givenUp: (string | undefined)[] = [];
  readonly #dead = new Set<number>();
  #holds: ServerHold[] = [];
  #minted = 0;
  #now = 0;

  constructor(random: Random, kind: SmallKind) {
    this.#random = random;
    this.#kind = kind;
    this.#limit = 1 + this.#below(3);
    this.#believed = Array.from({ length: kind.clients }, () => []);
  }

  play(): SmallOperation[] {
    const { clients, threads } = this.#kind;
    for (let client = 0; client < clients; client += 1) {
      for (let thread = 0; thread < threads; thread += 1) this.#at(0, () => this.#think(client, thread));
    }
    while (this.#queue.length > 0) {
      this.#queue.sort((one, other) => one.at - other.at);
      const { at, act } = this.#queue.shift()!;
      this.#now = Math.ceil(at);
      act();
    }
    return this.#operations.toSorted((one, other) => one.invoked - other.invoked);
  }

  #below(limit: number): number {
    return this.#random.integer(0, limit - 1);
  }

  #at(at: number, act: () => void): void {
    this.#queue.push({ at, act });
  }

  /** The first free time from `time` on. */
  #slot(time: number): number {
    let slot = Math.ceil(time);
    while (this.#taken.has(slot)) slot += 1;
    this.#taken.add(slot);
    return slot;
  }

  #delay(): number {
    return this.#below(6) === 0 ? this.#below(12) : this.#below(3);
  }

  #think(client: number, thread: number): void {
    const at = this.#slot(this.#now + this.#below(4));
    this.#at(at, () => this.#act(client, thread, at));
  }

  #act(client: number, thread: number, at: number): void {
    if (this.#operations.length >= this.#kind.operations || this.#dead.has(client)) return;
    const held = this.#believed[client]!;
    const choice = this.#below(12);
    const ttl = TTLS[this.#below(3)]!;
    const base = { client, thread, invoked: at, ttl, completed: undefined, outcome: "fail" as const };
    const owner = held[this.#below(Math.max(1, held.length))];
    if (choice === 11 && this.#below(2) === 0) {
      this.#operations.push({ ...base, kind: "kill", owner: "", completed: at, outcome: "ok" });
      this.#dead.add(client);
    } else if (choice === 10 && owner !== undefined) {
      this.#operations.push({ ...base, kind: "lost", owner, ...this.#keysOf(owner), completed: at, outcome: "ok" });
      this.#believed[client] = held.filter((other) => other !== owner);
      this.#at(at, () => this.#think(client, thread));
    } else if (choice >= 8 && this.#kind.notifies === true && this.#notify(client, owner, at)) {
      this.#at(at, () => this.#think(client, thread));
    } else if (owner === undefined || choice <= 1) {
      this.#send({ ...base, kind: "acquire", owner: this.#ownerFor(client), ...this.#sharing() });
    } else if (choice <= 3) this.#send({ ...base, kind: "extend", owner, ...this.#keysOf(owner) });
    else {
      held.splice(held.indexOf(owner), 1);
      this.#givenUp[client] = owner;
      this.#send({ ...base, kind: "release", owner, ...this.#keysOf(owner), outcome: "missed" });
    }
  }

  /**
   * Tells a client that its lease was renewed, if it is in force, or that one is lost that it gave up. The lock may say so
   * some time after it has renewed it, and renew for longer or for shorter.
   */
  #notify(client: number, owner: string | undefined, at: number): boolean {
    const given = this.#givenUp[client];
    const base = { client, thread: 0, owner: owner ?? given ?? "", completed: at, outcome: "ok" as const };
    if (owner === undefined) {
      if (given === undefined || this.#below(2) === 0) return false;
      this.#operations.push({ ...base, kind: "lost", invoked: at, ttl: TTLS[0] });
      return true;
    }
    const renewedAt = at - this.#below(2) - 0.5;
    const hold = this.#holds.find((other) => other.owner === owner && other.client === client);
    if (hold === undefined || hold.until <= at || renewedAt <= hold.enteredAt) return false;
    hold.until = renewedAt + TTLS[this.#below(3)]!;
    if (hold.until <= at) hold.until = at + 2.5;
    this.#operations.push({ ...base, kind: "renewed", invoked: 0, ttl: 2.5, validFor: hold.until - at });
    return true;
  }

  #ownerFor(client: number): string {
    const { owners, reenters } = this.#kind;
    if (owners === "shared") return "s";
    if (owners === "fixed") return `c${client}`;
    return (reenters === true ? this.#believed[client]![0] : undefined) ?? `f${this.#operations.length}`;
  }

  /** The keys of the acquisition that had this owner value. */
  #keysOf(owner: string): Pick<SmallOperation, "keys"> {
    if (this.#kind.severalKeys !== true) return {};
    const acquire = this.#operations.find((operation) => operation.kind === "acquire" && operation.owner === owner);
    return { keys: acquire?.keys };
  }

  #sharing(): Pick<SmallOperation, "limit" | "permits" | "mode" | "keys"> {
    const { shares, severalKeys } = this.#kind;
    if (severalKeys === true) return { keys: [["k"], ["l"], ["k", "l"], ["l", "k"]][this.#below(4)] };
    if (shares === "none") return {};
    if (shares === "modes") return { mode: this.#below(2) === 0 ? "shared" : "exclusive" };
    return { limit: this.#limit, permits: this.#below(3) === 0 ? 1 + this.#below(this.#limit) : 1 };
  }

  /** One request in ten takes effect late, one never, and of one the answer is lost: nobody knows of the three which. */
  #send(operation: SmallOperation): void {
    this.#operations.push(operation);
    const drawn = this.#below(10);
    // A client that is not told the new owner value of its hold cannot use it any more.
    const fate = operation.kind === "extend" && this.#kind.renames === true && drawn <= 2 ? 9 : drawn;
    const effect = operation.invoked + this.#delay() + (fate === 0 ? this.#below(10) : 0) + 0.25;
    if (fate !== 1) this.#at(effect, () => this.#take(operation, effect));
    const answer = this.#slot(fate === 0 ? operation.invoked + this.#delay() : effect + this.#delay());
    this.#at(answer, () => {
      if (this.#dead.has(operation.client)) return;
      if (fate <= 2) this.#leaveOpen(operation, answer);
      else this.#answer(operation, answer);
      this.#at(answer, () => this.#think(operation.client, operation.thread));
    });
  }

  #leaveOpen(operation: SmallOperation, at: number): void {
    if (this.#below(2) === 0) operation.completed = at;
    // What it does later changes nothing that its client is told.
    Object.defineProperty(operation, "outcome", { value: "info", writable: false });
    if (operation.kind === "acquire" && this.#below(2) === 0) this.#believed[operation.client]!.push(operation.owner);
  }

  #answer(operation: SmallOperation, at: number): void {
    operation.completed = at;
    if (operation.kind === "extend" && operation.becomes !== undefined) this.#rename(operation, operation.becomes);
    if (operation.kind !== "acquire" || operation.outcome !== "ok") return;
    this.#believed[operation.client]!.push(operation.owner);
    const validFor = operation.invoked + operation.ttl - at;
    if (this.#kind.reportsValidity === true && validFor > 0) operation.validFor = validFor;
  }

  #rename({ client, owner }: SmallOperation, becomes: string): void {
    this.#believed[client] = this.#believed[client]!.map((other) => (other === owner ? becomes : other));
  }

  #take(operation: SmallOperation, at: number): void {
    const { kind, client, owner } = operation;
    this.#holds = this.#holds.filter(({ until }) => until > at);
    const own = this.#holds.find((hold) => hold.owner === owner && hold.client === client);
    if (kind === "acquire" ? !this.#enter(operation, own, at) : own === undefined) return;
    if (operation.outcome !== "info") operation.outcome = "ok";
    if (own === undefined || kind === "acquire") return;
    if (kind === "extend") this.#extend(operation, own, at);
    else if ((own.depth -= 1) <= 0) this.#holds = this.#holds.filter((hold) => hold !== own);
  }

  #extend(operation: SmallOperation, own: ServerHold, at: number): void {
    own.until = at + operation.ttl;
    own.enteredAt = at;
    if (this.#kind.renames !== true) return;
    own.owner = `r${this.#operations.indexOf(operation)}`;
    operation.becomes = own.owner;
  }

  #enter(operation: SmallOperation, own: ServerHold | undefined, at: number): boolean {
    const { client, owner, ttl, permits = 1, mode } = operation;
    const state = { depth: 0, until: 0, enteredAt: 0 };
    const hold = own ?? { client, owner, fence: this.#minted + 1, permits, mode, keys: keysOf(operation), ...state };
    if (own === undefined) {
      if (!this.#hasRoom(operation)) return false;
      this.#minted += 1;
      this.#holds.push(hold);
    } else if (this.#kind.reenters !== true || own.mode !== mode || own.permits !== permits) return false;
    hold.depth += 1;
    hold.until = at + ttl;
    hold.enteredAt = at;
    if (this.#kind.fences === true) operation.fence = hold.fence;
    return true;
  }

  #hasRoom(operation: SmallOperation): boolean {
    const { permits = 1, mode, limit } = operation;
    if (this.#kind.severalKeys === true) {
      return this.#holds.every(({ keys }) => !keys.some((key) => keysOf(operation).includes(key)));
    }
    if (limit !== undefined) return this.#holds.reduce((sum, hold) => sum + hold.permits, permits) <= limit;
    return this.#holds.every((hold) => mode === "shared" && hold.mode === "shared");
  }
}

/** The same with one or two things changed, so that a sound lock may no longer have done it. */
export function changedOperations(operations: readonly SmallOperation[], seed: number): SmallOperation[] {
  const random = randomStream(seed, "changed");
  const below = (limit: number): number => random.integer(0, limit - 1);
  const copy = operations.map((operation) => ({ ...operation }));
  for (let changes = 1 + below(2); changes > 0 && copy.length > 1; changes -= 1) {
    const place = below(copy.length);
    const operation = copy[place]!;
    if (operation.kind === "lost" || operation.kind === "kill" || operation.kind === "renewed") continue;
    const other = copy[below(copy.length)]!;
    const choice = below(7);
    if (choice === 0) copy.splice(place, 1);
    else if (choice === 1 && operation.kind !== "acquire" && other.owner !== "") operation.owner = other.owner;
    else if (choice === 2 && operation.fence !== undefined) operation.fence += below(5) - 2;
    else if (choice === 3) [operation.ttl, operation.validFor] = [TTLS[below(3)]!, undefined];
    else if (choice === 4 && operation.limit !== undefined) operation.permits = 1 + below(operation.limit);
    else if (choice === 4 && operation.mode === "shared") operation.mode = "exclusive";
    else if (operation.completed === undefined) continue;
    else if (operation.outcome === "ok") operation.outcome = operation.kind === "release" ? "missed" : "fail";
    else operation.outcome = "ok";
  }
  return copy;
}

/** The history in which lockstorm would have recorded these operations. */
export function historyOf(operations: readonly SmallOperation[], { clients }: SmallKind): History {
  const recording = new Recording({ clients, backend: "simulated", topology: "single" });
  const processes = new Map<SmallOperation, Map<string, number>>();
  const free = new Map<string, number>();
  const used = Array.from({ length: clients }, () => 0);
  const points = operations.flatMap((operation) => {
    const { invoked, completed, kind } = operation;
    if (kind === "renewed") return [{ time: completed!, operation, isEnd: false }];
    const begin = { time: invoked, operation, isEnd: false };
    if (completed === undefined || kind === "lost" || kind === "kill") return [begin];
    return [begin, { time: completed, operation, isEnd: true }];
  });
  for (const { time, operation, isEnd } of points.toSorted((one, other) => one.time - other.time)) {
    for (const key of keysOf(operation)) {
      const { client, thread, outcome } = operation;
      // Each key of an operation has a process number of its own.
      const name = `${client} ${thread} ${key}`;
      const known = processes.get(operation) ?? new Map<string, number>();
      processes.set(operation, known);
      recording.on(key);
      if (isEnd) {
        const process = known.get(key)!;
        complete(recording, time * UNIT_MS, process, operation);
        if (outcome !== "info") free.set(name, process);
        continue;
      }
      const process = free.get(name) ?? client + clients * used[client]!++;
      begin(recording, time * UNIT_MS, process, {
        ...operation,
        keys: keysOf(operation).toSorted((one) => (one === key ? -1 : 1)),
      });
      if (isNotice(operation)) free.set(name, process);
      else free.delete(name);
      known.set(key, process);
      if (operation.kind === "kill") break;
    }
  }
  return recording.history;
}

function isNotice({ kind }: SmallOperation): boolean {
  return kind === "lost" || kind === "renewed" || kind === "kill";
}

function begin(recording: Recording, at: number, process: number, operation: SmallOperation): void {
  const { kind, owner, limit, permits, mode } = operation;
  const ttlMs = operation.ttl * UNIT_MS;
  const [, ...alsoKeys] = keysOf(operation);
  const stated = limit !== undefined ? { limit, permits } : mode !== undefined ? { mode } : {};
  const sharing = { ...stated, ...(alsoKeys.length > 0 ? { alsoKeys } : {}) };
  if (kind === "acquire") recording.seek(at, process, { ttlMs, ...sharing });
  else if (kind === "extend") recording.seekExtension(at, process, owner, ttlMs);
  else if (kind === "release") recording.leave(at, process, owner);
  else if (kind === "lost") recording.lost(at, process, owner);
  else if (kind === "renewed") recording.renewed(at, process, owner, operation.validFor! * UNIT_MS);
  else recording.fault(at, "kill-client", { processes: [process] });
}

function complete(recording: Recording, at: number, process: number, operation: SmallOperation): void {
  const { kind, owner, outcome, fence, validFor } = operation;
  if (kind === "lost" || kind === "kill" || kind === "renewed") return;
  const details = {
    ...(fence === undefined ? {} : { fence }),
    ...(validFor === undefined ? {} : { validForMs: validFor * UNIT_MS }),
  };
  if (outcome === "info") recording.info(at, process, kind);
  else if (kind === "release") recording.left(at, process, outcome === "ok");
  else if (kind === "extend") {
    if (outcome === "ok") recording.extended(at, process, operation.becomes ?? owner, {});
    else recording.failExtension(at, process);
  } else if (outcome === "ok") recording.granted(at, process, owner, details);
  else recording.refused(at, process, keysOf(operation).length > 1 ? ONE_OF_SEVERAL : "contended");
}
