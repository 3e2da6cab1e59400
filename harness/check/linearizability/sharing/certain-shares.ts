import { exceeds, excludeEachOther, isOtherMode, type Share, weaker } from "../../../core/sharing.ts";
import type { Impossible } from "../follower.ts";
import { InvocationQueue } from "../invocation-queue.ts";
import { expirableFrom, FREE, type LockOperation } from "../lock-models.ts";
import { ModeChanges } from "./mode-changes.ts";
import type { SharingModel } from "./sharing-model.ts";

/** How many owners are remembered. Beyond it nothing is certain any more. */
const MOST_OWNERS = 50_000;

/** A hold that is certain from the completion of its last grant or extension on. */
interface CertainHold {
  /** The grant that began it, or the last that entered it again. */
  readonly grant: LockOperation;
  /** The grant or extension that shows it. */
  readonly since: LockOperation;
  readonly share: Share;
  /** Whether its owner may have entered it in both modes of a read-write lock. */
  readonly hasTwoModes: boolean;
  /** Until when the lease lasts for certain, in nanoseconds since the start. */
  readonly until: number;
  /** The first event from which on something else may end or shorten it. */
  doubtfulFrom: number;
}

/** An operation that may change the hold of its owner while it is under way. */
type Change = Pick<LockOperation, "invoked" | "completed">;

interface Owner {
  hold: CertainHold | undefined;
  /** How its grants exclude others, the least of them: nobody knows which of them its hold is. */
  share: Share | undefined;
  /** Whether some of these grants are a reader's, and others a writer's. */
  hasTwoModes: boolean;
  /** The process that was granted it first. */
  process: number | undefined;
  /** Whether several clients were granted it: a lock may tell them apart, and then each has a hold of its own. */
  isOfSeveral: boolean;
  /** How often it has entered at least, by what has begun: another grant may only have renewed the lease. */
  depth: number;
  /** How often it may have entered at most. */
  mostEntries: number;
  /** What has begun and may change its hold: all that is not completed, and what was under way beside it. */
  changes: Change[];
  /** The first event from which on something of unknown outcome may change its hold. */
  unknownFrom: number;
}

const EXCLUSIVE: Share = { kind: "exclusive" };
const NOTHING: ReadonlyMap<string, number> = new Map();

/**
 * Which owners of a key certainly hold it at the completion of a grant or an extension. No order explains more of them than
 * there is room for: each of these holds has begun by then, its lease cannot be over, and nothing under way can have ended it.
 */
export class CertainShares {
  readonly #model: SharingModel;
  /** What is announced, and has not begun before the completion that was placed last. */
  readonly #announced = new InvocationQueue();
  readonly #owners = new Map<string, Owner>();
  /** Holds that were certain when they were looked at last. */
  readonly #holding = new Map<string, CertainHold>();
  readonly #modeChanges = new ModeChanges();
  /** Whether some of them may have entered in both modes of a read-write lock. */
  #hasTwoModes = false;
  #permits = 0;
  #writers = 0;
  /** The completion that was placed last. */
  #last = -1;
  #isFull = false;

  constructor(model: SharingModel) {
    this.#model = model;
  }

  /** Announces an operation, once its outcome is known, and before anything is placed that was completed after it began. */
  announce(operation: LockOperation): void {
    const { owner, kind } = operation;
    if (owner !== undefined && kind !== "miss" && kind !== "contended") this.#announced.add(operation);
  }

