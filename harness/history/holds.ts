import { traitsOf } from "../../faults/traits.ts";
import { mayLoseLocks } from "../core/fault-traits.ts";
import { isUpgrade, type Share, shareOf, weaker } from "../core/sharing.ts";
import type { Actors } from "./clients.ts";
import { FaultTimeline } from "./fault-timeline.ts";
import { NANOSECONDS_PER_MS, type HistoryEvent, type RenewedEvent } from "./history.ts";
import type { Hold, HoldChange, HoldEnd } from "./holds/hold.ts";
import { LastingShares } from "./holds/lasting-shares.ts";
import { GivenUp } from "./holds/given-up.ts";
import { overByThen } from "./holds/over-by-then.ts";
import { OwnReleases } from "./holds/own-releases.ts";
import { type LeaseRequest, Leases } from "./leases.ts";
import { leaseOf, shorterLease } from "./holds/lease.ts";
import { isNotReplaced, maybeForget, maybeMeans, showMeant } from "./holds/replaced.ts";
import { ownerOf, sign } from "./holds/sign.ts";
import { newHold } from "./holds/new-hold.ts";
import { mayRenew } from "./holds/repeated-acquire.ts";
import { OpenHolds } from "./open-holds.ts";
import { NEVER_ANSWERED } from "./unordered.ts";
import { ProcessLineage } from "./process-lineage.ts";
import { type CompletionEvent, grantOf, type GrantEvents, type InvocationEvent } from "./operations.ts";
import { bereavedBy, doubtOthers } from "./holds/bereaved.ts";
import { doubtChanged, doubtRenamed } from "./holds/changed-mode.ts";
import { extensionAsHeard } from "./holds/unheard-extension.ts";

export { heldAlone, type Hold, type HoldChange } from "./holds/hold.ts";

/**
 * Extracts the definite holds of a history as it is read. It keeps only the open holds.
 *
 * A hold ends at the invocation of its release (even if it fails), at a `lost` notice, when a release finds
 * nothing, or at an installed fault that killed its client's process. An indeterminate acquire is no hold.
 *
 * An owner that is granted the lock again within the lease of its hold re-enters: the hold lasts until it is released
 * as often as it was entered. If the lease may be over by then, or a fault may have taken the lock, a re-entry cannot
 * be told from a new hold: the grant then counts as a new hold, which replaces the old one and ends at its first
 * release. A client that says that it re-enters may not know that its lease is over: this shows only that it meant to
 * hold until then.
 *
 * A client that is granted a key under another owner value has forgotten its older hold, unless another of its tasks has it: its operations
 * no longer show that it means that hold, but the lock has promised it until the end of its lease.
 */
export class HoldTracker {
  readonly faults = new FaultTimeline();
  readonly #open: OpenHolds;
  readonly #leases: Leases;
  readonly #releases: OwnReleases;
  readonly #givenUp = new GivenUp((key, owner, process) => this.#ownOf(key, owner, process) !== undefined);
  /** What releases may have left. */
  readonly lasting = new LastingShares();
  /** Holds that their clients have forgotten, while their leases last. */
  readonly #forgotten: OpenHolds;
  /** The last fault that may have taken locks away. */
  #lossIndex = -1;
  readonly lineage: ProcessLineage;

  /** @param actors how many clients ran, where the history says so */
  constructor({ clients, tasks }: Actors) {
    this.lineage = new ProcessLineage(clients, tasks);
    this.#leases = new Leases(clients, this.lineage);
    this.#releases = new OwnReleases(clients);
    this.#open = new OpenHolds(clients);
    this.#forgotten = new OpenHolds(clients);
  }

  /** True unless the two processes belong to two clients for certain. */
  sameClient(earlier: number, later: number): boolean {
    return this.lineage.mayContinue(earlier, later);
  }

  /** The acquires of a key that the client of this process has under way: each may enter its hold once more. */
  openAcquires(key: string, process: number): Iterable<LeaseRequest> {
    return this.#leases.openAcquires(key, process);
  }

  /** Whether the client of this process has an acquire of the key under way. */
  isAsking(key: string, process: number): boolean {
    return this.#leases.isAsking(key, process);
  }

