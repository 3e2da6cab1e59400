import { nameOfShare, type Share, shareOf, weaker } from "../core/sharing.ts";
import { type HistoryEvent, NANOSECONDS_PER_MS } from "./history.ts";
import type { Hold } from "./holds.ts";
import { mayHaveOtherMode } from "./holds/changed-mode.ts";
import { type Lease, shorterLease } from "./holds/lease.ts";
import { OpenAcquires } from "./holds/open-acquires.ts";
import { OpenRequests } from "./holds/open-requests.ts";
import { OldestFirst } from "./oldest-first.ts";
import { PossibleReentries } from "./possible-reentries.ts";
import type { ProcessLineage } from "./process-lineage.ts";
import type { CompletionEvent, InvocationEvent } from "./operations.ts";
import { statedIn } from "./unordered.ts";

/** An operation that may change a lease: its owner enters again, or extends. */
type LeaseOperation = Extract<InvocationEvent, { f: "acquire" | "extend" }>;

type Answer = Extract<CompletionEvent, { f: "acquire" | "extend" }>;

/** A request for a lease, for as long as nobody knows whether it took effect. */
export interface LeaseRequest {
  readonly f: "acquire" | "extend";
  readonly invokedIndex: number;
  readonly process: number;
  /** In nanoseconds. */
  readonly ttl: number;
  /** When it was asked for. */
  readonly time: number;
  /** How an acquire shares the key. */
  readonly share: Share;
  /** Undefined while it is under way. */
  outcome: "ok" | "fail" | "info" | undefined;
  /** The owner value that an acquire was granted. */
  owner: string | undefined;
}

/**
 * Whether a request certainly changed nothing of a hold: it failed, or was granted under another owner value. In another mode,
 * the hold may go on under that value.
 */
export function hadNoEffect(
  { outcome, owner, share }: LeaseRequest,
  hold: Pick<Hold, "owner" | "share" | "hasTwoModes">,
): boolean {
  if (outcome === "fail") return true;
  return outcome === "ok" && owner !== undefined && owner !== hold.owner && !mayHaveOtherMode(hold, share);
}

/** A request that may have made a lease shorter. */
interface CuttingRequest {
  readonly by: LeaseRequest;
  /** When the lease ends if it took effect. */
  readonly end: number;
}

/** Why a lease may be shorter than its holder was last told. */
export interface LeaseCut {
  /** When the lease ends according to the last answer that its holder received. */
  readonly toldEnd: number;
  /** The requests that may have made it shorter, the shortest lease first. */
  readonly requests: readonly CuttingRequest[];
}

/** How many unanswered requests are named. A request that turns out to have failed did not make the lease shorter. */
const NAMED_REQUESTS = 8;

/** How many acquires of one client and key may be under way at a time before nothing is certain of its holds. */
const MOST_OPEN = 64;

/** How many owner values with unanswered requests are remembered. */
const REMEMBERED_OWNERS = 10_000;

/** What `Leases` knows of the lease of a hold. */
export interface Promised {
  lease: Lease;
  /** When the lease ends that the last acknowledged operation set. */
  toldEnd: number;
  /** The answer of the last operation that set it, after the grant. */
  settled: { readonly index: number; readonly time: number } | undefined;
  /** The request that made `lease` shorter than that. */
  cutBy: LeaseRequest | undefined;
  /** Of all its operations of unknown outcome the one with the shortest TTL: it may be in force at any time. */
  shortestUnknown: LeaseRequest | undefined;
  /**
   * By process, its unanswered operation and when the lease that this asks for would end. Absent for most holds: few
   * are extended or re-entered.
   */
  asked: Map<number, CuttingRequest> | undefined;
  /** Whether an operation on it failed. Of several independent servers it may have reached some, too few to be granted. */
  hasFailedOnce: boolean;
}

/**
 * Keeps the leases of holds. One hold has one lease, however often it was entered: the last grant, re-entry or
 * extension sets it, longer or shorter.
 *
 * An operation that asks for a shorter lease may take effect long before its client hears of it, if the client ever
 * does: from its invocation on the lock promises no more than it asks for, unless it certainly failed. An operation of
 * unknown outcome may take effect at any time after its invocation, even after a later one was acknowledged: each later
 * lease is promised for no more than the TTL that the unknown operation asked for, counted from the earliest beginning of
 * that lease. The same holds for an acquire of unknown outcome that may have entered the hold again.
 */
