import type { RenewedEvent } from "../../history/history.ts";
import type { Loss } from "../recorders/replaced-holds.ts";
import { LeftOutOwners } from "../clock/left-out-owners.ts";
import type { Renewal } from "./as-heard.ts";
import type { Follower, KeyProgress } from "./follower.ts";
import { MutexLinearization } from "./mutex-linearization.ts";
import { followerOf } from "./follower-of.ts";
import { LastOfOwner } from "./last-of-owner.ts";
import { Linearization } from "./linearization.ts";
import { kindOfAcquire, type LockModel, type LockOperation } from "./lock-models.ts";
import { UndeterminedAcquires } from "./undetermined-acquires.ts";
import { isDroppable } from "../../history/dropped-front.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import { SharedOwnerLinearization } from "./shared-owner-linearization.ts";
import { ANSWERED_LATE } from "../../history/unordered.ts";
import { PossibleReentries } from "../../history/possible-reentries.ts";
import { ProcessLineage } from "../../history/process-lineage.ts";
import { MOST_STEPS, StepBudget } from "./step-budget.ts";
import {
  described,
  ended,
  ending,
  isRenewal,
  possible,
  renewal,
  TOLD_LATE,
  type LockCompletion,
  type LockInvocation,
  type OpenOperation,
} from "./open-operation.ts";
import { GeneralSearch } from "./search/general-search.ts";
import { KeptOperations, KeptRoom } from "./search/kept-operations.ts";
import type { LockEvent } from "./sharing/lock-events.ts";
import { SharingLinearization } from "./sharing/sharing-linearization.ts";
import type { SearchOutcome } from "./search/wgl.ts";

/** How many completed operations may wait for their owners' next operations. */
const LOOKAHEAD = 4096;
/** How many completed operations may wait for an open one: about 50 MB. */
const MOST_WAITING = 100_000;
const OPEN_TOO_LONG = "an operation was open for too long";

/**
 * Pairs the operations of one key and follows their linearizations, up to the oldest operation whose outcome is not
 * known yet. It keeps the operations since then, and all of a short history for the general search.
 *
 * An operation that is open for too long counts as one of unknown outcome. If its outcome becomes known after all, too
 * much was allowed, and the key is not decided.
 */
export class KeyOperations {
  readonly #model: LockModel;
  readonly #general: GeneralSearch;
  readonly #observeContention: boolean;
  readonly #kept: KeptOperations;
  readonly #mostWaiting: number;
  readonly #budget: StepBudget;
  readonly #reentries: PossibleReentries<LockOperation>;
  /** Undefined as long as nobody asks for it. */
  #leftOut: LeftOutOwners | undefined;
  #linearization: Follower;
  /** By process, in the order of invocation. */
  readonly #open = new OldestFirst<number, OpenOperation>();
  /** Processes whose operation was open for too long. */
  #givenUp: Set<number> | undefined;
  /** Required operations in the order of completion. */
  #waiting: LockOperation[] = [];
  #next = 0;
  /** How many of them are confirmed: everything that began before their completion is known. */
  #confirmed = 0;
  readonly #lastOfOwner = new LastOfOwner();
  readonly #undetermined = new UndeterminedAcquires();
  /** Whether operations of one owner value have overlapped in time. */
  #hasOverlaps = false;
  #progress: KeyProgress = { state: "following" };

  /**
   * @param room for the whole history, for the general search
   * @param mostWaiting how many completed operations may wait for one that is open
   * @param lineage which processes may be one client (default: none)
   * @param shares whether several owners may hold the key at a time
   */
  constructor(
    model: LockModel,
    observeContention: boolean,
    room = new KeptRoom(),
    mostWaiting = MOST_WAITING,
    budget = new StepBudget(MOST_STEPS),
    lineage = new ProcessLineage(Infinity),
    shares = false,
  ) {
    this.#reentries = new PossibleReentries(lineage, kindOfAcquire);
    this.#budget = budget;
    this.#model = model;
    this.#mostWaiting = mostWaiting;
    this.#kept = new KeptOperations(room);
    this.#observeContention = observeContention;
    const sharing = shares ? { ...model, sameClient: lineage.mayContinue.bind(lineage) } : undefined;
    this.#general = new GeneralSearch(model, sharing);
    this.#linearization = followerOf(model, sharing, budget);
  }