  /** How many holds of all keys are open, or forgotten and still promised. */
  get size(): number {
    return this.#open.size + this.#forgotten.size;
  }

  /** Drops what is known of a key that will not be used again. */
  conclude(key: string): void {
    for (const holds of [this.#open, this.#forgotten]) for (const hold of [...holds.of(key)]) holds.remove(hold);
    this.#leases.conclude(key);
  }

  /** How many holds of a key are open. */
  count(key: string): number {
    return this.#open.count(key);
  }

  /** The open holds of a key, in the order in which they were granted. There may be very many: see `latest`. */
  open(key: string): readonly Hold[] {
    return [...this.#open.of(key)];
  }

  /** The open holds of a key, the latest first. */
  latest(key: string): Iterable<Hold> {
    return this.#open.latest(key);
  }

  /** The holds of a key that are still promised although their clients have forgotten them, the latest first. */
  latestForgotten(key: string): Iterable<Hold> {
    return this.#forgotten.latest(key);
  }

  /** Whether this open hold certainly fits beside all others of its key: none is forgotten, and there is room. */
  fits(hold: Hold): boolean {
    const isAlone = this.#forgotten.count(hold.key) === 0;
    return isAlone && this.#open.shares(hold.key)?.fitBeside(hold.share) === true;
  }

  /** Whether these, which are not held, certainly fit beside all open holds of the key and beside each other. */
  leaveRoomFor(key: string, shares: readonly Share[]): boolean {
    return this.#open.shares(key)?.leaveRoomFor(shares) ?? false;
  }

  /** The open or forgotten hold that an operation of `process` with this owner value refers to. */
  find(key: string, owner: string, process: number): Hold | undefined {
    for (const holds of [this.#open, this.#forgotten]) {
      const hold = this.#ownAmong(holds, key, owner, process) ?? holds.oldestOfOwner(key, owner);
      if (hold !== undefined) return hold;
    }
    return undefined;
  }

  /** The oldest open or forgotten hold with this owner value that may be this process's. */
  #ownOf(key: string, owner: string, process: number): Hold | undefined {
    return this.#ownAmong(this.#open, key, owner, process) ?? this.#ownAmong(this.#forgotten, key, owner, process);
  }

  #ownAmong(holds: OpenHolds, key: string, owner: string, process: number): Hold | undefined {
    let oldest: Hold | undefined;
    let isSure = false;
    for (const hold of holds.candidates(key, process, owner)) {
      if (!this.lineage.mayShare(hold.currentProcess, process)) continue;
      const isOwn = this.lineage.areOne(hold.currentProcess, process);
      if (isSure && !isOwn) continue;
      if (oldest === undefined || isOwn !== isSure || hold.grantedIndex < oldest.grantedIndex) oldest = hold;
      isSure = isOwn;
    }
    return oldest;
  }

  push(event: HistoryEvent, invocation: InvocationEvent | undefined): readonly HoldChange[] {
    this.faults.push(event);
    this.lineage.push(event);
    if (!(NEVER_ANSWERED in event)) this.#sign(event, invocation);
    const expired = this.#expireForgotten(event);
    const changes = this.#change(event, invocation);
    this.#releases.push(event, invocation);
    return expired.length === 0 ? changes : [...expired, ...changes];
  }

  #change(event: HistoryEvent, invocation: InvocationEvent | undefined): readonly HoldChange[] {
    if (event.type === "fault") return this.#strike(event);
    if (this.#givenUp.push(event)) return [];
    if (event.type === "audit" || event.type === "notice" || event.type === "queued") return [];
    if (event.type === "lost") return this.#lose(this.find(event.key, event.value.owner, event.process), event);
    if (event.type === "renewed") return this.#renew(event);
    if (event.type === "invoke") return this.#invoke(event);
    if (invocation?.f === "acquire" || invocation?.f === "extend") this.#answer(invocation, event);
    const grant = grantOf(event, invocation);
    if (grant !== undefined) return this.#grant(grant);
    if (event.f === "release" && invocation?.f === "release") this.lasting.released(invocation, event);
    if (event.type !== "ok") return [];
    if (event.f === "extend") return this.#extend(event, invocation);
    if (event.f === "release" && !event.value.released) return this.#miss(event, invocation);
    return [];
  }

  #invoke(event: InvocationEvent): readonly HoldChange[] {
    if (event.f === "release") return this.#release(event);
    if (event.f === "extend") {
      const hold = this.find(event.key, event.value.owner, event.process);
      this.#leases.ask(event, hold === undefined ? [] : [hold]);
    } else if (event.f === "acquire") {
      this.#leases.ask(event, this.possiblyOfClient(event.key, event.process));
    }
    return [];
  }

  #answer(operation: Extract<InvocationEvent, { f: "acquire" | "extend" }>, completion: CompletionEvent): void {
    if (completion.f !== "acquire" && completion.f !== "extend") return;
    const heard = extensionAsHeard(completion, operation.time, this.faults);
    for (const owner of this.#leases.answer(operation, heard)) {
      const hold = this.find(operation.key, owner, operation.process);
      if (hold === undefined) continue;
      this.#leases.mayHaveEntered(hold, operation, completion.time);
      this.#reshare(hold, this.#leases.shareOf(hold));
    }
  }