export class Leases {
  /** By key and owner value, the operation of unknown outcome with the shortest TTL: it may affect a later hold. */
  readonly #shortestByOwner = new OldestFirst<string, LeaseRequest>(REMEMBERED_OWNERS);
  /** By key and owner value, how its acquires of unknown outcome share the key: the weakest of these. */
  readonly #shareByOwner = new OldestFirst<string, Share>(REMEMBERED_OWNERS);
  /** By process, its open operation and the holds that this may concern. */
  readonly #asking = new Map<number, { readonly request: LeaseRequest; readonly holds: Hold[] }>();
  /** By key and owner value, the open extensions by process: they may reach a hold that begins meanwhile. */
  readonly #extensions = new OpenRequests<LeaseRequest>();
  /** The open acquires by client. */
  readonly #acquires: OpenAcquires<LeaseRequest>;
  /** By key, the acquires of unknown outcome. */
  readonly #reentries = new Map<string, PossibleReentries<LeaseRequest>>();
  readonly #lineage: ProcessLineage;

  /**
   * @param clients how many clients ran, where the history says so
   * @param lineage which processes may be one client
   */
  constructor(clients: number | undefined, lineage: ProcessLineage) {
    this.#acquires = new OpenAcquires(clients, lineage);
    this.#lineage = lineage;
  }

