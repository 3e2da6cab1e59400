import type { Hypothesis, Property, PropertyVerdict, Violation } from "../../core/verdict.ts";
import { earlyEnds, losses, promiseHypotheses } from "../causes/causes.ts";
import type { Checker, CheckerFactory } from "../checker.ts";
import { type Configuration, isDisordered } from "../linearizability/configuration.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import { explain } from "../explanation.ts";
import { ofNoOrder, ofTheLock, unexplainedRefusal } from "../causes/impossible-answers.ts";
import { Findings, notApplicable, unknown, VALID } from "../findings.ts";
import type { Hold } from "../../history/holds.ts";
import { HoldsOfOperations } from "../linearizability/holds-of-operations.ts";
import type { LinearizabilityOptions } from "./linearizability-options.ts";
import { UnseenHolds } from "../linearizability/unseen-holds.ts";
import type { FaultEvent } from "../../history/history.ts";
import { EarlyEvents, isOfLock, type LockEvent } from "../linearizability/sharing/lock-events.ts";
import { KeyOperations } from "../linearizability/key-operations.ts";
import { StrangersSeen } from "../linearizability/sharing/strangers-seen.ts";
import { KeptRoom } from "../linearizability/search/kept-operations.ts";
import { invoked } from "../linearizability/invoked.ts";
import { asHeard, renewalOf } from "../linearizability/as-heard.ts";
import type { Impossible } from "../linearizability/follower.ts";
import { lockModel, type LockModel, type LockModelName, type LockOperation } from "../linearizability/lock-models.ts";
import { holder } from "./mutual-exclusion.ts";
import { inOnePiece } from "../evidence/pieces.ts";
import { MOST_STEPS, StepBudget } from "../linearizability/step-budget.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import type { Interference } from "../evidence/interferences.ts";
import { overtakenHypotheses, tokenHypotheses } from "../causes/token-causes.ts";
import { listed } from "../../core/listed.ts";
import { clientInWords } from "../words.ts";
import { duringInWords, resultInWords, sharedStateInWords, stateInWords } from "./operation-words.ts";

const PROPERTY: Property = "linearizability";
const DEFAULT_MODEL: LockModelName = "reentrant-fenced-mutex";
const MOST_NAMED = 3;
/** How many steps, for all keys together, show whether an acquire of unknown outcome was counted twice: about a second. */
const STEPS_FOR_TWINS = 10_000_000;
const MIXED = "it is acquired both as a lock of one owner and as one that several may hold at a time";
const UNSTATED = "it was held before the history began, and no acquire states how it is shared";
const OWNERLESS = "a lock without owners has one holder, and several clients may hold this one at a time";

/**
 * P8, linearizability: some order of the operations explains all results by the sequential specification of a lock, with each
 * operation taking effect at one instant between its invocation and its completion. A lease may expire from its grant (or
 * extension) plus the TTL on, less the allowance for clock drift, or from the moment at which its holder learned of the loss.
 */
export function linearizability(options: LinearizabilityOptions = {}): CheckerFactory {
  return { property: PROPERTY, create: (evidence) => new Linearizability(evidence, options) };
}

class Linearizability implements Checker {
  readonly #evidence: SharedEvidence;
  readonly #model: LockModel;
  readonly #observeContention: boolean;
  readonly #findings = new Findings(PROPERTY);
  readonly #keys = new Map<string, KeyOperations>();
  readonly #early = new EarlyEvents<HistoryStep>();
  readonly #strangers = new StrangersSeen();
  readonly #unseen: UnseenHolds;
  /** Keys of which an acquire has stated how it shares them. As long as none did share, they are among the others too. */
  readonly #shared = new Map<string, KeyOperations>();
  /** Keys of which an acquire has not stated this. */
  readonly #plain = new Set<string>();
  readonly #budget: StepBudget;
  readonly #twinBudget = new StepBudget(STEPS_FOR_TWINS);
  readonly #room = new KeptRoom();
  readonly #holds = new HoldsOfOperations();
  /** Keys on which some operation succeeded. */
  readonly #granted = new Set<string>();
  /** Whether some operation succeeded on a key that is concluded. */
  #grantedBefore = false;
  /** The first keys, with the reason, that even the general search did not decide, and how many there are. */
  readonly #unsettled: string[] = [];
  #unsettledCount = 0;
  /** Keys that several clients may hold at a time and that are not decided, with the reason. */
  readonly #undecided = new Map<string, string>();

