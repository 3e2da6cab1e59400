import type { Property, PropertyVerdict, Violation } from "../core/verdict.ts";
import { diagnose, diagnoseLoss, diagnoseTaking, type Diagnosis } from "./causes.ts";
import type { Checker, CheckerFactory } from "./checker.ts";
import type { Configuration } from "./configuration.ts";
import type { Evidence } from "./evidence.ts";
import { eventList, Findings, notApplicable, unknown, VALID } from "./findings.ts";
import type { Hold } from "./holds.ts";
import { KeyOperations, type Progress } from "./key-operations.ts";
import type { Impossible } from "./linearization.ts";
import { lockModel, type LockModel, type LockModelName, type LockOperation } from "./lock-models.ts";
import { holder } from "./mutual-exclusion.ts";
import type { Step } from "./step.ts";
import type { Taking } from "./takings.ts";
import { clientOf, list, ms, shortOwner } from "./words.ts";

export interface LinearizabilityOptions {
  /** The sequential specification. The most permissive that knows owners and fencing tokens when absent. */
  readonly model?: LockModelName;
  /** Take a contended refusal as the observation that somebody held. Without it, a failed try constrains nothing. */
  readonly observeContention?: boolean;
}

const PROPERTY: Property = "linearizability";

/**
 * P8, linearizability: each operation can be thought to take effect at one instant between its invocation and its
 * completion, such that the sequential specification of a lock explains all results; where a lease may expire by itself,
 * from its grant (or extension) plus the TTL on, less the drift that is allowed to clocks, or from the moment on at which
 * its holder was told that it is gone.
 */
export function linearizability(options: LinearizabilityOptions = {}): CheckerFactory {
  return { property: PROPERTY, create: (evidence) => new Linearizability(evidence, options) };
}

class Linearizability implements Checker {
  readonly #evidence: Evidence;
  readonly #model: LockModel;
  readonly #observeContention: boolean;
  readonly #findings = new Findings(PROPERTY);
  readonly #keys = new Map<string, KeyOperations>();
  /** The hold that an acquire brought, for explanations. */
  readonly #holds = new WeakMap<LockOperation, Hold>();
  #granted = false;

  constructor(evidence: Evidence, options: LinearizabilityOptions) {
    this.#evidence = evidence;
    this.#model = lockModel(options.model ?? "reentrant-fenced-mutex");
    this.#observeContention = options.observeContention ?? false;
  }

  get remarks(): readonly string[] {
    return this.#findings.remarks;
  }

  push(step: Step): void {
    const { event } = step;
    if (event.type === "fault" || event.type === "audit") return;
    if (event.type === "lost") {
      this.#of(event.key).lose(event);
      return;
    }
    if (event.f !== "acquire" && event.f !== "release" && event.f !== "extend") return;
    const operations = this.#of(event.key);
    const wasFollowing = operations.progress.state === "following";
    if (event.type === "invoke") operations.invoke(event, event.f !== "acquire" && this.#isStranger(event, step));
    else {
      const operation = operations.complete(event);
      const granted = step.changes.find(({ kind }) => kind === "granted");
      if (operation !== undefined && granted !== undefined) this.#holds.set(operation, granted.hold);
      if (event.type === "ok") this.#granted = true;
    }
    if (wasFollowing) this.#report(event.key, operations.progress);
  }

  finish(): PropertyVerdict {
    const undecided: string[] = [];
    for (const [key, operations] of this.#keys) {
      const wasFollowing = operations.progress.state === "following";
      const progress = operations.finish();
      if (wasFollowing) this.#report(key, progress);
      if (progress.state !== "general") continue;
      const outcome = operations.search();
      if (outcome === "unknown") undecided.push(`${key}: ${progress.why}`);
      if (outcome === "not-linearizable") this.#findings.add(() => this.#asAWhole(key));
    }
    const undecidedReason = `not decided for ${list(undecided.slice(0, 3))}${undecided.length > 3 ? ` and ${undecided.length - 3} more` : ""}`;
    const otherwise = this.#granted ? VALID : notApplicable("no operation on a lock succeeded");
    return this.#findings.verdict(undecided.length > 0 ? unknown(undecidedReason) : otherwise);
  }

  #of(key: string): KeyOperations {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const fresh = new KeyOperations(this.#model, this.#observeContention);
    this.#keys.set(key, fresh);
    return fresh;
  }

