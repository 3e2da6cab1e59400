import { isEndless } from "../../history/holds/endless-lease.ts";
import type { Hypothesis, Property, PropertyVerdict, Violation } from "../../core/verdict.ts";
import { rivalsOf } from "../evidence/overlaps.ts";
import { byElimination, earlyEnds, losses, promiseHypotheses } from "../causes/causes.ts";
import type { Checker, CheckerFactory } from "../checker.ts";
import type { Configuration } from "../linearizability/configuration.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import { explain } from "../explanation.ts";
import { Findings, notApplicable, unknown, VALID } from "../findings.ts";
import type { Hold } from "../../history/holds.ts";
import { KeyOperations, type KeyProgress } from "../linearizability/key-operations.ts";
import { keptBeside } from "../linearizability/kept-operations.ts";
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
import { shortOwner } from "../../history/owner-value.ts";
import { clientInWords, timeWords } from "../words.ts";

export interface LinearizabilityOptions {
  /** The sequential specification. If absent, the most permissive one that knows owners and fencing tokens. */
  readonly model?: LockModelName;
  /** Whether a contended refusal proves that somebody held the lock. If not, a failed try proves nothing. */
  readonly observeContention?: boolean;
  /** The greatest number of steps for the whole history. Default: a hundred million. */
  readonly budget?: StepBudget;
}