  #reshare(hold: Hold, share: Share): void {
    (hold.forgotten ? this.#forgotten : this.#open).reshare(hold, share);
  }

  /** Those too of which nobody knows whether they are this process's own. */
  possiblyOfClient(key: string, process: number): readonly Hold[] {
    const candidates = [...this.#open.candidates(key, process, undefined)];
    return candidates.filter((hold) => this.sameClient(hold.currentProcess, process));
  }

  /** An operation on the key shows that its client still means to hold. */
  #sign(event: HistoryEvent, invocation: InvocationEvent | undefined): void {
    if (typeof event.process !== "number" || ["lost", "renewed", "queued"].includes(event.type)) return;
    const operation = event.type === "invoke" ? event : invocation;
    if (operation?.f === "acquire" && operation.value.inner !== true) {
      const holds = this.#open.candidates(event.key, event.process, undefined);
      if (event.type === "ok" || event.type === "fail") isNotReplaced(holds, event.process, this.lineage);
      else maybeMeans(holds, event.process);
    }
    // A client may look at a lock, or try for it, after it has forgotten its hold.
    if (event.f === "acquire" || event.f === "observe") return;
    const owner = operation === undefined ? undefined : ownerOf(operation);
    const named = owner === undefined ? this.#open.ofClient(event.key, event.process) : undefined;
    for (const hold of named ?? this.#open.candidates(event.key, event.process, owner)) {
      const isOther = owner === undefined && this.lineage.areTasks(hold.currentProcess, event.process);
      if (isOther || !this.sameClient(hold.currentProcess, event.process)) continue;
      showMeant(hold, event, operation, this.lineage);
    }
  }

