import type { PropertyVerdict, Violation } from "../core/verdict.ts";
import type { Checker, CheckerFactory } from "./checker.ts";
import type { Evidence } from "./evidence.ts";
import { eventList, Findings, notApplicable, VALID } from "./findings.ts";
import type { Step } from "./step.ts";
import { clientOf, faultInWords, list, ms } from "./words.ts";

interface TokenGrant {
  readonly fence: number;
  readonly process: number;
  readonly owner: string;
  readonly invokedIndex: number;
  readonly index: number;
  readonly time: number;
}

/** What is known of the fencing tokens of one key. */
interface KeyTokens {
  /** Of the grants that were completed, the one with the largest fencing token. */
  largest: TokenGrant | undefined;
  /** Grants by fencing token, oldest first, as far back as one could still repeat without also running backwards. */
  readonly byFence: Map<number, TokenGrant>;
}

interface PendingAcquire {
  readonly invokedIndex: number;
  /** The largest fencing token granted before the invocation: this one must be larger. */
  readonly largestBefore: TokenGrant | undefined;
}

/** Faults that make a counter forget. */
const FAULTS_THAT_LOSE_COUNTS = ["promotion", "failover", "restart-node", "power-loss", "kill-node", "eviction"];
const REMEMBERED_GRANTS = 4096;

/**
 * P3, fencing tokens: no two grants of a key share a fencing token, and a grant that was asked for after another was
 * completed has a larger one. Grants that overlap in time need only differ. An owner that re-enters while it holds is
 * told the same fencing token again. Grants without one do not count.
 *
 * Whether a lease expired unnoticed between two acquisitions of one owner shows only when somebody else was granted the
 * key in between: then the old fencing token is no longer the largest, and repeating it is a violation.
 */
export const fencingTokens: CheckerFactory = {
  property: "fencing-tokens",
  create: (evidence) => new FencingTokens(evidence),
};

class FencingTokens implements Checker {
  readonly #evidence: Evidence;
  readonly #findings = new Findings("fencing-tokens");
  readonly #keys = new Map<string, KeyTokens>();
  /** By process, oldest first. */
  readonly #pending = new Map<number, PendingAcquire>();
  #grants = 0;

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
  }

  get remarks(): readonly string[] {
    return this.#findings.remarks;
  }

  push({ event, invocation, changes }: Step): void {
    if (event.type === "fault" || event.type === "audit" || event.f !== "acquire") return;
    if (event.type === "invoke") {
      const largestBefore = this.#keys.get(event.key)?.largest;
      this.#pending.set(event.process, { invokedIndex: event.index, largestBefore });
      return;
    }
    const pending = this.#pending.get(event.process);
    this.#pending.delete(event.process);
    if (event.type !== "ok" || invocation === undefined || pending === undefined) return;
    const { fence, owner } = event.value;
    if (fence === undefined) return;
    this.#grants += 1;
    const { process, index, time } = event;
    const grant: TokenGrant = { fence, process, owner, invokedIndex: invocation.index, index, time };
    const reentered = changes.find((change) => change.kind === "reentered");
    this.#judge(event.key, grant, pending.largestBefore, reentered?.hold.fence);
  }

  finish(): PropertyVerdict {
    return this.#findings.verdict(this.#grants === 0 ? notApplicable("no grant carried a fencing token") : VALID);
  }

  #judge(key: string, grant: TokenGrant, before: TokenGrant | undefined, outerFence: number | undefined): void {
    const tokens = this.#keys.get(key) ?? { largest: undefined, byFence: new Map<number, TokenGrant>() };
    this.#keys.set(key, tokens);
    const twin = tokens.byFence.get(grant.fence);
    if (outerFence !== undefined) {
      if (grant.fence !== outerFence) this.#findings.add(() => this.#reentry(key, grant, outerFence, twin));
      else if (before !== undefined && before.fence > grant.fence) {
        this.#findings.add(() => this.#describe(key, before, grant, twin));
      }
    } else if (before !== undefined && grant.fence <= before.fence) {
      this.#findings.add(() => this.#describe(key, twin ?? before, grant, twin));
    } else if (twin !== undefined) {
      this.#findings.add(() => this.#describe(key, twin, grant, twin));
    }
    this.#remember(tokens, grant);
  }

  #remember(tokens: KeyTokens, grant: TokenGrant): void {
    if (tokens.largest === undefined || grant.fence > tokens.largest.fence) tokens.largest = grant;
    if (!tokens.byFence.has(grant.fence)) tokens.byFence.set(grant.fence, grant);
    if (tokens.byFence.size <= REMEMBERED_GRANTS) return;
    // A repetition of a grant that was completed before every pending acquire was invoked also runs backwards.
    const oldestPending = this.#pending.values().next().value?.invokedIndex ?? grant.index;
    for (const [fence, old] of tokens.byFence) {
      if (old.index > oldestPending || tokens.byFence.size <= REMEMBERED_GRANTS / 2) break;
      tokens.byFence.delete(fence);
    }
  }

  #reentry(key: string, grant: TokenGrant, outerFence: number, twin: TokenGrant | undefined): Violation {
    const { header } = this.#evidence;
    const client = clientOf(header, grant.process);
    return {
      events: eventList(twin?.index, grant.index),
      cause: "token-rollback",
      explanation: `${client} entered ${key} again while it held it with fencing token ${outerFence}, and was told ${grant.fence} at ${ms(grant.time)}. Re-entry must return the fencing token of the hold.`,
    };
  }

  #describe(key: string, earlier: TokenGrant, later: TokenGrant, twin: TokenGrant | undefined): Violation {
    const { header, faults } = this.#evidence;
    const found = faults.during(FAULTS_THAT_LOSE_COUNTS, earlier.time, later.time);
    const [fault] = FAULTS_THAT_LOSE_COUNTS.flatMap((kind) => found.filter(({ f }) => f === kind));
    const told = (grant: TokenGrant): string =>
      `${clientOf(header, grant.process)} was granted ${key} with fencing token ${grant.fence} at ${ms(grant.time)}`;
    const how = twin === undefined ? "Fencing tokens ran backwards" : "Two grants share a fencing token";
    const others = found.filter((other) => other !== fault).map(faultInWords);
    const also = others.length === 0 ? "" : ` Beside that: ${list(others)}.`;
    const why =
      fault === undefined
        ? "No fault that makes a counter forget happened in between: the lock does not mint them soundly."
        : `In between the system saw ${faultInWords(fault)}: a counter on a node that can forget it is no better than that node.${also}`;
    return {
      events: eventList(earlier.index, later.index, fault?.index),
      cause: fault?.f === "eviction" ? "eviction" : "token-rollback",
      holders: [
        { process: earlier.process, owner: earlier.owner, fence: earlier.fence },
        { process: later.process, owner: later.owner, fence: later.fence },
      ],
      ...(fault === undefined ? {} : { fault: fault.index }),
      explanation: `${how}. ${told(earlier)}; ${told(later)}. ${why}`,
    };
  }
}