  /** The acquires of a key that the client of this process has under way. */
  *openAcquires(key: string, process: number): Iterable<LeaseRequest> {
    for (const [, request] of this.#acquires.of(key, process)) yield request;
  }

  /** Whether the client of this process has an acquire of the key under way. */
  isAsking(key: string, process: number): boolean {
    return this.#acquires.has(key, process);
  }

  begin(hold: Hold, lease: Lease): void {
    const { process, owner, grantedIndex, invokedIndex } = hold;
    const reentries = this.#reentriesOf(hold.key).grant(process, owner, grantedIndex, invokedIndex);
    hold.unknownEntries += reentries.length;
    if (reentries.length > 0) {
      this.#remember(nameOf(hold), reentries.reduce(shorter));
      this.#rememberShare(nameOf(hold), reentries.map(({ share }) => share).reduce(weaker));
      hold.hasTwoModes ||= reentries.some(({ share }) => mayHaveOtherMode(hold, share));
    }
    const shortestUnknown = this.#shortestByOwner.get(nameOf(hold));
    hold.promised = {
      lease,
      toldEnd: lease.end,
      settled: undefined,
      cutBy: undefined,
      shortestUnknown,
      asked: undefined,
      hasFailedOnce: false,
    };
    this.#expect(hold, hold.promised);
    this.set(hold, lease);
  }

  /**
   * What its client has under way may enter this hold once more, or extend it. Of too many nobody says which may do so.
   */
  #expect(hold: Hold, promised: Promised): void {
    for (const open of [this.#acquires.of(hold.key, hold.process), this.#extensions.of(nameOf(hold)) ?? []]) {
      const requests = atMost(open, MOST_OPEN);
      if (requests === undefined) {
        hold.doubtful = true;
        continue;
      }
      for (const [process, request] of requests) {
        this.#asking.get(process)?.holds.push(hold);
        promised.asked ??= new Map();
        promised.asked.set(process, { by: request, end: request.time + request.ttl });
      }
    }
  }

  /** How a hold certainly excludes others: an acquire of unknown outcome may have entered it in another way. */
  shareOf(hold: Hold): Share {
    const possible = hold.share.kind === "shared" ? undefined : this.#shareByOwner.get(nameOf(hold));
    if (possible === undefined) return hold.share;
    if (!this.#lineage.knowsClients) hold.shareAsStated ??= hold.share;
    return weaker(hold.share, possible);
  }

  /** An operation that was acknowledged sets the lease. */
  set(hold: Hold, lease: Lease): void {
    const { promised } = hold;
    if (promised === undefined) return;
    const longest = lease.beginTime + (promised.shortestUnknown?.ttl ?? Infinity);
    const isCut = longest < lease.end;
    promised.toldEnd = lease.end;
    promised.cutBy = isCut ? promised.shortestUnknown : undefined;
    promised.lease = isCut ? { ...lease, end: longest } : lease;
    this.#update(hold);
  }

  /**
   * An extension or a re-entry was answered. If another operation on the hold was answered since it was invoked, nobody
   * knows which of the two came last to the lock: the shorter lease counts.
   */
  answered(
    hold: Hold,
    lease: Lease,
    invokedIndex: number,
    { index, time }: Pick<HistoryEvent, "index" | "time">,
  ): void {
    const { promised } = hold;
    if (promised === undefined) return;
    const isLatest = !this.wasSetAfter(hold, invokedIndex);
    this.set(hold, isLatest ? lease : shorterLease(lease, promised.lease));
    promised.settled = { index, time };
  }

  /** The lock renewed the lease by itself, at some time since `lastSet`, and says so now. */
  renewed(hold: Hold, lease: Lease, { index, time }: Pick<HistoryEvent, "index" | "time">): void {
    this.set(hold, lease);
    if (hold.promised !== undefined) hold.promised.settled = { index, time };
  }

  /**
   * The same, at some time that may lie before `lastSet`: the lease is the one that was set then, or this one. Returns whether
   * this one is shorter.
   */
  possiblyRenewed(hold: Hold, lease: Lease): boolean {
    const known = hold.promised?.lease;
    if (known === undefined) return false;
    this.set(hold, shorterLease(lease, known));
    return lease.end < known.end;
  }

  /** The last event that told the holder that its lease was set. */
  lastSet({ grantedIndex, grantedTime, promised }: Hold): { readonly index: number; readonly time: number } {
    return promised?.settled ?? { index: grantedIndex, time: grantedTime };
  }

  /** Whether the lease of this hold was set by an operation that was answered after this event. */
  wasSetAfter(hold: Hold, index: number): boolean {
    return this.lastSet(hold).index > index;
  }

  /** An operation asks for another lease of these holds, or of one of them. */
  ask(operation: LeaseOperation, holds: readonly Hold[]): void {
    const { f, key, process, time, value } = operation;
    const request = requestOf(operation);
    if (f === "acquire") this.#acquires.begin(key, process, request);
    if (f === "extend" && holds.length === 0) {
      // An extension of a hold from before the history: until its answer it may reach a later hold of the owner value.
      this.#remember(nameOf({ key, owner: value.owner }), request);
      return;
    }
    this.#asking.set(process, { request, holds: [...holds] });
    if (f === "extend") this.#extensions.begin(nameOf({ key, owner: value.owner }), process, request);
    for (const hold of holds) {
      const { promised } = hold;
      if (promised === undefined) continue;
      promised.asked ??= new Map();
      promised.asked.set(process, { by: request, end: time + request.ttl });
      this.#update(hold);
    }
  }

  /**
   * The operation of this process is over. Where its outcome is unknown, it may take effect at any time from now on.
   * Returns the owner values whose holds an acquire of unknown outcome may have entered, as far as that is known.
   */
  answer(operation: LeaseOperation, completion: Answer): Iterable<string> {
    const { type, value } = completion;
    const { f, key, process, time } = operation;
    const { request, holds } = this.#asking.get(process) ?? { request: requestOf(operation), holds: [] };
    this.#asking.delete(process);
    request.outcome = type;
    if (f === "acquire") this.#acquires.end(key, process);
    else this.#extensions.end(nameOf({ key, owner: operation.value.owner }), process);
    if (f === "acquire" && type === "ok") request.owner = value.owner;
    const isUnknown = f === "acquire" && type === "info";
    const owners = isUnknown
      ? this.#reentriesOf(key).add(process, request, request.invokedIndex, statedIn(completion).owner)
      : [];
    for (const owner of owners) {
      const name = nameOf({ key, owner });
      this.#remember(name, request);
      this.#rememberShare(name, request.share);
    }
    for (const hold of holds) {
      const { promised } = hold;
      promised?.asked?.delete(process);
      if (type === "fail" && promised !== undefined) promised.hasFailedOnce = true;
      if (isUnknown) hold.unknownEntries += 1;
      if (isUnknown && mayHaveOtherMode(hold, request.share)) hold.hasTwoModes = hold.mayBeRenamed = true;
      if (type === "info") this.#cut(hold, request, time);
      this.#update(hold);
    }
    return owners;
  }

  /** An acquire of unknown outcome, answered at this time, may have entered this hold, although it seems to be another client's. */
  mayHaveEntered(hold: Hold, operation: LeaseOperation, time: number): void {
    this.#cut(hold, { ...requestOf(operation), outcome: "info" }, time);
    this.#update(hold);
  }

  /** This request may set the lease of the hold at any time from now on. */
  #cut({ promised, ...hold }: Hold, request: LeaseRequest, time: number): void {
    if (promised === undefined) return;
    promised.shortestUnknown = shorter(promised.shortestUnknown, request);
    this.#remember(nameOf(hold), promised.shortestUnknown);
    if (time + request.ttl >= promised.lease.end) return;
    promised.lease = { ...promised.lease, end: time + request.ttl };
    promised.cutBy = request;
  }

  /** Drops what is known of a key that will not be used again. */
  conclude(key: string): void {
    this.#reentries.delete(key);
  }

  #reentriesOf(key: string): PossibleReentries<LeaseRequest> {
    const known = this.#reentries.get(key);
    if (known !== undefined) return known;
    const fresh = new PossibleReentries<LeaseRequest>(
      this.#lineage,
      ({ ttl, share }) => `${ttl} ${nameOfShare(share)}`,
    );
    this.#reentries.set(key, fresh);
    return fresh;
  }

