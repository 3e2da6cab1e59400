import { RECORDING_DELAY_NS } from "../../history/fault-timeline.ts";
import { mayLoseLocks } from "../../core/fault-traits.ts";
import type { PropertyVerdict, Violation } from "../../core/verdict.ts";
import { mayRenew } from "../../history/holds/repeated-acquire.ts";
import type { Checker, CheckerFactory } from "../checker.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import { explain } from "../explanation.ts";
import { Findings, NOT_JUDGED, notApplicable, VALID } from "../findings.ts";
import type { Hold } from "../../history/holds.ts";
import { goneByOf, type OwnerGrants } from "../evidence/owner-grants.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import type { LockOperation } from "../linearizability/lock-models.ts";
import { overtakenHypotheses, tokenHypotheses } from "../causes/token-causes.ts";
import { TokenOrder, type TokenDisorder } from "./token-order.ts";
import { UnsettledReleases } from "./unsettled-releases.ts";
import { clientInWords, timeWords } from "../words.ts";
import { statedIn } from "../../history/unordered.ts";

interface TokenGrant {
  readonly fence: number;
  readonly process: number;
  readonly owner: string;
  readonly invokedIndex: number;
  readonly invokedTime: number;
  readonly index: number;
  readonly time: number;
}

/** What is known of the fencing tokens of one key. */
interface KeyTokens {
  /** The completed grant with the largest fencing token. */
  largest: TokenGrant | undefined;
  /** Grants that were completed at their time by a coarse clock, or later, as far as later ones are not compared with them. */
  unordered?: readonly TokenGrant[] | undefined;
  /** The grant that was completed last. */
  latest?: TokenGrant;
  /** The last one of another owner value than that. */
  latestOfAnother?: TokenGrant;
  /** Grants by fencing token, oldest first, as far back as one could still repeat without also running backwards. */
  readonly byFence: Map<number, TokenGrant>;
}

/** Two grants that the lock may have made in the other order than their fencing tokens say. */
interface Overtaking {
  readonly larger: TokenGrant;
  readonly smaller: TokenGrant;
  /** Whether no other two grants can explain why the tokens are out of order. */
  readonly isOnlyPair: boolean;
  /** Whether both have the same token, of one owner value, and must be of two holds. */
  readonly areTwins?: boolean;
}

interface PendingAcquire {
  readonly invokedIndex: number;
  /** The largest fencing token granted before the invocation: this one must be larger. */
  readonly largestBefore: TokenGrant | undefined;
}

const ONLY_ORDER = "no other order explains the lock's answers";

/** How many grants of each key are remembered that were completed in one step of the clock, in an order that it does not show. */
const MOST_UNORDERED = 64;

/** How many grants are remembered, of all keys together: each has its share, but some at least. */
const REMEMBERED_GRANTS = 100_000;
const MOST_OF_A_KEY = 4096;
const LEAST_OF_A_KEY = 8;

/** Number of re-entries with another fencing token that are kept until it is known whether a fault explains them. */
const MOST_REENTRIES = 256;

/**
 * P3, fencing tokens: no two holds of a key share a fencing token, and of two holds the later has the larger one. A
 * grant that was asked for after another was completed is the later. For grants that overlap in time the order of the
 * holds decides, as far as the history shows it (see `TokenOrder`); if exclusion itself was broken, their tokens need
 * only differ. An owner that re-enters while it holds is told the same fencing token again. Grants without a fencing
 * token do not count.
 *
 * Two grants of one owner value may be of one hold, also to two clients, because a lock may compare the value alone. So they
 * may share a fencing token, unless releases that were acknowledged show that the first hold was over before the second was
 * asked for, or a larger token was granted in between. If the first may have entered a hold from before the history began,
 * releases do not show that.
 */
export const fencingTokens: CheckerFactory = {
  property: "fencing-tokens",
  create: (evidence) => new FencingTokens(evidence),
};