  get progress(): KeyProgress {
    return this.#progress;
  }

  /** Whether this event is one of those that the clock leaves too uncertain: nothing else is to be done about it. */
  leavesOut(event: LockEvent): boolean {
    if (!this.#model.ownerAware || this.#observeContention || this.#isDecided()) return false;
    this.#leftOut ??= new LeftOutOwners({
      mayHold: (owner) => this.#lastOfOwner.has(owner) || this.#linearization.mayHold?.(owner) !== false,
      forgo: (process) => this.#forgo(process),
      giveUp: (why) => this.#giveUp(why),
    });
    return this.#leftOut.takes(event);
  }

  /**
   * @param stranger the operation refers to no known grant
   * @param isAsking an acquire is under way that may have begun the hold to which the operation refers
   */
  invoke(invocation: LockInvocation, stranger: boolean, isAsking = false): void {
    if (this.#isDecided()) return;
    if (ANSWERED_LATE in invocation) return this.#giveUp(OPEN_TOO_LONG);
    const unknown = invocation.f !== "acquire" && (isAsking || this.#reentries.mayHaveGranted(invocation.value.owner));
    this.#open.set(invocation.process, { invocation, stranger: stranger || unknown });
    if (stranger && invocation.f !== "acquire") {
      const { process, value } = invocation;
      for (const acquire of this.#reentries.refer(process, value.owner)) this.#takeReentry(acquire, value.owner);
    }
  }

  /**
   * The holder was told that its lease is gone: from then on its hold may be gone, with all its entries. If only one of
   * several entries is gone, the hold is over with the releases of the others, and it makes no difference when the lost
   * one went.
   */
  lose({ process, index, time, value, until }: Loss): void {
    if (this.#isDecided()) return;
    const window = { invoked: index, invokedTime: time, completed: Infinity, completedTime: Infinity, until };
    const nothing = { stranger: false, fence: undefined, leaseNs: 0 };
    const kind = this.#model.ownerAware ? "lose" : "release";
    this.#take({ kind, process, required: false, owner: value.owner, ...window, ...nothing });
  }

  /**
   * The lock renewed a lease by itself, at some time since an event; if no known grant began the lease, or the lease may have been
   * set anew since, perhaps. While its client has an operation under way, it is unknown which of the two came first.
   */
  renew(event: RenewedEvent, { since, isAsking }: Renewal): void {
    if (this.#isDecided() || this.#open.get(event.process) !== undefined) return;
    // It may be of a hold from before the history, of which nobody knows how often it was entered.
    const mayBeOlder = since === undefined && !this.#model.beganFree;
    const stranger = isAsking || mayBeOlder || this.#reentries.mayHaveGranted(event.value.owner);
    // Of operations of one owner that overlap in time nobody knows how many entries they left.
    if (since === undefined && !stranger && !this.#hasOverlaps) return;
    const operation = renewal(event, since, stranger);
    if (operation !== undefined) this.#take(operation);
    else if (since !== undefined || mayBeOlder || this.#hasOverlaps) this.lose(event);
    this.#advance();
  }

  /**
   * Takes a completion. Returns the operation, when it is one that the model must explain.
   *
   * @param isAsking an acquire is under way that may have begun the hold to which the operation refers
   */
  complete(completion: LockCompletion, isAsking = false): LockOperation | undefined {
    if (this.#isDecided()) return undefined;
    if (this.#givenUp?.delete(completion.process) === true) {
      if (completion.type !== "info") this.#fail({ state: "general", why: OPEN_TOO_LONG });
      return undefined;
    }
    const open = this.#open.get(completion.process);
    this.#open.delete(completion.process);
    const operation = open === undefined ? undefined : this.#resolve(this.#asKnownNow(open, isAsking), completion);
    if (operation !== undefined) this.#take(operation);
    this.#advance();
    this.#giveUpOpen();
    return operation;
  }

  /** To be called after the last event. */
  finish(): KeyProgress {
    this.#leftOut?.finish();
    if (!this.#isDecided()) {
      // The general search needs them too.
      for (const open of this.#open.values()) this.#take(possible(open));
      this.#open.clear();
      this.#undetermined.clear();
      this.#advance();
    }
    if (this.#progress.state === "following") {
      const before = this.#linearization.finish();
      if (before !== undefined) this.#fail({ state: "unexplained-refusal", before });
      else if (this.#linearization.isUndecided === true) {
        this.#progress = { state: "general", why: "none of the orders that were tried explains everything" };
      }
    }
    return this.#progress;
  }

  /** Whether the operations up to `last` have an order only if their fencing tokens are ignored. False too where that is not known. */
  hasOrderOnlyWithoutTokens(last: LockOperation): boolean {
    const known = this.#kept.all?.filter(({ required, completed }) => !required || completed <= last.completed);
    if (known === undefined) return false;
    return this.#general.hasOrderOnlyWithoutTokens([...known, ...[...this.#open.values()].map(possible)]);
  }

  /**
   * If the general search finds no order: the first operation that none explains together with those before it. Undefined if
   * the history is too long to be kept, or no operation has to be explained.
   */
  firstUnexplained(): LockOperation | undefined {
    return this.#general.firstUnexplained(this.#kept.all ?? []);
  }

  /** The answer of the general search, for a key that nothing else decides. */
  search(steps?: number): SearchOutcome {
    return this.#kept.all === undefined ? "unknown" : this.#general.search(this.#kept.all, steps);
  }

  /** The same, in pieces. */
  *searching(budget = this.#budget): Generator<undefined, SearchOutcome> {
    return this.#kept.all === undefined ? "unknown" : yield* this.#general.searching(this.#kept.all, budget);
  }

  /** To be called where nothing is asked about the key any more, except for an explanation of what is wrong. */
  conclude(): void {
    if (this.#progress.state === "following") this.#kept.drop();
  }

  /** Whether what explains the operations may count one acquire of unknown outcome twice: see `Follower`. */
  get maySpendTwice(): boolean {
    return this.#progress.state === "following" && this.#linearization.maySpendTwice === true;
  }

  /** An acquire that was asked for while a release or an extension was under way may have begun the hold that it found. */
  #asKnownNow(open: OpenOperation, isAsking: boolean): OpenOperation {
    const { invocation, stranger } = open;
    if (stranger || invocation.f === "acquire") return open;
    const unknown = isAsking || this.#reentries.mayHaveGranted(invocation.value.owner);
    return unknown ? { invocation, stranger: true } : open;
  }

  #giveUpOpen(): void {
    while (this.#waiting.length - this.#next > this.#mostWaiting) {
      const { oldest } = this.#open;
      if (oldest === undefined || this.#progress.state !== "following") return;
      const [process, operation] = oldest;
      this.#open.delete(process);
      (this.#givenUp ??= new Set()).add(process);
      this.#take(possible(operation));
      this.#advance();
    }
  }

  #isDecided(): boolean {
    // The general search needs the whole history, as long as it is short.
    return this.#progress.state !== "following" && (this.#progress.state !== "general" || this.#kept.all === undefined);
  }

  #resolve(open: OpenOperation, completion: LockCompletion): LockOperation | undefined {
    if (completion.type !== "fail") return ended(open, completion);
    const contended = completion.f === "acquire" && completion.value?.reason === "contended";
    if (!contended || !this.#observeContention) return undefined;
    return { ...described(open), kind: "contended", ...ending(completion) };
  }

  #take(operation: LockOperation): void {
    this.#kept.add(operation);
    if (this.#model.ownerAware && operation.kind === "acquire") this.#takeReentries(operation);
    if (this.#progress.state !== "following") return;
    if (operation.required && this.#lastOfOwner.isOverlappedBy(operation)) this.#allowOverlaps(operation);
    this.#linearization.announce(operation);
    this.#undetermined.add(operation);
    if (operation.required) this.#waiting.push(operation);
  }

  /** An acquire of unknown outcome may also have entered a hold of its own client again. */
  #takeReentries(acquire: LockOperation): void {
    const { owner, process, completed, invoked, stated } = acquire;
    if (owner !== undefined) {
      for (const unknown of this.#reentries.grant(process, owner, completed, invoked))
        this.#takeReentry(unknown, owner);
    } else if (!acquire.required) {
      for (const own of this.#reentries.add(process, acquire, invoked, stated)) this.#takeReentry(acquire, own);
    }
  }

  #takeReentry(acquire: LockOperation, owner: string): void {
    if (this.#model.maxDepth > 1) this.#take({ ...acquire, kind: "reenter", owner, acquire });
  }

  /** From now on operations of one owner value may overlap in time. */
  #allowOverlaps({ owner = "" }: LockOperation): void {
    this.#hasOverlaps = true;
    if (this.#linearization instanceof SharingLinearization) this.#linearization.allowOverlaps(owner);
    if (this.#linearization instanceof MutexLinearization) this.#linearization.disregardOwners();
    if (!(this.#linearization instanceof Linearization)) return;
    const standing = { ...this.#linearization.handOver(), waiting: this.#waiting.slice(this.#next) };
    this.#linearization = new SharedOwnerLinearization(this.#model, this.#budget, standing);
  }

  /**
   * An owner's next operation shows something about its acquire only if it certainly came next: no earlier operation is
   * open.
   */
  #confirm(): void {
    const open = this.#open.oldest?.[1].invocation.index ?? Infinity;
    for (; this.#confirmed < this.#waiting.length; this.#confirmed += 1) {
      const operation = this.#waiting[this.#confirmed]!;
      if (operation.completed > open) return;
      this.#linearization.confirm(operation);
      this.#undetermined.confirm(operation);
    }
  }

  /** The event up to which everything is known that can be known, or enough is known to stop waiting. */
  #knownUpTo(): number {
    const open = this.#open.oldest?.[1].invocation.index ?? Infinity;
    if (this.#waiting.length - this.#next > LOOKAHEAD) return open;
    return Math.min(open, this.#undetermined.since);
  }

  #advance(): void {
    if (this.#progress.state !== "following") return;
    this.#confirm();
    const known = this.#knownUpTo();
    for (; this.#next < this.#waiting.length; this.#next += 1) {
      const operation = this.#waiting[this.#next]!;
      if (operation.completed > known) break;
      this.#lastOfOwner.forget(operation);
      const impossible = this.#linearization.push(operation);
      if (impossible !== undefined) this.#fail(isRenewal(operation) ? TOLD_LATE : { state: "impossible", impossible });
      else if (this.#linearization.exhausted) this.#giveUpFollowing();
      else continue;
      return;
    }
    if (isDroppable(this.#next, this.#waiting.length)) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#confirmed -= this.#next;
      this.#next = 0;
    }
  }

  #fail(progress: KeyProgress): void {
    if (this.#linearization.exhausted) return this.#giveUpFollowing();
    const why = "there are too many possible orders of the operations of unknown outcome";
    this.#progress = this.#linearization.truncated ? { state: "general", why } : progress;
    this.#forget();
  }

  #giveUpFollowing(): void {
    this.#progress = { state: "general", why: `it takes more than ${this.#budget.steps} steps` };
    this.#forget();
  }

  #giveUp(why: string): void {
    this.#kept.drop();
    this.#progress = { state: "general", why };
    this.#forget();
  }

  /** An operation under way is left out. */
  #forgo(process: number): void {
    this.#open.delete(process);
    this.#givenUp?.delete(process);
    this.#advance();
  }

  #forget(): void {
    this.#waiting = [];
    this.#next = 0;
    this.#confirmed = 0;
    this.#lastOfOwner.clear();
    this.#undetermined.clear();
  }
}