  #remember(name: string, request: LeaseRequest): void {
    const shortest = shorter(this.#shortestByOwner.get(name), request);
    this.#shortestByOwner.set(name, shortest);
  }

  #rememberShare(name: string, share: Share): void {
    // Nothing excludes others more than this.
    if (share.kind === "exclusive") return;
    this.#shareByOwner.set(name, weaker(this.#shareByOwner.get(name) ?? share, share));
  }

  #update(hold: Hold): void {
    const { promised } = hold;
    if (promised === undefined) return;
    const { lease, toldEnd, cutBy } = promised;
    const requests = shortestOf(promised);
    if (cutBy !== undefined) requests.push({ by: cutBy, end: lease.end });
    hold.leaseEnd = requests[0]?.end ?? lease.end;
    hold.leaseCut = requests.length === 0 ? undefined : { toldEnd, requests };
    hold.leaseEndAtMost = lease.endAtMost;
    hold.leaseAsked = lease.asked;
  }
}

function requestOf({ f, index, time, process, value }: LeaseOperation): LeaseRequest {
  const share = shareOf(f === "acquire" ? value : {});
  const ttl = value.ttlMs * NANOSECONDS_PER_MS;
  return { f, invokedIndex: index, time, process, ttl, share, outcome: undefined, owner: undefined };
}

/** A lease at an instant, as far as it depends on requests that are not answered yet. */
export interface LeaseAt {
  /** When it ends if none of `doubts` took effect. */
  readonly end: number;
  /** The requests that may have ended it by then. */
  readonly doubts: readonly LeaseRequest[];
}

/** The lease of a hold at this time; undefined if it is over, or may be for another reason than an open request. */
export function leaseAt({ promised, leaseEnd }: Hold, time: number): LeaseAt | undefined {
  if (leaseEnd > time) return { end: leaseEnd, doubts: [] };
  if (promised === undefined || promised.lease.end <= time) return undefined;
  const open = shortestOf(promised, Infinity);
  const [later] = open.filter(({ end }) => end > time);
  return { end: later?.end ?? promised.lease.end, doubts: open.filter(({ end }) => end <= time).map(({ by }) => by) };
}

/** The unanswered requests for a shorter lease than is promised, the shortest first. */
function shortestOf({ asked, lease }: Promised, most = NAMED_REQUESTS): CuttingRequest[] {
  if (asked === undefined || asked.size === 0) return [];
  const open = [...asked.values()].filter(({ end }) => end < lease.end);
  return open.sort((one, other) => one.end - other.end).slice(0, most);
}

/** The request for the shorter lease. */
function shorter(known: LeaseRequest | undefined, request: LeaseRequest): LeaseRequest {
  return known !== undefined && known.ttl <= request.ttl ? known : request;
}

/** All of these; undefined if there are more than `most`. */
function atMost<T>(all: Iterable<T>, most: number): readonly T[] | undefined {
  const found: T[] = [];
  for (const one of all) if (found.push(one) > most) return undefined;
  return found;
}

/** Made for each owner value that an acquire of unknown outcome may have had: a fraction of the time of JSON. */
function nameOf({ key, owner }: Pick<Hold, "key" | "owner">): string {
  return `${key.length} ${key}${owner}`;
}