class FencingTokens implements Checker {
  readonly #evidence: SharedEvidence;
  readonly #findings = new Findings("fencing-tokens");
  readonly #keys = new Map<string, KeyTokens>();
  /** By process, oldest first. */
  readonly #pending = new Map<number, PendingAcquire>();
  readonly #order: TokenOrder;
  readonly #releases = new UnsettledReleases();
  readonly #otherOnReentry: { readonly key: string; readonly grant: TokenGrant; readonly outer: TokenGrant }[] = [];
  /** For each key at most one order of tokens that no order of the holds explains. */
  readonly #disorders: ({ readonly key: string } & Overtaking)[] = [];
  /** Keys for which two grants show by themselves that the tokens are out of order. */
  readonly #told = new Set<string>();
  #grants = 0;
  /** Whether grants of locks that several may hold carried fencing tokens: it does not matter in which order. */
  #skipped = false;

  constructor(evidence: SharedEvidence) {
    this.#evidence = evidence;
    this.#order = new TokenOrder(evidence);
  }

  get remarks(): readonly string[] {
    return this.#findings.remarks;
  }

  push(step: HistoryStep): void {
    const { event } = step;
    if ("key" in event && this.#evidence.isShareable(event.key)) {
      this.#order.abandon(event.key);
      this.#skipped ||= event.type === "ok" && event.f === "acquire" && event.value.fence !== undefined;
      return;
    }
    const acquired = event.type === "ok" && event.f === "acquire";
    const ownBefore = acquired ? this.#evidence.ownerGrants.of(event.key, event.value.owner) : undefined;
    if (acquired && ownBefore !== undefined && goneByOf(ownBefore) === undefined) {
      if (ownBefore.hold.fence !== event.value.fence) this.#order.abandon(event.key);
    }
    this.#releases.push(step);
    this.#take(step, ownBefore);
    const disorder = this.#order.push(step);
    if (disorder !== undefined) this.#overtaken(disorder);
  }

  conclude(key: string): void {
    const disorder = this.#order.conclude(key);
    if (disorder !== undefined) this.#overtaken(disorder);
    this.#keys.delete(key);
  }

  #take({ event, invocation, changes }: HistoryStep, ownBefore: OwnerGrants | undefined): void {
    if (event.type === "fault" || event.type === "audit" || event.f !== "acquire") return;
    if (event.type === "invoke") {
      const largestBefore = largestOf(this.#keys.get(event.key), event.time);
      this.#pending.set(event.process, { invokedIndex: event.index, largestBefore });
      return;
    }
    const pending = this.#pending.get(event.process);
    this.#pending.delete(event.process);
    if (invocation === undefined || pending === undefined) return;
    const { fence, owner } = statedIn(event);
    if (fence === undefined || owner === undefined) return;
    const asked = { invokedIndex: invocation.index, invokedTime: invocation.time };
    const grant: TokenGrant = { fence, process: event.process, owner, ...asked, index: event.index, time: event.time };
    if (event.type !== "ok") {
      this.#judgeUnordered(event.key, grant, pending.largestBefore);
      return;
    }
    this.#grants += 1;
    const reentered = changes.find((change) => change.kind === "reentered");
    // What may be a renewal may have a token of its own.
    const entered = mayRenew(invocation) ? undefined : reentered?.hold;
    this.#judge(event.key, grant, pending.largestBefore, entered, ownBefore);
  }

