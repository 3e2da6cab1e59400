import type { LostEvent } from "../core/history.ts";
import { Linearization, type Impossible } from "./linearization.ts";
import { earliestExpiry, type LockModel, type LockOperation } from "./lock-models.ts";
import type { Completion, Invocation } from "./step.ts";
import { searchLinearization, type SearchOutcome } from "./wgl.ts";

type LockInvocation = Extract<Invocation, { f: "acquire" | "extend" | "release" }>;
type LockCompletion = Extract<Completion, { f: "acquire" | "extend" | "release" }>;

interface OpenOperation {
  readonly invocation: LockInvocation;
  /** For release and extend: no grant is known that it refers to. */
  readonly stranger: boolean;
}

/** What is known of one key. `general`: only the general search can tell, or none. */
export type Progress =
  | { readonly state: "following" }
  | { readonly state: "impossible"; readonly impossible: Impossible }
  | { readonly state: "unexplained-refusal"; readonly before: Impossible["before"] }
  | { readonly state: "general"; readonly why: string };

/** The general search is given histories up to this length, and this many steps. */
const SEARCHED_OPERATIONS = 300;
const SEARCH_STEPS = 100_000;
/** How many completed operations may wait for what their owners do next. */
const LOOKAHEAD = 4096;
/** How many completed operations may wait for one that is open: some 50 MB of them. */
const MOST_WAITING = 100_000;

/**
 * Pairs the operations of one key and follows their linearizations, as far behind the history as the oldest operation
 * whose outcome is not known yet. It keeps those operations, and a short history whole, for the general search.
 *
 * An operation that is open for too long is taken for one whose outcome nobody will ever know. If it is known after all,
 * too much was allowed, and the key is not decided.
 */
export class KeyOperations {
  readonly #model: LockModel;
  readonly #observeContention: boolean;
  readonly #keptOperations: number;
  readonly #mostWaiting: number;
  readonly #linearization: Linearization;
  /** By process, in the order of invocation. */
  readonly #open = new Map<number, OpenOperation>();
  /** Processes whose operation was open for too long. */
  readonly #givenUp = new Set<number>();
  /** Required operations in the order of completion. */
  #waiting: LockOperation[] = [];
  #next = 0;
  /** Required operations by owner that were not placed yet. */
  readonly #byOwner = new Map<string, LockOperation[]>();
  /** By owner, acquires that took longer than their lease: what the owner does next shows whether it still held. */
  readonly #undetermined = new Map<string, LockOperation>();
  #oldestUndetermined = Infinity;
  #log: LockOperation[] | undefined = [];
  #progress: Progress = { state: "following" };

  /**
   * @param keptOperations up to how many operations the whole history is kept for the general search
   * @param mostWaiting how many completed operations may wait for one that is open
   */
  constructor(
    model: LockModel,
    observeContention: boolean,
    keptOperations = SEARCHED_OPERATIONS,
    mostWaiting = MOST_WAITING,
  ) {
    this.#model = model;
    this.#mostWaiting = mostWaiting;
    this.#keptOperations = keptOperations;
    this.#observeContention = observeContention;
    // Where owners do not count, a history that is right with owners is right without.
    this.#linearization = new Linearization(model.ownerAware ? model : { ...model, ownerAware: true });
  }

  get progress(): Progress {
    return this.#progress;
  }

