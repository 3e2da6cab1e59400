import { type Actors, clientOf } from "./clients.ts";
import type { HistoryEvent } from "./history.ts";
import { OldestFirst } from "./oldest-first.ts";

/** How many processes are remembered: a program may use a new number for each operation. */
const REMEMBERED = 20_000;

/** When a process first and last did something. */
interface Span {
  readonly first: number;
  last: number;
  /** When it last asked for something, or -Infinity. */
  asked: number;
}

/** A grant of a key. Positions are event indices. */
export interface KnownGrant {
  readonly process: number;
  readonly owner: string;
  readonly index: number;
}

/**
 * Which process belongs to which client. A client whose operation ended as `info` continues under a new process number.
 * If the history says how many clients there are, the number grows by that count (as in Jepsen), so that the remainder
 * names the client. If it does not, two processes certainly belong to two clients only where one of them went on when the other
 * had begun: a program may also use a new number for each operation, or after a crash of which nothing is recorded.
 */
export class ProcessLineage {
  readonly #clients: number | undefined;
  readonly #tasks: readonly number[];
  readonly #spans = new OldestFirst<number, Span>(REMEMBERED);
  /** By client, when its process that began last did so. */
  readonly #newest = new Map<number, number>();
  /** Clients that did several things at a time. */
  readonly #busy = new Set<number>();

  #lastGrant: KnownGrant | undefined;

  constructor(clients: number | undefined, tasks: Actors["tasks"] = []) {
    this.#clients = clients;
    this.#tasks = tasks;
  }

  /** Whether the history says how many clients ran. */
  get knowsClients(): boolean {
    return this.#clients !== undefined;
  }

  /** The grant, as one object for all that take note of it: there may be thousands of keys. */
  grant(grant: KnownGrant): KnownGrant {
    const known = this.#lastGrant;
    if (known?.index !== grant.index || known.owner !== grant.owner || known.process !== grant.process)
      this.#lastGrant = grant;
    return this.#lastGrant!;
  }

  /** Takes note of an event. It may be told long before its turn, and then once more: what a process does later tells whose it is. */
  push({ process, time, type }: Pick<HistoryEvent, "process" | "time"> & Partial<Pick<HistoryEvent, "type">>): void {
    if (typeof process !== "number") return;
    const known = this.#spans.get(process);
    const asked = Math.max(known?.asked ?? -Infinity, type === "invoke" ? time : -Infinity);
    const first = known?.first ?? time;
    this.#spans.set(process, { first, last: Math.max(known?.last ?? time, time), asked });
    if (this.#clients === undefined) return;
    const client = clientOf(process, this.#clients);
    const newest = Math.max(this.#newest.get(client) ?? first, first);
    if (newest > first && asked > newest) this.#busy.add(client);
    if (this.#newest.size < REMEMBERED) this.#newest.set(client, newest);
  }

  /**
   * True unless `earlier` and `later` are two clients for certain, as the history has shown so far. What happened at one time by
   * the clock has no order.
   */
  mayContinue(earlier: number, later: number): boolean {
    if (earlier === later) return true;
    if (this.#clients !== undefined) return clientOf(earlier, this.#clients) === clientOf(later, this.#clients);
    const last = this.#spans.get(earlier)?.last ?? -Infinity;
    const first = this.firstOf(later);
    return first >= last;
  }

  /**
   * Whether this process asked for something after this time, in nanoseconds: its client was not killed until then. An outcome alone may
   * be told of a dead client. False if the history says how many clients ran: a new one may use the number of one that was killed.
   */
  livedOn(process: number, time: number): boolean {
    return this.#clients === undefined && (this.#spans.get(process)?.asked ?? -Infinity) > time;
  }

  /** Whether the history says how many clients ran, and no other process of this one's client began after it. */
  isLastOfClient(process: number): boolean {
    const first = this.#spans.get(process)?.first;
    if (this.#clients === undefined || first === undefined) return false;
    return this.#newest.get(clientOf(process, this.#clients)) === first;
  }

  /** When this process first did something, as far as it is remembered; Infinity if it is not, or if the history says how many clients ran. */
  firstOf(process: number): number {
    return (this.#clients === undefined ? this.#spans.get(process)?.first : undefined) ?? Infinity;
  }

  /**
   * Whether the two are certainly two tasks of one client, which do things at the same time: the history says how many tasks the client
   * has, or one of them asked for something after the other had begun. Where a client goes on under another number, the older one
   * asks for nothing any more.
   */
  areTasks(one: number, other: number): boolean {
    if (one === other || this.#clients === undefined || !this.areOne(one, other)) return false;
    const firstNumbers = (this.#tasks[clientOf(one, this.#clients)] ?? 1) * this.#clients;
    if (one < firstNumbers && other < firstNumbers) return true;
    const [earlier, later] = [this.#spans.get(one), this.#spans.get(other)];
    if (earlier === undefined || later === undefined) return false;
    return earlier.first < later.first ? earlier.asked > later.first : later.asked > earlier.first;
  }

  /**
   * True unless two processes that use one owner value are two clients for certain: as long as the history does not say how many
   * clients ran, they may be threads of one.
   */
  mayShare(one: number, other: number): boolean {
    return this.#clients === undefined || this.areOne(one, other);
  }

  /**
   * True unless an acquire of unknown outcome by one of two processes certainly has another owner value than the other's: a client
   * may use one for all its threads, and without the number of clients nobody knows which processes are threads of one.
   */
  mayUseOneValue(one: number, other: number): boolean {
    return this.#clients === undefined || this.mayContinue(one, other);
  }

  /** The earlier of the two, if they are one client only where that does several things at a time. */
  besideOf(earlier: number | undefined, later: number): number | undefined {
    return earlier === undefined || this.mayContinue(earlier, later) ? undefined : earlier;
  }

  /**
   * Whether the two are certainly one client, which does one thing at a time as far as the history shows: tasks of one client may use
   * an owner value each.
   */
  areOneTask(one: number, other: number): boolean {
    if (one === other || this.#clients === undefined || !this.areOne(one, other)) return one === other;
    const client = clientOf(one, this.#clients);
    return (this.#tasks[client] ?? 1) === 1 && !this.#busy.has(client);
  }

  /** Whether the two are one client for certain. */
  areOne(one: number, other: number): boolean {
    return one === other || (this.#clients !== undefined && this.mayContinue(one, other));
  }
}