  finish(): PropertyVerdict {
    for (const disorder of this.#order.finish()) this.#overtaken(disorder);
    for (const { key, ...overtaking } of this.#disorders) {
      if (this.#mayHaveLost(Math.max(overtaking.larger.time, overtaking.smaller.time))) continue;
      const cause = overtaking.areTwins === true ? "token-rollback" : "token-overtaken";
      if (!this.#told.has(key)) this.#evidence.tokenFaults.set(key, cause);
      this.#findings.add(() => this.#describeOvertaking(key, overtaking));
    }
    for (const { key, grant, outer } of this.#otherOnReentry) {
      if (this.#mayBeNew(grant, outer)) continue;
      this.#evidence.tokenFaults.set(key, "token-rollback");
      this.#findings.add(() => this.#reentry(key, grant, outer.fence));
    }
    if (this.#grants > 0) return this.#findings.verdict(VALID);
    const why = this.#skipped ? `fencing tokens ${NOT_JUDGED}` : "no grant carried a fencing token";
    return this.#findings.verdict(notApplicable(why));
  }

  #judge(
    key: string,
    grant: TokenGrant,
    before: TokenGrant | undefined,
    outerHold: Hold | undefined,
    ownBefore: OwnerGrants | undefined,
  ): void {
    const tokens = this.#of(key);
    const outerFence = outerHold?.fence;
    const twin = tokens.byFence.get(grant.fence) ?? (before?.fence === grant.fence ? before : undefined);
    const outer = outerFence === undefined ? undefined : tokens.byFence.get(outerFence);
    const mayBeNext =
      outer !== undefined && grant.fence > outer.fence && grantedToAnother(tokens, grant.owner, outer.index);
    if (outerHold !== undefined && outerFence !== undefined && grant.fence !== outerFence && !mayBeNext) {
      if (
        !(grant.fence > outerFence && this.#mayBeAnother(outerHold, ownBefore)) &&
        outer !== undefined &&
        this.#otherOnReentry.length < MOST_REENTRIES
      ) {
        this.#otherOnReentry.push({ key, grant, outer });
      }
    } else if (before !== undefined && grant.fence < before.fence) {
      this.#tell(key, twin ?? before, grant, twin);
    } else if (twin !== undefined && !this.#mayBeOneHold(twin, grant, ownBefore)) {
      this.#tell(key, twin, grant, twin);
    }
    this.#remember(tokens, grant);
  }

  /** It was completed within this step of a coarse clock, after what was completed before it was asked for. */
  #judgeUnordered(key: string, grant: TokenGrant, before: TokenGrant | undefined): void {
    const tokens = this.#of(key);
    if (before !== undefined && grant.fence < before.fence) this.#tell(key, before, grant, undefined);
    tokens.unordered = [...(tokens.unordered ?? []).slice(1 - MOST_UNORDERED), grant];
  }

  /** Whether the owner may have had another hold than this one when it was granted the lock again. */
  #mayBeAnother(outer: Hold, ownBefore: OwnerGrants | undefined): boolean {
    // An acquire of unknown outcome, or under way, may have begun a new hold, which this grant entered again.
    const isAsking = this.#evidence.holds.isAsking(outer.key, outer.currentProcess);
    const maybeUnknown = outer.resumedIndex >= 0 && (isAsking || (ownBefore?.unknown ?? 0) > 0);
    // What another client does under the same owner value may have ended it.
    const isShared = this.#evidence.isSharedOwner(outer.key, outer.owner);
    return maybeUnknown || isShared || this.#releases.mayHaveEnded(outer);
  }

  #tell(key: string, earlier: TokenGrant, later: TokenGrant, twin: TokenGrant | undefined): void {
    this.#told.add(key);
    this.#evidence.tokenFaults.set(key, "token-rollback");
    this.#findings.add(() => this.#describe(key, earlier, later, twin));
  }

  #of(key: string): KeyTokens {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const fresh: KeyTokens = { largest: undefined, byFence: new Map<number, TokenGrant>() };
    this.#keys.set(key, fresh);
    return fresh;
  }

  /** Whether two grants with one fencing token may be of one hold: the same owner's, and no release shows that it was over. */
  #mayBeOneHold(twin: TokenGrant, grant: TokenGrant, ownBefore: OwnerGrants | undefined): boolean {
    if (twin.owner !== grant.owner) return false;
    const goneBy = ownBefore === undefined ? undefined : goneByOf(ownBefore);
    return ownBefore === undefined || goneBy === undefined || goneBy > grant.invokedIndex || ownBefore.mayRemain;
  }