const PROPERTY: Property = "linearizability";
const DEFAULT_MODEL: LockModelName = "reentrant-fenced-mutex";
/** How many keys that are not decided are named. */
const MOST_NAMED = 3;
/** How many steps, for all keys together, show whether an acquire of unknown outcome was counted twice: about a second. */
const STEPS_FOR_TWINS = 10_000_000;
const SHARED = "the models know one holder, and several clients may hold this lock at a time";

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
  readonly #budget: StepBudget;
  readonly #twinBudget = new StepBudget(STEPS_FOR_TWINS);
  /** The hold that an acquire began, for explanations. */
  readonly #holds = new WeakMap<LockOperation, Hold>();
  /** The latest hold beside which another one was granted, by the operation that was granted it. */
  readonly #beside = new WeakMap<LockOperation, Hold>();
  /** Keys on which some operation succeeded. */
  readonly #granted = new Set<string>();
  /** Whether some operation succeeded on a key that is concluded. */
  #grantedBefore = false;
  /** The first keys, with the reason, that even the general search did not decide, and how many there are. */
  readonly #unsettled: string[] = [];
  #unsettledCount = 0;
  /** Keys that several clients may hold at a time: the models know one holder. */
  readonly #undecided = new Set<string>();

  constructor(evidence: SharedEvidence, options: LinearizabilityOptions) {
    this.#evidence = evidence;
    this.#model = lockModel(options.model ?? DEFAULT_MODEL, { beganFree: evidence.beganFree });
    this.#observeContention = options.observeContention ?? false;
    this.#budget = options.budget ?? new StepBudget(MOST_STEPS);
  }

  get remarks(): readonly string[] {
    const [key] = this.#undecided;
    const some = key !== undefined && this.#granted.size > 0;
    return [...this.#findings.remarks, ...(some ? [`the operations on ${key} are not decided: ${SHARED}`] : [])];
  }

  push(step: HistoryStep): void {
    const { event } = step;
    if (event.type === "fault") this.#bereave(step);
    if (event.type === "fault" || event.type === "audit") return;
    if ("key" in event && this.#evidence.isShareable(event.key)) {
      this.#undecided.add(event.key);
      this.#keys.delete(event.key);
      this.#granted.delete(event.key);
      return;
    }
    if (event.type === "renewed") {
      const { since, isAsking } = renewalOf(event, step, this.#evidence);
      const operations = this.#of(event.key);
      const wasFollowing = operations.progress.state === "following";
      operations.renew(event, since, isAsking);
      if (wasFollowing) this.#report(event.key, operations.progress);
      return;
    }
    if (event.type === "lost") {
      this.#of(event.key).lose(event);
      return;
    }
    if (event.f !== "acquire" && event.f !== "release" && event.f !== "extend") return;
    const operations = this.#of(event.key);
    const wasFollowing = operations.progress.state === "following";
    if (event.type === "invoke") {
      const isStranger = event.f !== "acquire" && this.#evidence.isStranger(event, step);
      operations.invoke(event, isStranger, this.#evidence.isAsking(event));
    } else {
      const { invocation } = step;
      const isAsking = this.#evidence.isAskingFor(invocation);
      const operation = operations.complete(asHeard(event, invocation, this.#evidence), isAsking);
      const granted = step.changes.find(({ kind }) => kind === "granted");
      if (operation !== undefined && granted !== undefined) this.#remember(operation, granted.hold);
      if (event.type === "ok") this.#granted.add(event.key);
    }
    if (wasFollowing) this.#report(event.key, operations.progress);
  }

  finish(): PropertyVerdict {
    return inOnePiece(this.finishing());
  }

  *finishing(): Generator<undefined, PropertyVerdict> {
    for (const [key, operations] of this.#keys) yield* this.#decide(key, operations);
    const more = this.#unsettledCount - this.#unsettled.length;
    const unsettledReason = `not decided for ${listed(this.#unsettled)}${more > 0 ? ` and ${more} more` : ""}`;
    const nothing = this.#undecided.size > 0 ? SHARED : "no operation on a lock succeeded";
    const otherwise = this.#granted.size > 0 || this.#grantedBefore ? VALID : notApplicable(nothing);
    return this.#findings.verdict(this.#unsettledCount > 0 ? unknown(unsettledReason) : otherwise);
  }

  conclude(key: string): void {
    const operations = this.#keys.get(key);
    if (operations !== undefined) inOnePiece(this.#decide(key, operations));
    this.#keys.delete(key);
    if (this.#granted.delete(key)) this.#grantedBefore = true;
  }

  *#decide(key: string, operations: KeyOperations): Generator<undefined, void> {
    const wasFollowing = operations.progress.state === "following";
    const progress = operations.finish();
    if (wasFollowing) this.#report(key, progress);
    // A client library may send an acquire twice where connections break: then it may count twice.
    if (operations.maySpendTwice && !this.#evidence.faults.mayHaveBrokenConnections(0, this.#evidence.endTime)) {
      const once = yield* operations.searching(this.#twinBudget);
      if (once === "not-linearizable") this.#findings.add(() => this.#asAWhole(key, operations));
    }
    if (progress.state !== "general") return;
    const outcome = yield* operations.searching();
    if (outcome === "not-linearizable") this.#findings.add(() => this.#asAWhole(key, operations));
    if (outcome !== "unknown") return;
    this.#unsettledCount += 1;
    if (this.#unsettled.length < MOST_NAMED) this.#unsettled.push(`${key}: ${progress.why}`);
  }

  /** Nobody is left to rely on the hold of a dead client: the lock may notice the death, and free the key. */
  #bereave({ event: { index, time }, changes }: HistoryStep): void {
    for (const { kind, hold } of changes) {
      if (kind !== "ended" || this.#evidence.isShareable(hold.key)) continue;
      this.#of(hold.key).lose({ process: hold.currentProcess, index, time, value: { owner: hold.owner } });
    }
  }

  #of(key: string): KeyOperations {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const { holds } = this.#evidence;
    const fresh = new KeyOperations(
      this.#model,
      this.#observeContention,
      keptBeside(this.#keys.size),
      undefined,
      this.#budget,
      (earlier, later) => holds.sameClient(earlier, later),
    );
    this.#keys.set(key, fresh);
    return fresh;
  }

  #remember(operation: LockOperation, hold: Hold): void {
    this.#holds.set(operation, hold);
    const [rival] = rivalsOf(hold, this.#evidence.holds.latest(hold.key));
    if (rival !== undefined) this.#beside.set(operation, rival);
  }

  #report(key: string, progress: KeyProgress): void {
    if (progress.state === "impossible") {
      const interferences = this.#evidence.interferences.of(key);
      const operations = this.#of(key);
      this.#findings.add(() => this.#describe(key, operations, progress.impossible, interferences));
    }
    if (progress.state === "unexplained-refusal") this.#findings.add(() => this.#refusal(key, progress.before));
  }

  #describe(
    key: string,
    operations: KeyOperations,
    { operation, before }: Impossible,
    interferences: readonly Interference[],
  ): Violation {
    const { header } = this.#evidence;
    const [mine, theirs] = [this.#holds.get(operation), before.grant && this.#holds.get(before.grant)];
    const ofTokens = operations.hasOrderWithoutTokens(operation);
    const state = ofTokens
      ? "an order exists only if the fencing tokens are ignored"
      : stateInWords(before, operation, (process) => clientInWords(header, process));
    const heldBy = typeof before.state.holder === "string" ? [before.state.holder] : [];
    const holders =
      mine === undefined || theirs === undefined ? {} : { holders: [holder(theirs), holder(mine)] as const };
    const account =
      `No order of the operations on ${key} explains that ${clientInWords(header, operation.process)} ${resultInWords(operation, heldBy)} ` +
      `${duringInWords(operation)}${this.#underModel()}: ${state}.`;
    // What made it free shows why it could not be released or extended.
    const freed =
      !ofTokens && before.state.holder === undefined && before.point.index >= 0 ? before.point.index : undefined;
    const events = [before.grant?.completed, freed, operation.invoked, operation.completed];
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
    if (tokenFault !== undefined) {
      const hypotheses = tokenFault === "token-rollback" ? tokenHypotheses : overtakenHypotheses;
      return hypotheses(since, operation.completedTime, this.#evidence);
    }
    if (met !== undefined) return promiseHypotheses(met, this.#evidence, interferences);
    // The answer to a holder shows no more than that its hold is over; another grant shows that it is another's.
    const granted = operation.kind === "acquire" && !isGrantable ? operation.owner : undefined;
    const until = { index: operation.completed, time: operation.completedTime, owner: granted };
    return [
      // The answers that do not depend on the fencing tokens have an order, without anybody having taken the lock.
      ...(!ofTokens && (operation.kind === "miss" || granted !== undefined) && theirs !== undefined
        ? earlyEnds(theirs, since, until, this.#evidence, interferences)
        : losses(since, operation.completedTime, this.#evidence)),
      ofTokens || (disordered && isGrantable) ? this.#ofNoOrder() : this.#ofTheLock(operation),
    ];
  }

  /** The lock itself is the cause. */
  #ofTheLock({ kind, validUntil = Infinity, completedTime }: LockOperation): Hypothesis {
    if (kind === "extend" && validUntil <= completedTime) {
      const why =
        "the lock reported success when the lease was over: it must compare the elapsed time with the TTL and refuse";
      return this.#blame("expired-grant", why);
    }
    switch (kind) {
      case "release":
      case "lose":
      case "extend":
        return this.#blame("foreign-release", "the lock reported success, although this owner cannot have held it");
      case "miss":
        return this.#blame("lost-early", `the lock ended or deleted the lease too early${this.#orAnother}`);
      case "contended":
        return this.#blame("refused-while-free", "the lock refused it although no client can have held the lock");
      case "acquire":
      case "reenter":
        return this.#blame("double-grant", "the lock granted it while another client had a lease");
    }
  }

  /** In a run of lockstorm nothing but the lock touches its keys. */
  get #orAnother(): string {
    return this.#evidence.beganFree ? "" : ", or another program deleted the key";
  }

  /** Its fencing token contradicts an earlier answer of the lock, and it is unknown which of the two is wrong. */
  #ofNoOrder(): Hypothesis {
    return this.#blame("contradiction", "the lock's answers contradict each other");
  }

  #blame(cause: Hypothesis["cause"], why: string): Hypothesis {
    return byElimination(cause, why, this.#evidence);
  }

  #refusal(key: string, { owed, point }: Configuration): Violation {
    const account = `An acquire of ${key} was refused as contended at ${timeWords(owed?.time ?? 0)}, but from ${timeWords(point.time)} on no client can have held it.`;
    const why = "the lock refused it although no client held the lock";
    return explain(account, [owed?.index], [this.#blame("refused-while-free", why)]);
  }

  /** What the general search has found: it tries all orders, and knows no state before the operation that none explains. */
  #asAWhole(key: string, operations: KeyOperations): Violation {
    const operation = operations.firstUnexplained();
    const all = `${this.#underModel()}; the general search tried all of them`;
    if (operation === undefined) {
      return explain(`No order of the operations on ${key} explains their results${all}.`, [], [this.#ofNoOrder()]);
    }
    const { process, invoked, completed, completedTime } = operation;
    const account =
      `No order of the operations on ${key} explains that ${clientInWords(this.#evidence.header, process)} ${resultInWords(operation, [])} ` +
      `${duringInWords(operation)}${all}.`;
    const mine = this.#holds.get(operation);
    const met = mine === undefined ? undefined : this.#evidence.leases.firstBegunBy(mine);
    const interferences = this.#evidence.interferences.of(key);
    const theirs = this.#beside.get(operation);
    if (met === undefined && mine !== undefined && theirs !== undefined) {
      const until = { index: completed, time: completedTime, owner: mine.owner };
      const ends = earlyEnds(theirs, theirs.invokedTime, until, this.#evidence, interferences);
      const holders = [holder(theirs), holder(mine)] as const;
      return { ...explain(account, [theirs.grantedIndex, invoked, completed], [...ends, this.#ofNoOrder()]), holders };
    }
    if (met === undefined) {
      const hypotheses = [...losses(0, completedTime, this.#evidence), this.#ofNoOrder()];
      return explain(account, [invoked, completed], hypotheses);
    }
    const hypotheses = promiseHypotheses(met, this.#evidence, interferences);
    const holders = [holder(met.first), holder(met.second)] as const;
    return { ...explain(account, [met.first.grantedIndex, invoked, completed], hypotheses), holders };
  }
}

/**
 * Whether a grant has a fencing token that a new hold cannot have, or another token than the hold that it entered
 * again.
 */
function isDisordered({ kind, owner, fence }: LockOperation, { state }: Configuration): boolean {
  if (kind !== "acquire" || fence === undefined) return false;
  const differs = state.holder === owner && state.holdFence !== undefined && state.holdFence !== fence;
  return differs || fence <= state.lastFence;
}

function resultInWords({ kind, owner, fence }: LockOperation, beside: readonly string[]): string {
  const as = owner === undefined ? "" : ` as owner ${shortOwner(owner, undefined, beside)}`;
  switch (kind) {
    case "acquire":
      return `was granted it${as}${fence === undefined ? "" : ` with fencing token ${fence}`}`;
    case "release":
    case "lose":
      return `released it${as}`;
    case "miss":
      return `was told that it did not hold it${as}`;
    case "extend":
      return `extended it${as}`;
    case "reenter":
      return `re-entered it${as}`;
    case "contended":
      return "was refused as contended";
  }
}

function stateInWords(
  { state, grant, point }: Configuration,
  { owner = "" }: LockOperation,
  client: (process: number) => string,
): string {
  if (state.holder === undefined) return `since ${timeWords(point.time)} it was free`;
  const who =
    grant === undefined || typeof state.holder !== "string"
      ? "somebody"
      : `${client(grant.process)} as owner ${shortOwner(state.holder, undefined, [owner])}`;
  if (state.expirableFrom === -Infinity) return "somebody may have held it since before the history began";
  const held = `${who} held it (since ${timeWords(point.time)} at the earliest)`;
  if (isEndless(state.expirableFrom - point.time)) return `${held}, without a lease that ends`;
  return `${held}, and its lease cannot have expired before ${timeWords(state.expirableFrom)}`;
}

/** `between 2 ms and 5 ms`, or `at 2 ms` where both are the same in words. */
function duringInWords({ invokedTime, completedTime }: LockOperation): string {
  const [from, to] = [timeWords(invokedTime), timeWords(completedTime)];
  return from === to ? `at ${from}` : `between ${from} and ${to}`;
}
