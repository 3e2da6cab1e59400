import type { HistoryEvent, HistoryHeader } from "../../history/history.ts";
import { BegunBefore } from "../recorders/begun-before.ts";
import { ContentionWatch } from "./contention.ts";
import type { FaultTimeline } from "../../history/fault-timeline.ts";
import { beganFree, HeldBefore } from "./held-before.ts";
import { HoldTracker, type Hold, type HoldChange } from "../../history/holds.ts";
import { LeaseOverlaps } from "./lease-overlaps.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import { type InvocationEvent, OpenOperations } from "../../history/operations.ts";
import type { HistoryStep } from "./history-step.ts";
import { OwnerGrantLog } from "./owner-grants.ts";
import { shareOf } from "../../core/sharing.ts";
import { InterferenceLog } from "./interferences.ts";
import { PossibleReplacements } from "../recorders/possible-replacements.ts";
import { ReplacedHolds } from "../recorders/replaced-holds.ts";
import { RepeatedAcquires } from "../recorders/repeated-acquires.ts";
import { RenamedOwners } from "./renamed-owners.ts";
import { SharedOwners } from "./shared-owners.ts";
import { UNORDERED } from "../../history/unordered.ts";
import { ownerName } from "../../history/owner-value.ts";

/** How many holds are remembered of which their clients were told that they were lost. */
const REMEMBERED_LOST = 1000;

/**
 * What the checkers share: the open operations, the holds, the faults. It goes through the history once, one event
 * ahead of the checkers, and keeps only what is open (and the faults, which are few).
 */
export class SharedEvidence {
  readonly header: HistoryHeader;
  readonly holds: HoldTracker;
  readonly leases = new LeaseOverlaps();
  readonly faults: FaultTimeline;
  readonly interferences: InterferenceLog;
  readonly contention = new ContentionWatch();
  readonly heldBefore: HeldBefore;
  /**
   * By key, what P3 found wrong with its fencing tokens. P3 concludes before P8, which blames fencing tokens only for
   * these.
   */
  readonly tokenFaults = new Map<string, "token-rollback" | "token-overtaken">();
  /** By key and owner value, the last hold that its client was told to have lost. */
  readonly #lost = new OldestFirst<string, Hold>(REMEMBERED_LOST);
  /** Owner values that the lock replaced when it extended a lease. */
  readonly renamed: RenamedOwners;
  /** The grants of each owner value before the event that is judged. */
  readonly ownerGrants: OwnerGrantLog;
  readonly repeated: RepeatedAcquires;
  readonly begunBefore: BegunBefore;
  readonly #replacements: PossibleReplacements;
  readonly #replaced: ReplacedHolds;
  readonly #sharedOwners: SharedOwners;
  readonly #open = new OpenOperations();
  readonly #shareable = new Set<string>();
  #events = 0;
  #endTime = 0;
  #stoppedAt = 0;
  #hasUnorderedGrant = false;
  #firstCompletion: number | undefined;

  /** @param foreign whether another program recorded the history */
  constructor(header: HistoryHeader, foreign = false) {
    this.header = header;
    this.holds = new HoldTracker(header);
    this.interferences = new InterferenceLog(header.clients);
    this.renamed = new RenamedOwners({
      leaseEndOf: (key, owner, process) => this.#held(key, owner, process)?.leaseEndAtMost,
      mayBeGranted: (key, owner) => this.ownerGrants.mayKnow(key, this.repeated.seenAs(key, owner)),
      areOne: (one, other) => this.holds.lineage.areOne(one, other),
      sameClient: (one, other) => this.holds.sameClient(one, other) || this.holds.sameClient(other, one),
      mayContinue: (earlier, later) => this.holds.sameClient(earlier, later),
      mayFallSilent: foreign && header.clients === undefined,
    });
    this.repeated = new RepeatedAcquires(header, foreign, this.holds, (key, first) =>
      this.renamed.mayHaveDrawn(key, first),
    );
    this.begunBefore = new BegunBefore(beganFree(header));
    this.#replacements = new PossibleReplacements(this.holds);
    this.#replaced = new ReplacedHolds(this.holds, this.#replacements);
    this.faults = this.holds.faults;
    this.#sharedOwners = new SharedOwners((one, other) => this.holds.lineage.areOne(one, other));
    this.heldBefore = new HeldBefore(header);
    this.ownerGrants = new OwnerGrantLog(
      this.holds,
      this.heldBefore,
      (key, owner) => this.isSharedOwner(key, owner) || this.repeated.hasSeveral(key, owner),
    );
  }

  /** Whether all locks were certainly free when the history began. */
  get beganFree(): boolean {
    return beganFree(this.header);
  }

  /**
   * `otherwise`, which says that the history has none of these, unless a coarse clock leaves open when a grant was made: the history
   * may have some then.
   */
  noneInWords(what: string, otherwise: string): string {
    return this.#hasUnorderedGrant ? `by this coarse clock no ${what} has a certain place among the events` : otherwise;
  }