  /** Whether a fault may have taken the lock, so that an apparent re-entry was a new hold: its token is larger. */
  #mayBeNew(grant: TokenGrant, outer: TokenGrant): boolean {
    const { faults } = this.#evidence;
    return (
      grant.fence > outer.fence && faults.anyDuring(mayLoseLocks, outer.invokedTime, grant.time + RECORDING_DELAY_NS)
    );
  }

  #overtaken({ key, operation, rival }: TokenDisorder): void {
    const tokens = this.#of(key);
    // A disorder that two grants show by themselves is already reported.
    if (this.#told.has(key) || tokens.latest === undefined || tokens.largest === undefined) return;
    const own =
      operation?.owner === undefined ? undefined : this.#evidence.ownerGrants.of(key, operation.owner)?.hold.fence;
    const fence = operation?.fence ?? own ?? tokens.latest.fence;
    const one = tokens.byFence.get(fence) ?? tokens.latest;
    const other = tokens.byFence.get(rival ?? tokens.largest.fence) ?? tokens.largest;
    const again = one === other ? tokenGrantOf(operation) : undefined;
    if (again !== undefined && again.index !== one.index) {
      this.#disorders.push({ key, larger: one, smaller: again, isOnlyPair: true, areTwins: true });
      return;
    }
    const rivals = one === other ? [...tokens.byFence.values()].filter((grant) => grant !== one) : [other];
    this.#disorders.push({ key, ...overtakingOf(one, rivals.at(-1) ?? other, tokens.byFence.values()) });
  }

  /** Whether a fault may have taken a lock before: then the order that explains the answers need not be the true one. */
  #mayHaveLost(until: number): boolean {
    const { faults } = this.#evidence;
    return faults.anyDuring(mayLoseLocks, 0, until + RECORDING_DELAY_NS);
  }

  #remember(tokens: KeyTokens, grant: TokenGrant): void {
    if (tokens.latest !== undefined && tokens.latest.owner !== grant.owner) tokens.latestOfAnother = tokens.latest;
    tokens.latest = grant;
    if (tokens.largest === undefined || grant.fence > tokens.largest.fence) tokens.largest = grant;
    if (!tokens.byFence.has(grant.fence)) tokens.byFence.set(grant.fence, grant);
    const share = Math.min(MOST_OF_A_KEY, Math.max(LEAST_OF_A_KEY, REMEMBERED_GRANTS / this.#keys.size));
    if (tokens.byFence.size <= share) return;
    // A repetition of a grant that was completed before every pending acquire was invoked also runs backwards.
    const oldestPending = this.#pending.values().next().value?.invokedIndex ?? grant.index;
    for (const [fence, old] of tokens.byFence) {
      if (old.index > oldestPending || tokens.byFence.size <= share / 2) break;
      tokens.byFence.delete(fence);
    }
  }

  #reentry(key: string, grant: TokenGrant, outerFence: number): Violation {
    const { header } = this.#evidence;
    const client = clientInWords(header, grant.process);
    const account = `${client} re-entered ${key} while it held it with fencing token ${outerFence}, and got fencing token ${grant.fence} at ${timeWords(grant.time)}.`;
    const why = "a re-entry must return the fencing token of the hold";
    return explain(
      account,
      [grant.index],
      [{ cause: "token-rollback", events: [], why, ground: { on: "history" }, remedies: [] }],
    );
  }

  #describeOvertaking(key: string, { larger, smaller, isOnlyPair, areTwins = false }: Overtaking): Violation {
    if (areTwins) return this.#describe(key, larger, smaller, larger, `They are of two holds: ${ONLY_ORDER}.`);
    const { header } = this.#evidence;
    const told = ({ process, fence, invokedTime, time }: TokenGrant): string =>
      `${clientInWords(header, process)} asked for ${key} at ${timeWords(invokedTime)} and was granted it at ${timeWords(time)} with fencing token ${fence}`;
    const order = isOnlyPair
      ? `The first must have held before the second: ${ONLY_ORDER}`
      : "No order that explains the lock's answers gives each hold a larger token than those before it";
    const account = `The fencing tokens contradict the order of the holds. ${told(larger)}; ${told(smaller)}. ${order}.`;
    return {
      ...explain(
        account,
        [larger.index, smaller.index],
        overtakenHypotheses(
          Math.min(larger.invokedTime, smaller.invokedTime),
          Math.max(larger.time, smaller.time),
          this.#evidence,
        ),
      ),
      holders: [
        { process: larger.process, owner: larger.owner, fence: larger.fence },
        { process: smaller.process, owner: smaller.owner, fence: smaller.fence },
      ],
    };
  }

  #describe(key: string, earlier: TokenGrant, later: TokenGrant, twin: TokenGrant | undefined, more = ""): Violation {
    const { header } = this.#evidence;
    const told = (grant: TokenGrant): string =>
      `${clientInWords(header, grant.process)} was granted ${key} with fencing token ${grant.fence} at ${timeWords(grant.time)}`;
    const how = twin === undefined ? "Fencing tokens ran backwards" : "Two grants share a fencing token";
    const hypotheses = tokenHypotheses(earlier.invokedTime, later.time, this.#evidence);
    return {
      ...explain(
        [`${how}. ${told(earlier)}; ${told(later)}.`, more].join(" ").trim(),
        [earlier.index, later.index],
        hypotheses,
      ),
      holders: [
        { process: earlier.process, owner: earlier.owner, fence: earlier.fence },
        { process: later.process, owner: later.owner, fence: later.fence },
      ],
    };
  }
}