  #isStranger(
    event: { readonly key: string; readonly process: number; readonly value: { readonly owner?: string } },
    { changes }: Step,
  ): boolean {
    const { owner } = event.value;
    if (owner === undefined || changes.some(({ hold }) => hold.owner === owner)) return false;
    return this.#evidence.holds.find(event.key, owner, event.process) === undefined;
  }

  #report(key: string, progress: Progress): void {
    if (progress.state === "impossible") {
      const takings = this.#evidence.takings.of(key);
      this.#findings.add(() => this.#describe(key, progress.impossible, takings));
    }
    if (progress.state === "unexplained-refusal") this.#findings.add(() => this.#refusal(key, progress.before));
  }

  #describe(key: string, { operation, before }: Impossible, takings: readonly Taking[]): Violation {
    const { header } = this.#evidence;
    const [mine, theirs] = [this.#holds.get(operation), before.grant && this.#holds.get(before.grant)];
    const { cause, why, fault, events } = this.#diagnose(operation, before, mine, theirs, takings);
    const state = stateInWords(before, (process) => clientOf(header, process));
    const holders =
      mine === undefined || theirs === undefined ? {} : { holders: [holder(theirs), holder(mine)] as const };
    return {
      events: eventList(before.grant?.completed, operation.invoked, operation.completed, fault?.index, ...events),
      cause,
      ...holders,
      ...(fault === undefined ? {} : { fault: fault.index }),
      explanation:
        `No order of the operations on ${key} explains that ${clientOf(header, operation.process)} ${resultInWords(operation)} ` +
        `between ${ms(operation.invokedTime)} and ${ms(operation.completedTime)}, given the model ${this.#model.name}: ${state}. ${why}.`,
    };
  }

  #diagnose(
    operation: LockOperation,
    before: Configuration,
    mine: Hold | undefined,
    theirs: Hold | undefined,
    takings: readonly Taking[],
  ): Diagnosis {
    const { leases } = this.#evidence;
    if (operation.kind === "release" || operation.kind === "extend") {
      return {
        cause: "foreign-release",
        events: [],
        why: "It was told that it succeeded, although the lock cannot have been its own",
      };
    }
    if (operation.kind === "acquire" && (operation.fence ?? Infinity) <= before.state.lastFence) {
      return {
        cause: "token-rollback",
        events: [],
        why: `Its fencing token ${operation.fence} is not above ${before.state.lastFence}, which had been granted before`,
      };
    }
    const met = mine === undefined || theirs === undefined ? undefined : leases.between(mine, theirs);
    if (met !== undefined) return diagnose(met, true, this.#evidence, takings);
    const until = { index: operation.completed, time: operation.completedTime };
    const robbed =
      operation.kind === "miss" && theirs !== undefined
        ? diagnoseTaking(theirs, until, this.#evidence, takings)
        : undefined;
    if (robbed !== undefined) return robbed;
    const since = before.grant?.invokedTime ?? 0;
    const lost = diagnoseLoss(since, operation.completedTime, this.#evidence);
    if (lost !== undefined) return lost;
    return { cause: "unexplained", events: [], why: "Nothing else in the history explains it" };
  }

  #refusal(key: string, { owed, point }: Configuration): Violation {
    return {
      events: eventList(owed?.index),
      cause: "unexplained",
      explanation: `An acquire of ${key} was refused as contended at ${ms(owed?.time ?? 0)}, but from ${ms(point.time)} on nobody can have held it.`,
    };
  }

  #asAWhole(key: string): Violation {
    return {
      events: [],
      cause: "unexplained",
      explanation: `No order of the operations on ${key} explains their results, given the model ${this.#model.name}; the general search went through all of them.`,
    };
  }
}

function resultInWords({ kind, owner, fence }: LockOperation): string {
  const as = owner === undefined ? "" : ` as owner ${shortOwner(owner)}`;
  switch (kind) {
    case "acquire":
      return `was granted it${as}${fence === undefined ? "" : ` with fencing token ${fence}`}`;
    case "release":
      return `released it${as}`;
    case "miss":
      return `found that it did not hold it${as}`;
    case "extend":
      return `extended it${as}`;
    case "contended":
      return "was refused because somebody held";
  }
}

function stateInWords({ state, grant, point }: Configuration, client: (process: number) => string): string {
  if (state.holder === undefined) return `since ${ms(point.time)} it was free`;
  const who =
    grant === undefined || typeof state.holder !== "string"
      ? "somebody"
      : `${client(grant.process)} as owner ${shortOwner(state.holder)}`;
  return `${who} held it (since ${ms(point.time)} at the earliest), and its lease cannot have expired before ${ms(state.expirableFrom)}`;
}