  /** Whether an operation may have been under way when the recording began, which may lack what others did meanwhile. */
  mayHaveBegunBefore({ index }: InvocationEvent): boolean {
    return !this.beganFree && (this.#firstCompletion === undefined || index < this.#firstCompletion);
  }

  /** Number of events so far. */
  get events(): number {
    return this.#events;
  }

  /** How many operations are invoked and not completed. */
  get openOperations(): number {
    return this.#open.size;
  }

  /** Time of the last event so far. */
  get endTime(): number {
    return this.#endTime;
  }

  /** When the clients were stopped, or the last event, if nothing says so. */
  get stoppedAt(): number {
    return Math.max(this.#stoppedAt, this.#endTime);
  }

  /** To be called after the last event, before anything is concluded from the end of the history. */
  stop(at: number): void {
    this.#stoppedAt = at;
  }

  /** Whether several clients may hold this key at a time, as some acquire of it has stated so far. */
  isShareable(key: string): boolean {
    return this.#shareable.has(key);
  }

  /** Drops what is known of a key that will not be used again. No operation on it may be open. */
  conclude(key: string): void {
    this.holds.conclude(key);
    this.interferences.forget(key);
    this.contention.conclude(key);
    this.heldBefore.conclude(key);
    this.ownerGrants.conclude(key);
    this.#replacements.conclude(key);
    this.#shareable.delete(key);
  }

  /** A recorded event as the checkers should see it. */
  read<E extends HistoryEvent>(event: E): E {
    return this.repeated.read(this.renamed.named(event));
  }

  push(event: HistoryEvent): HistoryStep {
    this.#events += 1;
    this.#endTime = event.time;
    if (event.type === "invoke" && event.f === "acquire" && shareOf(event.value).kind !== "exclusive") {
      this.#shareable.add(event.key);
    }
    const invocation = this.#open.push(event);
    if (event.type === "info" && event.f === "acquire" && event.value?.reason === UNORDERED)
      this.#hasUnorderedGrant = true;
    if (invocation !== undefined) this.#firstCompletion ??= event.index;
    this.contention.push(event, this.holds);
    this.#replacements.push(event);
    const changes = this.holds.push(event, invocation);
    this.#sharedOwners.push(event);
    this.begunBefore.push({ event, invocation });
    this.#rememberLost(changes);
    this.heldBefore.push(event, invocation);

    this.interferences.push(event, invocation, this.#ownHold(event.type === "invoke" ? event : invocation, changes));
    const leaseOverlaps = this.leases.push({ event, invocation, changes }, this.holds);
    return { event, invocation, changes, leaseOverlaps, loss: this.#replaced.push({ event, changes }) };
  }

  /** The hold under this owner value, which may stand for another one. */
  #held(key: string, owner: string, process: number): Hold | undefined {
    return this.holds.find(key, this.repeated.seenAs(key, owner), process);
  }

  /** To be called when the checkers have judged this step: they ask what was granted before it. */
  judged(step: HistoryStep): void {
    this.ownerGrants.push(step);
  }

  /** Whether several clients use this owner value of a key, as the history has shown so far. */
  isSharedOwner(key: string, owner: string): boolean {
    return this.#sharedOwners.has(key, owner);
  }

  /** Whether this release or extension refers to no known grant. `changes` are those of its own step. */
  isStranger(
    event: { readonly key: string; readonly process: number; readonly value: { readonly owner?: string } },
    { changes }: Pick<HistoryStep, "changes">,
  ): boolean {
    const { owner } = event.value;
    if (owner === undefined || changes.some(({ hold }) => hold.owner === owner)) return false;
    return this.holds.find(event.key, owner, event.process) === undefined;
  }

  /**
   * Whether an acquire may be under way that begins the hold to which this release or extension refers: of its client, or of
   * another that uses the same owner value.
   */
  isAsking({
    key,
    process,
    value,
  }: Extract<HistoryEvent, { type: "invoke"; f: "acquire" | "release" | "extend" }>): boolean {
    if (this.holds.isAsking(key, process)) return true;
    return (
      "owner" in value &&
      typeof value.owner === "string" &&
      this.openOperations > 1 &&
      this.#sharedOwners.has(key, value.owner)
    );
  }

  /** The same at the completion of this operation; false for one that refers to no hold. */
  isAskingFor(invocation: InvocationEvent | undefined): boolean {
    return (invocation?.f === "release" || invocation?.f === "extend") && this.isAsking(invocation);
  }

  /** The hold to which a release or an extension refers, as far as is known now. */
  #ownHold(event: InvocationEvent | undefined, changes: readonly HoldChange[]): Hold | undefined {
    if (event?.f !== "release" && event?.f !== "extend") return undefined;
    const { owner } = event.value;
    return (
      changes.find(({ hold }) => hold.owner === owner)?.hold ??
      this.holds.find(event.key, owner, event.process) ??
      this.#lost.get(ownerName(event.key, owner)) ??
      this.#enteredHold(event.key, owner)
    );
  }

  /** The hold of an owner that released it less often than it was granted it: nobody knows which of the grants only renewed the lease. */
  #enteredHold(key: string, owner: string): Hold | undefined {
    const grants = this.ownerGrants.of(key, owner);
    return grants !== undefined && grants.entries > 0 ? grants.hold : undefined;
  }

  /**
   * Its client may release what it was told to have lost, or seems to have forgotten, and find it; or it releases what it is granted
   * before that answer comes.
   */
  #rememberLost(changes: readonly HoldChange[]): void {
    for (const { kind, hold } of changes) {
      if (kind !== "ended" || hold.end === undefined) continue;
      const { by, index } = hold.end;
      if (by === "lost" || by === "abandoned" || index < hold.grantedIndex)
        this.#lost.set(ownerName(hold.key, hold.owner), hold);
    }
  }
}