  invoke(invocation: LockInvocation, stranger: boolean): void {
    if (this.#isDecided()) return;
    this.#open.set(invocation.process, { invocation, stranger });
  }

  /** The holder was told that its lease is gone: from then on it may be. */
  lose({ process, index, time, value }: LostEvent): void {
    if (this.#isDecided()) return;
    const end = { required: false, completed: Infinity, completedTime: Infinity };
    const begin = { invoked: index, invokedTime: time };
    const nothing = { stranger: false, fence: undefined, leaseNs: 0 };
    this.#take({ kind: "release", process, owner: value.owner, ...begin, ...end, ...nothing });
  }

  /** Takes a completion. Returns the operation, when it is one that the model must explain. */
  complete(completion: LockCompletion): LockOperation | undefined {
    if (this.#isDecided()) return undefined;
    if (this.#givenUp.delete(completion.process)) {
      const why = "an operation was under way for too long";
      if (completion.type !== "info") this.#fail({ state: "general", why });
      return undefined;
    }
    const open = this.#open.get(completion.process);
    this.#open.delete(completion.process);
    const operation = open === undefined ? undefined : this.#resolve(open, completion);
    if (operation !== undefined) this.#take(operation);
    this.#advance();
    this.#giveUpOpen();
    return operation;
  }

  /** To be called after the last event. */
  finish(): Progress {
    if (this.#progress.state === "following") {
      for (const open of this.#open.values()) this.#take(possible(open));
      this.#open.clear();
      this.#oldestUndetermined = Infinity;
      this.#advance();
    }
    if (this.#progress.state === "following") {
      const before = this.#linearization.finish();
      if (before !== undefined) this.#fail({ state: "unexplained-refusal", before });
    }
    return this.#progress;
  }

  /** What the general search says, where nothing else can. */
  search(steps = SEARCH_STEPS): SearchOutcome {
    return this.#log === undefined ? "unknown" : searchLinearization(this.#log, this.#model, steps);
  }

  #giveUpOpen(): void {
    while (this.#waiting.length - this.#next > this.#mostWaiting) {
      const oldest = this.#open.entries().next().value;
      if (oldest === undefined || this.#progress.state !== "following") return;
      const [process, operation] = oldest;
      this.#open.delete(process);
      this.#givenUp.add(process);
      this.#take(possible(operation));
      this.#advance();
    }
  }

  #isDecided(): boolean {
    // For the general search the whole history is needed, as long as it is short.
    return this.#progress.state !== "following" && (this.#progress.state !== "general" || this.#log === undefined);
  }

  #resolve(open: OpenOperation, completion: LockCompletion): LockOperation | undefined {
    if (completion.type === "info") return possible(open);
    if (completion.type === "ok") return granted(open, completion);
    const contended = completion.f === "acquire" && completion.value?.reason === "contended";
    if (!contended || !this.#observeContention) return undefined;
    return { ...described(open), kind: "contended", ...ending(completion) };
  }

  #take(operation: LockOperation): void {
    if (this.#log !== undefined && this.#log.push(operation) > this.#keptOperations) this.#log = undefined;
    if (this.#progress.state !== "following") return;
    if (operation.required && this.#overlapsItsOwner(operation)) {
      this.#fail({ state: "general", why: "operations of one owner value overlap in time" });
      return;
    }
    this.#linearization.announce(operation);
    this.#determine(operation);
    if (operation.required) this.#waiting.push(operation);
  }

  #determine(operation: LockOperation): void {
    const { owner, required, kind, leaseNs } = operation;
    if (owner === undefined) return;
    if (required && kind === "acquire" && operation.completedTime - operation.invokedTime >= leaseNs) {
      this.#undetermined.set(owner, operation);
      this.#oldestUndetermined = Math.min(this.#oldestUndetermined, operation.invoked);
    } else this.#settle(owner);
  }

  #settle(owner: string): void {
    const settled = this.#undetermined.get(owner);
    if (settled === undefined) return;
    this.#undetermined.delete(owner);
    if (settled.invoked > this.#oldestUndetermined) return;
    this.#oldestUndetermined = Infinity;
    for (const { invoked } of this.#undetermined.values()) {
      this.#oldestUndetermined = Math.min(this.#oldestUndetermined, invoked);
    }
  }

  /** Up to which event everything is known that there is to know; or, rather than wait for ever, enough. */
  #knownUpTo(): number {
    const { value: oldest } = this.#open.values().next();
    const open = oldest === undefined ? Infinity : oldest.invocation.index;
    if (this.#waiting.length - this.#next > LOOKAHEAD) return open;
    return Math.min(open, this.#oldestUndetermined);
  }

  #overlapsItsOwner(operation: LockOperation): boolean {
    if (operation.owner === undefined) return false;
    const others = this.#byOwner.get(operation.owner);
    if (others === undefined) {
      this.#byOwner.set(operation.owner, [operation]);
      return false;
    }
    others.push(operation);
    return others.some((other) => other !== operation && other.completed > operation.invoked);
  }

  #advance(): void {
    if (this.#progress.state !== "following") return;
    const known = this.#knownUpTo();
    for (; this.#next < this.#waiting.length; this.#next += 1) {
      const operation = this.#waiting[this.#next]!;
      if (operation.completed > known) break;
      this.#forgetOwner(operation);
      const impossible = this.#linearization.push(operation);
      if (impossible === undefined) continue;
      this.#fail({ state: "impossible", impossible });
      return;
    }
    if (this.#next > 1024 && this.#next * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
  }

  #forgetOwner(operation: LockOperation): void {
    if (operation.owner === undefined) return;
    const rest = this.#byOwner.get(operation.owner)?.filter((other) => other !== operation) ?? [];
    if (rest.length === 0) this.#byOwner.delete(operation.owner);
    else this.#byOwner.set(operation.owner, rest);
  }

  #fail(progress: Progress): void {
    if (!this.#model.ownerAware) {
      this.#progress = { state: "general", why: "without owners, anybody may have released" };
    } else if (this.#linearization.truncated) {
      this.#progress = { state: "general", why: "there are too many ways to place operations of unknown outcome" };
    } else this.#progress = progress;
    this.#waiting = [];
    this.#next = 0;
    this.#byOwner.clear();
    this.#undetermined.clear();
  }
}

function described({
  invocation,
  stranger,
}: OpenOperation): Omit<LockOperation, "kind" | "required" | "completed" | "completedTime"> {
  return {
    process: invocation.process,
    owner: invocation.f === "acquire" ? undefined : invocation.value.owner,
    stranger,
    fence: undefined,
    invoked: invocation.index,
    invokedTime: invocation.time,
    leaseNs: invocation.f === "release" ? 0 : earliestExpiry(invocation.value.ttlMs),
  };
}

function ending(completion: LockCompletion): Pick<LockOperation, "required" | "completed" | "completedTime"> {
  return { required: true, completed: completion.index, completedTime: completion.time };
}

function possible(open: OpenOperation): LockOperation {
  const end = { required: false, completed: Infinity, completedTime: Infinity };
  return { ...described(open), kind: open.invocation.f, ...end };
}

function granted(open: OpenOperation, completion: Extract<LockCompletion, { type: "ok" }>): LockOperation {
  const operation = { ...described(open), ...ending(completion) };
  if (completion.f === "release") return { ...operation, kind: completion.value.released ? "release" : "miss" };
  if (completion.f === "extend") return { ...operation, kind: "extend" };
  const { owner, fence } = completion.value;
  return { ...operation, kind: "acquire", owner, fence };
}