  /** Places the next completed operation. Returns what makes it impossible, if it is. */
  push(operation: LockOperation): Impossible | undefined {
    // Announced may be all that is still to come, to the end of the history: each is looked at when it begins.
    for (const begun of this.#announced.before(operation.completed)) this.#begin(begun);
    this.#last = operation.completed;
    this.#modeChanges.place(operation.completed);
    const { owner, kind } = operation;
    if (owner === undefined || this.#isFull) return undefined;
    if (kind === "release") this.#leave(owner);
    if (kind !== "acquire" && kind !== "extend") return undefined;
    const known = this.#of(owner);
    if (kind === "acquire") {
      enterAs(known, operation.share);
      known.process ??= operation.process;
      if (!this.#isOneClient(known.process, operation.process)) known.isOfSeveral = true;
    }
    // Of a hold from before the history nobody knows how it excludes others, whatever its owner asks for later.
    if (known.share === undefined || known.process === undefined) return undefined;
    if (known.isOfSeveral) {
      this.#end(owner);
      return undefined;
    }
    const grant = kind === "acquire" ? operation : (known.hold?.grant ?? operation);
    const others = known.changes.filter(
      (change) => change.invoked !== operation.invoked && change.completed > operation.invoked,
    );
    this.#hasTwoModes ||= known.hasTwoModes;
    this.#set(owner, known, {
      grant,
      since: operation,
      share: known.share,
      hasTwoModes: known.hasTwoModes,
      until: expirableFrom(operation, operation.invokedTime),
      doubtfulFrom: Math.min(
        known.unknownFrom,
        ...others.map(({ invoked }) => invoked),
        this.#changedFrom({ grant, since: operation, hasTwoModes: known.hasTwoModes }),
      ),
    });
    return this.#excess(owner, operation);
  }

  #begin(operation: LockOperation): void {
    const { owner, kind, share, required, completed, invoked, mayRenew } = operation;
    this.#modeChanges.begin(operation);
    if (owner === undefined || this.#isFull) return;
    const known = this.#of(owner);
    this.#settle(known);
    if (required) known.changes.push({ invoked, completed });
    else known.unknownFrom = Math.min(known.unknownFrom, invoked);
    if (!required && kind === "reenter") enterAs(known, share);
    if (kind === "acquire" || kind === "reenter") {
      known.depth = mayRenew === true ? Math.max(known.depth, 1) : known.depth + 1;
      known.mostEntries += 1;
    }
    if (kind === "acquire") this.#changeMode(operation);
    const { hold } = known;
    if (hold !== undefined && completed > hold.since.invoked) hold.doubtfulFrom = Math.min(hold.doubtfulFrom, invoked);
  }

  /** An acquire of another mode under another owner value: a hold of its client may go on under that. */
  #changeMode(acquire: LockOperation): void {
    const { share = EXCLUSIVE, invoked, invokedTime } = acquire;
    const hasOtherModes = share.kind === "exclusive" || this.#writers > 0 || this.#hasTwoModes;
    if (share.kind === "counted" || !hasOtherModes) return;
    for (const [name, hold] of this.#holding) {
      // All that is placed from now on is completed later: a lock of which holders never release would keep them all.
      if (hold.until <= invokedTime || hold.doubtfulFrom <= invoked) this.#end(name);
      else if (this.#mayChange(hold, acquire)) hold.doubtfulFrom = Math.min(hold.doubtfulFrom, invoked);
    }
  }

  /** From which event on a hold that this operation shows may go on under another owner value. */
  #changedFrom({ grant, since, hasTwoModes }: Pick<CertainHold, "grant" | "since" | "hasTwoModes">): number {
    const others = this.#modeChanges.beside(since);
    return Math.min(
      Infinity,
      ...others.filter((acquire) => this.#mayChange({ grant, hasTwoModes }, acquire)).map((acquire) => acquire.invoked),
    );
  }

  #mayChange({ grant, hasTwoModes }: Pick<CertainHold, "grant" | "hasTwoModes">, acquire: LockOperation): boolean {
    const isOther = hasTwoModes || isOtherMode(acquire.share ?? EXCLUSIVE, grant.share ?? EXCLUSIVE);
    return acquire.owner !== grant.owner && isOther && this.#isOneClient(grant.process, acquire.process);
  }

  #of(owner: string): Owner {
    const known = this.#owners.get(owner);
    if (known !== undefined) return known;
    if (this.#owners.size >= MOST_OWNERS) this.#isFull = true;
    const fresh: Owner = {
      hold: undefined,
      share: undefined,
      hasTwoModes: false,
      process: undefined,
      isOfSeveral: false,
      depth: 0,
      mostEntries: 0,
      changes: [],
      unknownFrom: Infinity,
    };
    this.#owners.set(owner, fresh);
    return fresh;
  }