  constructor(evidence: SharedEvidence, options: LinearizabilityOptions) {
    this.#evidence = evidence;
    this.#model = lockModel(options.model ?? DEFAULT_MODEL, { beganFree: evidence.beganFree });
    this.#unseen = new UnseenHolds(evidence.holds.lineage);
    this.#observeContention = options.observeContention ?? false;
    this.#budget = options.budget ?? new StepBudget(MOST_STEPS);
  }

  get remarks(): readonly string[] {
    const [first] = this.#undecided;
    if (first === undefined || this.#granted.size === 0) return this.#findings.remarks;
    return [...this.#findings.remarks, `the operations on ${first[0]} are not decided: ${first[1]}`];
  }

  push(step: HistoryStep): void {
    const { event } = step;
    if (event.type === "fault") this.#bereave(step, event);
    this.#unseen.push(step);
    if (!isOfLock(event) || this.#undecided.has(event.key)) return;
    const why = this.#sort(event, step);
    if (why !== undefined) return this.#undecide(event.key, why);
    for (const operations of this.#following(event.key)) {
      const wasFollowing = operations.progress.state === "following";
      this.#tell(operations, event, step);
      const isJudged = operations === this.#of(event.key) && this.#isSorted(event.key);
      if (wasFollowing && isJudged) this.#report(event.key, operations);
    }
    if (event.type === "ok") this.#granted.add(event.key);
    if (event.type === "ok" && event.f === "extend" && this.#evidence.isStranger(event, step)) {
      this.#unseen.keep({ key: event.key, owner: event.value.owner, process: event.process });
    }
  }

  /** Learns how a key is shared. Returns why it cannot be decided, if so. */
  #sort(event: LockEvent, step: HistoryStep): string | undefined {
    const { key } = event;
    if (event.type === "invoke" && event.f === "acquire") {
      const states = event.value.limit !== undefined || event.value.mode !== undefined;
      const early = this.#early.take(key);
      if (!states) this.#takeAsPlain(key);
      else if (!this.#shared.has(key)) {
        const operations = this.#fresh(true);
        this.#shared.set(key, operations);
        for (const before of early) this.#tell(operations, before.event, before.step);
      }
    } else if (!this.#plain.has(key) && !this.#shared.has(key)) this.#early.add(event, step);
    if (!this.#evidence.isShareable(key)) return undefined;
    if (!this.#model.ownerAware) return OWNERLESS;
    if (this.#plain.has(key)) return MIXED;
    this.#forgetOperations(key, [this.#keys]);
    return undefined;
  }

  /** Whether it is known how the key is shared: two holds from before the history may share it until an acquire denies it. */
  #isSorted(key: string): boolean {
    const isKnown = this.#evidence.beganFree || this.#plain.has(key) || this.#evidence.isShareable(key);
    return isKnown || !this.#strangers.areSeveral(key);
  }

  #takeAsPlain(key: string): void {
    const wasSorted = this.#isSorted(key);
    this.#plain.add(key);
    const operations = this.#keys.get(key);
    if (!wasSorted && operations !== undefined) this.#report(key, operations);
  }

  #undecide(key: string, why: string): void {
    this.#undecided.set(key, why);
    this.#forgetOperations(key);
    for (const known of [this.#plain, this.#granted]) known.delete(key);
  }

  #forgetOperations(key: string, among = [this.#keys, this.#shared]): void {
    for (const known of among) {
      known.get(key)?.conclude();
      known.delete(key);
    }
  }

  /** What follows the operations on a key: until it is known whether several may hold it, both. */
  #following(key: string): readonly KeyOperations[] {
    const shared = this.#shared.get(key);
    if (shared === undefined) return [this.#of(key)];
    return this.#evidence.isShareable(key) ? [shared] : [this.#of(key), shared];
  }

  #tell(operations: KeyOperations, event: LockEvent, step: HistoryStep): void {
    const { invocation } = step;
    if (operations.leavesOut(event)) return;
    if (event.type === "renewed") {
      operations.renew(event, renewalOf(event, step, this.#evidence));
    } else if (event.type === "lost") operations.lose(event);
    else if (event.type === "invoke") {
      const isStranger = invoked(operations, event, step, this.#evidence);
      if (isStranger && event.f !== "acquire") this.#strangers.note(event.key, event.value.owner);
    } else {
      if (step.loss !== undefined) operations.lose(step.loss);
      const isAsking = this.#evidence.isAskingFor(invocation);
      const operation = operations.complete(asHeard(event, step, this.#evidence), isAsking);
      if (operation !== undefined) this.#holds.note(operation, step, this.#evidence);
    }
  }

  finish(): PropertyVerdict {
    return inOnePiece(this.finishing());
  }

  *finishing(): Generator<undefined, PropertyVerdict> {
    for (const [key, operations] of this.#keys) yield* this.#sortAndDecide(key, operations);
    for (const [key, operations] of this.#shared) {
      if (this.#evidence.isShareable(key)) yield* this.#decide(key, operations);
    }
    const more = this.#unsettledCount - this.#unsettled.length;
    const unsettledReason = `not decided for ${listed(this.#unsettled)}${more > 0 ? ` and ${more} more` : ""}`;
    const [why] = this.#undecided.values();
    const nothing = why ?? this.#evidence.noneInWords("success", "no operation on a lock succeeded");
    const otherwise = this.#granted.size > 0 || this.#grantedBefore ? VALID : notApplicable(nothing);
    return this.#findings.verdict(this.#unsettledCount > 0 ? unknown(unsettledReason) : otherwise);
  }

  conclude(key: string): void {
    const operations = this.#evidence.isShareable(key) ? this.#shared.get(key) : this.#keys.get(key);
    if (operations !== undefined) inOnePiece(this.#sortAndDecide(key, operations));
    this.#forgetOperations(key);
    this.#plain.delete(key);
    this.#early.take(key);
    this.#strangers.forget(key);
    if (this.#granted.delete(key)) this.#grantedBefore = true;
  }

  /** What one owner at a time does not explain, several may, where holds from before the history may have shared the key. */
  *#sortAndDecide(key: string, operations: KeyOperations): Generator<undefined, void> {
    const isSorted = this.#isSorted(key);
    if (!isSorted && operations.finish().state === "following") return;
    const judge = isSorted ? operations : this.#shared.get(key);
    if (judge === undefined) return this.#unsettle(key, UNSTATED);
    if (!isSorted) this.#report(key, judge);
    yield* this.#decide(key, judge);
  }

  *#decide(key: string, operations: KeyOperations): Generator<undefined, void> {
    const wasFollowing = operations.progress.state === "following";
    const progress = operations.finish();
    if (wasFollowing) this.#report(key, operations);
    // A client library may send an acquire twice where connections break: then it may count twice.
    if (operations.maySpendTwice && !this.#evidence.faults.mayHaveBrokenConnections(0, this.#evidence.endTime)) {
      const once = yield* operations.searching(this.#twinBudget);
      if (once === "not-linearizable") this.#findings.add(() => this.#asAWhole(key, operations));
    }
    if (progress.state !== "general") return;
    const outcome = yield* operations.searching();
    if (outcome === "not-linearizable") this.#findings.add(() => this.#asAWhole(key, operations));
    if (outcome === "unknown") this.#unsettle(key, progress.why);
  }

  #unsettle(key: string, why: string): void {
    this.#unsettledCount += 1;
    if (this.#unsettled.length < MOST_NAMED) this.#unsettled.push(`${key}: ${why}`);
  }

  /** Nobody is left to rely on the hold of a dead client: the lock may notice the death, and free the key. */
  #bereave({ changes }: HistoryStep, fault: FaultEvent): void {
    const { index, time } = fault;
    const dead = changes.filter(({ kind }) => kind === "ended").map(({ hold }) => hold);
    const seen = dead.map(({ key, owner, currentProcess: process }) => ({ key, owner, process }));
    for (const { key, owner, process } of [...seen, ...this.#unseen.bereavedBy(fault)]) {
      if (this.#undecided.has(key)) continue;
      for (const operations of this.#following(key)) operations.lose({ process, index, time, value: { owner } });
    }
  }

  /** What decides a key, as far as is known now. */
  #of(key: string): KeyOperations {
    const known = this.#evidence.isShareable(key) ? this.#shared.get(key) : this.#keys.get(key);
    if (known !== undefined) return known;
    const fresh = this.#fresh(false);
    this.#keys.set(key, fresh);
    return fresh;
  }

  #fresh(shares: boolean): KeyOperations {
    const { holds } = this.#evidence;
    return new KeyOperations(
      this.#model,
      // A try that was refused may have found too little room, although somebody held less than all of it.
      this.#observeContention && !shares,
      this.#room,
      undefined,
      this.#budget,
      holds.lineage,
      shares,
    );
  }

  #report(key: string, operations: KeyOperations): void {
    const { progress } = operations;
    if (progress.state === "impossible") {
      const interferences = this.#evidence.interferences.of(key);
      this.#findings.add(() => this.#describe(key, operations, progress.impossible, interferences));
    }
    if (progress.state === "unexplained-refusal")
      this.#findings.add(() => unexplainedRefusal(key, progress.before, this.#evidence));
  }

  #describe(
    key: string,
    operations: KeyOperations,
    { operation, before, beside }: Impossible,
    interferences: readonly Interference[],
  ): Violation {
    const { header } = this.#evidence;
    const mine = this.#holds.begunBy(operation);
    const theirs = before.grant && this.#holds.heldBy(before.grant);
    const ofTokens = operations.hasOrderOnlyWithoutTokens(operation);
    const client = (process: number): string => clientInWords(header, process);
    const state = ofTokens
      ? "an order exists only if the fencing tokens are ignored"
      : operations === this.#shared.get(key)
        ? sharedStateInWords(before, beside, client)
        : stateInWords(before, operation, client);
    const heldBy = typeof before.state.holder === "string" ? [before.grant?.stated ?? before.state.holder] : [];
    const holders =
      mine === undefined || theirs === undefined ? {} : { holders: [holder(theirs), holder(mine)] as const };
    const account =
      `No order of the operations on ${key} explains that ${clientInWords(header, operation.process)} ${resultInWords(operation, heldBy)} ` +
      `${duringInWords(operation)}${this.#underModel()}: ${state}.`;
    // What made it free shows why it could not be released or extended.
    const freed =
      !ofTokens && before.state.holder === undefined && before.point.index >= 0 ? before.point.index : undefined;
    // A grant of unknown outcome was never completed.
    const grants = (beside ?? [before.grant]).map((grant) =>
      grant?.required === true ? grant.completed : grant?.invoked,
    );
    const events = [...grants, freed, operation.invoked, operation.completed];
    return {
      ...explain(account, events, this.#hypotheses(key, operation, { before, ofTokens }, mine, theirs, interferences)),
      ...holders,
    };
  }

  /** The model, where the user has chosen it. The default allows whatever a sound lock may answer. */
  #underModel(): string {
    return this.#model.name === DEFAULT_MODEL ? "" : `, given the model ${this.#model.name}`;
  }

  /** What may have made an operation impossible, the most likely first. */
  #hypotheses(
    key: string,
    operation: LockOperation,
    { before, ofTokens }: { readonly before: Configuration; readonly ofTokens: boolean },
    mine: Hold | undefined,
    theirs: Hold | undefined,
    interferences: readonly Interference[],
  ): readonly Hypothesis[] {
    const since = before.grant?.invokedTime ?? 0;
    const disordered = isDisordered(operation, before);
    const isGrantable = before.state.holder === undefined || before.state.holder === operation.owner;
    const met = mine === undefined || theirs === undefined ? undefined : this.#evidence.leases.between(mine, theirs);
    // A grant beside another's lease is impossible whatever its fencing token is.
    if (met !== undefined && !isGrantable) return promiseHypotheses(met, this.#evidence, interferences);
    // Another answer than a grant has no fencing token: the grants before it were put in the order of theirs.
    const isOfGrants = ofTokens && operation.kind !== "acquire";
    const tokenFault = disordered || isOfGrants ? this.#evidence.tokenFaults.get(key) : undefined;
    // The answer to a holder shows no more than that its hold is over; another grant shows that it is another's.
    const granted = operation.kind === "acquire" && !isGrantable ? operation.owner : undefined;
    const until = { index: operation.completed, time: operation.completedTime, owner: granted };
    // The answers that do not depend on the fencing tokens have an order, without anybody having taken the lock.
    const ends =
      !ofTokens && (operation.kind === "miss" || granted !== undefined) && theirs !== undefined
        ? earlyEnds(theirs, since, until, this.#evidence, interferences)
        : undefined;
    if (tokenFault !== undefined) {
      const hypotheses = tokenFault === "token-rollback" ? tokenHypotheses : overtakenHypotheses;
      // A lost lease explains a grant beside it, whatever its fencing token is.
      return [...(ends ?? []), ...hypotheses(since, operation.completedTime, this.#evidence)];
    }
    if (met !== undefined) return promiseHypotheses(met, this.#evidence, interferences);
    return [
      ...(ends ?? losses(since, operation.completedTime, this.#evidence)),
      ofTokens || (disordered && isGrantable)
        ? ofNoOrder(this.#evidence)
        : ofTheLock(operation, theirs, this.#evidence, interferences),
    ];
  }

  /** What the general search has found: it tries all orders, and knows no state before the operation that none explains. */
  #asAWhole(key: string, operations: KeyOperations): Violation {
    const operation = operations.firstUnexplained();
    const all = `${this.#underModel()}; all orders were tried`;
    if (operation === undefined) {
      const account = `No order of the operations on ${key} explains their results${all}.`;
      return explain(account, [], [ofNoOrder(this.#evidence)]);
    }
    const { process, invoked, completed, completedTime } = operation;
    const account =
      `No order of the operations on ${key} explains that ${clientInWords(this.#evidence.header, process)} ${resultInWords(operation, [])} ` +
      `${duringInWords(operation)}${all}.`;
    const mine = this.#holds.begunBy(operation);
    const met = mine === undefined ? undefined : this.#evidence.leases.firstBegunBy(mine);
    const interferences = this.#evidence.interferences.of(key);
    const theirs = this.#holds.beside(operation);
    if (met === undefined && mine !== undefined && theirs !== undefined) {
      const until = { index: completed, time: completedTime, owner: mine.owner };
      const ends = earlyEnds(theirs, theirs.invokedTime, until, this.#evidence, interferences);
      const holders = [holder(theirs), holder(mine)] as const;
      return {
        ...explain(account, [theirs.grantedIndex, invoked, completed], [...ends, ofNoOrder(this.#evidence)]),
        holders,
      };
    }
    if (met === undefined) {
      const found = losses(theirs?.invokedTime ?? 0, completedTime, this.#evidence);
      const isTaken = theirs !== undefined && !operations.hasOrderOnlyWithoutTokens(operation);
      const own = isTaken ? ofTheLock(operation, theirs, this.#evidence, interferences) : ofNoOrder(this.#evidence);
      return explain(account, [theirs?.grantedIndex, invoked, completed], [...found, own]);
    }
    const hypotheses = promiseHypotheses(met, this.#evidence, interferences);
    const holders = [holder(met.first), holder(met.second)] as const;
    return { ...explain(account, [met.first.grantedIndex, invoked, completed], hypotheses), holders };
  }
}