/** The grant with the largest fencing token of those that were certainly completed before an event of this time, in nanoseconds. */
function largestOf(tokens: KeyTokens | undefined, time: number): TokenGrant | undefined {
  if (tokens?.unordered === undefined) return tokens?.largest;
  const [over, open] = [[], []] as [TokenGrant[], TokenGrant[]];
  for (const grant of tokens.unordered) (grant.time < time ? over : open).push(grant);
  for (const grant of over)
    if (tokens.largest === undefined || grant.fence > tokens.largest.fence) tokens.largest = grant;
  tokens.unordered = open.length === 0 ? undefined : open;
  return tokens.largest;
}

/** The grant that this operation is, if it is one with a fencing token. */
function tokenGrantOf(operation: LockOperation | undefined): TokenGrant | undefined {
  if (operation?.kind !== "acquire" || operation.owner === undefined || operation.fence === undefined) return undefined;
  const { fence, process, owner, invoked, invokedTime, completed, completedTime } = operation;
  return { fence, process, owner, invokedIndex: invoked, invokedTime, index: completed, time: completedTime };
}

/**
 * Whether another owner was granted the key after this event: the lock had ended the hold, if too early, and what its
 * owner is granted later may be the next hold. It is exclusion that was broken then, and not the order of the tokens.
 */
function grantedToAnother({ latest, latestOfAnother }: KeyTokens, owner: string, after: number): boolean {
  const last = latest?.owner === owner ? latestOfAnother : latest;
  return last !== undefined && last.index > after;
}

/**
 * Which grants overtook each other, where these two show that the order of the tokens is none of the holds: these, or if
 * the one with the larger token was asked for when the other was known, one of them and a grant at the same time.
 */
function overtakingOf(one: TokenGrant, other: TokenGrant, grants: Iterable<TokenGrant>): Overtaking {
  const [larger, smaller] = one.fence > other.fence ? [one, other] : [other, one];
  if (larger.invokedIndex < smaller.index) return { larger, smaller, isOnlyPair: true };
  const pairs: Omit<Overtaking, "isOnlyPair">[] = [];
  for (const grant of grants) {
    for (const party of [smaller, larger]) {
      if (grant.invokedIndex > party.index || party.invokedIndex > grant.index || grant.fence === party.fence) continue;
      const [most, least] = grant.fence > party.fence ? [grant, party] : [party, grant];
      pairs.push({ larger: most, smaller: least });
    }
  }
  const [overtaken = { larger, smaller }] = pairs;
  return { ...overtaken, isOnlyPair: pairs.length === 1 };
}