  /** Drops the changes that came before all that are not placed yet: what begins later begins after the last placed one. */
  #settle(owner: Owner): void {
    const open = owner.changes.filter(({ completed }) => completed > this.#last);
    const begun = Math.min(...open.map(({ invoked }) => invoked));
    owner.changes = owner.changes.filter(({ completed }) => completed > this.#last || completed > begun);
  }

  #leave(name: string): void {
    const owner = this.#of(name);
    owner.depth = Math.max(0, owner.depth - 1);
    owner.mostEntries -= 1;
    this.#settle(owner);
    if (owner.depth > 0 || owner.changes.length > 0 || owner.unknownFrom < Infinity) return;
    this.#end(name);
    // What is left of it is entered again by the next grant, which then takes no more permits than it did.
    if (owner.mostEntries <= 0) this.#owners.delete(name);
  }

  #set(name: string, owner: Owner, hold: CertainHold): void {
    this.#end(name);
    owner.hold = hold;
    this.#holding.set(name, hold);
    this.#count(hold.share, 1);
  }

  /** It is not counted any more. */
  #end(name: string): void {
    const hold = this.#holding.get(name);
    if (hold === undefined) return;
    this.#holding.delete(name);
    this.#count(hold.share, -1);
  }

  #count(share: Share, by: number): void {
    if (share.kind === "counted") this.#permits += by * share.permits;
    if (share.kind === "exclusive") this.#writers += by;
  }

  /** Whether there may be more than there is room for, as far as a glance shows. */
  #mayExceed(share: Share): boolean {
    if (share.kind === "exclusive") return this.#holding.size > 1;
    return this.#writers > 0 || (share.kind === "counted" && this.#permits > share.limit);
  }

  #excess(owner: string, operation: LockOperation): Impossible | undefined {
    const own = this.#holding.get(owner);
    if (own === undefined || !this.#mayExceed(own.share)) return undefined;
    for (const [name, hold] of this.#holding) if (!isCertainAt(hold, operation)) this.#end(name);
    if (!this.#holding.has(owner)) return undefined;
    const others = [...this.#holding.values()].filter((hold) => hold !== own);
    const rival = others.find(({ share, grant }) => this.#exclude(own, share, grant));
    if (rival !== undefined) return impossible(operation, [rival]);
    const counted = others.filter(({ share }) => share.kind === "counted");
    if (own.share.kind !== "counted" || !exceeds([own.share, ...counted.map(({ share }) => share)])) return undefined;
    return impossible(operation, counted);
  }

  /** Whether they exclude each other regardless of further holds. The holds of one client in two modes are no conflict. */
  #exclude(own: CertainHold, share: Share, { process }: LockOperation): boolean {
    if (!excludeEachOther(own.share, share)) return false;
    return !(own.share.kind !== share.kind && this.#isOneClient(process, own.grant.process));
  }

  #isOneClient(one: number, other: number): boolean {
    return this.#model.sameClient(one, other) || this.#model.sameClient(other, one);
  }
}

function enterAs(owner: Owner, share: Share = EXCLUSIVE): void {
  const { share: known = share } = owner;
  owner.hasTwoModes ||= isOtherMode(known, share);
  owner.share = weaker(known, share);
}

function isCertainAt({ until, doubtfulFrom }: CertainHold, { completed, completedTime }: LockOperation): boolean {
  return until > completedTime && doubtfulFrom > completed;
}

function impossible(operation: LockOperation, beside: readonly CertainHold[]): Impossible {
  const [first] = beside;
  const grant = first?.grant;
  return {
    operation,
    before: {
      state: { ...FREE, holder: grant?.owner, depth: 1, expirableFrom: first?.until ?? 0 },
      grant,
      point: { index: grant?.completed ?? -1, time: grant?.completedTime ?? 0 },
      heldUntil: -1,
      owed: undefined,
      early: [],
      usedAcquires: NOTHING,
      used: NOTHING,
    },
    beside: beside.map((hold) => hold.grant),
  };
}