  #grant(grant: GrantEvents): readonly HoldChange[] {
    const { key, process, value } = grant.completion;
    const givenUp = this.#givenUp.take(process);
    const own = this.#ownOf(key, value.owner, process);
    doubtOthers(own, grant.completion, [this.#open, this.#forgotten], this.lineage);
    if (own !== undefined && this.#isReentry(own, grant)) return this.#reenter(own, grant);
    if (own !== undefined && grant.invocation.value.inner === true)
      showMeant(own, grant.completion, undefined, this.lineage);
    const replaced = this.#end(own, "abandoned", grant.completion);
    for (const hold of [...this.#open.ofClient(key, process)])
      if (hold.owner !== value.owner && !this.lineage.areTasks(hold.currentProcess, process)) this.#forget(hold);
    if (!this.lineage.knowsClients)
      maybeForget(value.owner, this.possiblyOfClient(key, process), process, this.lineage);
    const hold = newHold(grant);
    hold.sharedWith = this.lineage.besideOf(own?.currentProcess, process);
    // It may have entered its old hold once more.
    hold.share = this.lasting.begin(hold);
    hold.doubtful = this.#releases.mayFollow(grant.completion, grant.invocation, value.owner);
    // Where its owner was granted the lock or extended it meanwhile, nobody knows which of the two leases is the later one.
    const isBeside = own !== undefined && this.#leases.wasSetAfter(own, grant.invocation.index);
    const rival = isBeside ? own.promised?.lease : undefined;
    this.#leases.begin(hold, rival === undefined ? leaseOf(grant) : shorterLease(leaseOf(grant), rival));
    // The hold may be the older one, which was over when its owner was told of it.
    if (rival !== undefined && hold.leaseEnd <= hold.grantedTime) hold.doubtful = true;
    hold.share = this.#leases.shareOf(hold);
    hold.hasTwoModes ||= hold.share.kind !== shareOf(grant.invocation.value).kind;
    doubtChanged(hold, [this.#open, this.#forgotten], this.lineage);
    this.#open.add(hold);
    const granted: HoldChange = { kind: "granted", hold };
    if (own !== undefined || givenUp === undefined) return [...replaced, granted];
    return [granted, ...this.#end(hold, givenUp.type === "lost" ? "lost" : "release", givenUp)];
  }

  /** Whether the hold certainly existed when its owner was granted the lock again. */
  #isReentry(hold: Hold, { invocation, completion }: GrantEvents): boolean {
    // Beside another operation of its owner it may have come to the lock before it, in an older hold.
    const isAfter = invocation.index > Math.max(hold.grantedIndex, hold.resumedIndex);
    return isAfter && !hold.forgotten && completion.time < hold.leaseEnd && this.#lossIndex < hold.grantedIndex;
  }

  #reenter(hold: Hold, grant: GrantEvents): readonly HoldChange[] {
    this.#leases.answered(hold, leaseOf(grant), grant.invocation.index, grant.completion);
    hold.maybeOfTwo ||= !this.lineage.areOne(hold.currentProcess, grant.completion.process);
    hold.sharedWith = this.lineage.besideOf(hold.currentProcess, grant.completion.process);
    this.#move(hold, grant.completion.process);
    [hold.askedSince, hold.maybeReplacedBy] = [undefined, undefined];
    sign(hold, grant.completion);
    const share = shareOf(grant.invocation.value);
    hold.hasTwoModes ||= share.kind !== hold.share.kind;
    this.lasting.enter(hold, mayRenew(grant.invocation));
    const upgrades = !hold.maybeOfTwo && !mayRenew(grant.invocation) && isUpgrade(hold.share, share);
    hold.wasReader ||= upgrades;
    this.#reshare(hold, upgrades ? share : weaker(hold.share, share));
    return [{ kind: "reentered", hold, fence: grant.completion.value.fence, upgrades }];
  }

  #forget(hold: Hold): void {
    this.#open.remove(hold);
    this.#forgotten.add(hold);
    hold.forgotten = true;
  }

  /** Ends forgotten holds of a key whose leases are over, the oldest first. */
  #expireForgotten(event: HistoryEvent): readonly HoldChange[] {
    if (!("key" in event) || this.#forgotten.count(event.key) === 0) return [];
    const over = overByThen(this.#forgotten, event.key, event.time);
    return over.flatMap((hold) => this.#end(hold, "abandoned", event));
  }

  #extend(
    event: Extract<HistoryEvent, { f: "extend"; type: "ok" }>,
    invocation: InvocationEvent | undefined,
  ): readonly HoldChange[] {
    if (invocation?.f !== "extend") return [];
    const hold = this.find(event.key, event.value.owner, event.process);
    if (hold === undefined) return [];
    // The release that made it doubtful may have come after the extension.
    const isSettled = !this.#releases.mayFollow(event, invocation, hold.owner) && invocation.index > hold.changedIndex;
    // That release may have given up its first entry, so that the next one began the hold.
    const hasFewerEntries = hold.doubtful && isSettled && hold.depth > 1;
    if (event.time >= hold.leaseEnd || hasFewerEntries) this.#resume(hold, event);
    this.#leases.answered(hold, leaseOf({ invocation, completion: event }), invocation.index, event);
    if (isSettled) hold.doubtful = false;
    this.#move(hold, event.process);
    return [{ kind: "extended", hold }];
  }

  /**
   * Its owner has it although the lease may have been over, or it may have been given up: another acquire may have begun another,
   * for one release.
   */
  #resume(hold: Hold, event: HistoryEvent): void {
    if (hold.depth > 1) this.lasting.doubt(hold);
    hold.resumedIndex = event.index;
    hold.depth = 1;
  }

  /**
   * The lock renewed the lease by itself, for longer or for shorter. A notice about a lease that was given up changes
   * nothing.
   */
  #renew(event: RenewedEvent): readonly HoldChange[] {
    const { owner, validForMs, grantedAt } = event.value;
    const hold = this.find(event.key, owner, event.process);
    const begin = Math.min(grantedAt ?? event.time, event.time);
    const end = begin + validForMs * NANOSECONDS_PER_MS;
    if (hold === undefined) return [];
    const since = this.#leases.lastSet(hold);
    const endAtMost = Math.max(hold.leaseEndAtMost, event.time + validForMs * NANOSECONDS_PER_MS);
    const lease = { beginTime: since.time, end, endAtMost };
    hold.renewedSince = since;
    if (since.time > begin) {
      return this.#leases.possiblyRenewed(hold, lease) ? [{ kind: "possibly-renewed", hold }] : [];
    }
    if (event.time >= hold.leaseEnd) this.#resume(hold, event);
    this.#leases.renewed(hold, lease, event);
    this.#move(hold, event.process);
    return [{ kind: "extended", hold }];
  }

  /** A release found nothing: all that its owner held is gone, and its client knows it. */
  #miss(
    event: Extract<HistoryEvent, { f: "release"; type: "ok" }>,
    invocation: InvocationEvent | undefined,
  ): readonly HoldChange[] {
    if (invocation?.f !== "release") return [];
    const hold = this.#ownOf(event.key, invocation.value.owner, event.process);
    return hold === undefined || hold.grantedIndex > invocation.index ? [] : this.#lose(hold, event);
  }

  #lose(hold: Hold | undefined, event: Extract<HistoryEvent, { key: string; process: number }>): readonly HoldChange[] {
    doubtOthers(hold, event, [this.#open, this.#forgotten], this.lineage);
    return this.#end(hold, "lost", event);
  }

  /** Its client continues under this process number. An operation by another client leaves the hold where it is. */
  #move(hold: Hold, process: number): void {
    if (!this.sameClient(hold.currentProcess, process)) return;
    (hold.forgotten ? this.#forgotten : this.#open).move(hold, process);
  }

  #release(event: Extract<HistoryEvent, { f: "release"; type: "invoke" }>): readonly HoldChange[] {
    const hold = this.find(event.key, event.value.owner, event.process);
    if (hold === undefined) return doubtRenamed(event, [this.#open, this.#forgotten], this.lineage);
    if (!this.sameClient(hold.currentProcess, event.process)) this.#releases.handOn(event);
    doubtOthers(hold, event, [this.#open, this.#forgotten], this.lineage);
    if (hold.depth === 1) return this.#end(hold, "release", event);
    if (hold.maybeOfTwo) hold.doubtful = true;
    this.#move(hold, event.process);
    hold.depth -= 1;
    hold.innerRelease = { index: event.index, time: event.time, process: event.process };
    return [];
  }

  #strike(event: Extract<HistoryEvent, { type: "fault" }>): readonly HoldChange[] {
    if (mayLoseLocks(traitsOf(event.f)) && event.value.outcome !== "skipped") this.#lossIndex = event.index;
    const inOrder = bereavedBy(event, [this.#open, this.#forgotten], this.lineage);
    return inOrder.flatMap((hold) => this.#end(hold, "kill", event));
  }

  #end(hold: Hold | undefined, by: HoldEnd["by"], event: HistoryEvent): readonly HoldChange[] {
    if (hold === undefined) return [];
    hold.end = { by, index: event.index, time: event.time };
    // A client that is killed may have forgotten its hold long before.
    if (by === "release" || by === "lost") showMeant(hold, event, undefined, this.lineage);
    for (const holds of [this.#open, this.#forgotten]) holds.remove(hold);
    this.lasting.end(hold);
    return [{ kind: "ended", hold }];
  }
}
