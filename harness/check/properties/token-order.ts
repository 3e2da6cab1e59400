import type { RenewedEvent } from "../../history/history.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import { invoked } from "../linearizability/invoked.ts";
import { asHeard, renewalOf } from "../linearizability/as-heard.ts";
import { KeyOperations } from "../linearizability/key-operations.ts";
import { KeptRoom } from "../linearizability/search/kept-operations.ts";
import { lockModel, type LockModelName, type LockOperation } from "../linearizability/lock-models.ts";
import { MOST_STEPS, StepBudget } from "../linearizability/step-budget.ts";
import type { HistoryStep } from "../evidence/history-step.ts";

/** A key is no longer followed after this many grants if none carried a fencing token. */
const GRANTS_WITHOUT_TOKEN = 64;
/** Of a history without any token, no more keys than this are followed: a key takes several kilobytes. */
const KEYS_WITHOUT_TOKEN = 1000;

/** One key, explained twice: by what the lock answered alone, and by its fencing tokens as well. */
interface Explained {
  readonly plain: KeyOperations;
  readonly fenced: KeyOperations;
  withoutToken: number;
  withToken: number;
}

/** No order of the holds explains the fencing tokens of a key, although one explains everything else. */
export interface TokenDisorder {
  readonly key: string;
  /**
   * The operation with which no order was left, if one shows it: an acquire, or an operation of its owner on its hold.
   */
  readonly operation: LockOperation | undefined;
  /** The fencing token that conflicts with it: that of the holder before it, in the order that got furthest. */
  readonly rival: number | undefined;
}

/**
 * Finds fencing tokens that no order of the holds explains. A token that is not minted in the step that takes the key
 * may be larger although its hold came first. If the two acquires overlap in time, their completions do not show that.
 * So the operations of each key are explained twice, as linearizability is decided: by a lock without fencing tokens,
 * and by one whose holds have larger tokens one after the other. If the second fails and the first does not, the tokens
 * are certainly at fault. If the first fails too, exclusion was broken, and nothing is said.
 */
export class TokenOrder {
  readonly #evidence: SharedEvidence;
  readonly #keys = new Map<string, Explained | "done">();
  /** Whether a grant of any key carried a fencing token. */
  #withToken = false;
  /** The room of both explanations of all keys. */
  readonly #room = new KeptRoom();
  /** The budget of both explanations of all keys. */
  readonly #budget = new StepBudget(MOST_STEPS);

  constructor(evidence: SharedEvidence) {
    this.#evidence = evidence;
  }

  /** Takes the next step. Returns what the event shows to be out of order. */
  push(step: HistoryStep): TokenDisorder | undefined {
    const { event } = step;
    if (event.type === "fault" || event.type === "audit") return undefined;
    if (event.type === "lost") {
      const explained = this.#of(event.key);
      if (explained !== undefined) for (const operations of [explained.plain, explained.fenced]) operations.lose(event);
      return undefined;
    }
    if (event.type === "renewed") {
      this.#renew(event, step);
      return undefined;
    }
    if (event.f !== "acquire" && event.f !== "release" && event.f !== "extend") return undefined;
    const explained = this.#of(event.key);
    if (explained === undefined) return undefined;
    for (const operations of [explained.plain, explained.fenced]) {
      if (step.loss !== undefined) operations.lose(step.loss);
      if (event.type === "invoke") invoked(operations, event, step, this.#evidence);
      else operations.complete(asHeard(event, step, this.#evidence), this.#evidence.isAskingFor(step.invocation));
    }
    if (event.type === "ok" && event.f === "acquire") {
      if (event.value.fence === undefined) explained.withoutToken += 1;
      else {
        explained.withToken += 1;
        this.#withToken = true;
      }
      if (explained.withToken === 0 && explained.withoutToken >= GRANTS_WITHOUT_TOKEN) this.abandon(event.key);
    }
    return this.#disorder(event.key, explained);
  }

  #renew(event: RenewedEvent, step: HistoryStep): void {
    const explained = this.#of(event.key);
    if (explained === undefined) return;
    const renewed = renewalOf(event, step, this.#evidence);
    for (const operations of [explained.plain, explained.fenced]) operations.renew(event, renewed);
  }

  /** To be called after the last event. Returns what the whole history shows to be out of order. */
  finish(): readonly TokenDisorder[] {
    return [...this.#keys.keys()].flatMap((key) => this.conclude(key) ?? []);
  }

  /** To be called after the last event of a key. Returns what all its events show to be out of order. */
  conclude(key: string): TokenDisorder | undefined {
    const explained = this.#keys.get(key);
    const found = explained === undefined || explained === "done" ? undefined : this.#concluded(key, explained);
    this.abandon(key);
    this.#keys.delete(key);
    return found;
  }

  #concluded(key: string, explained: Explained): TokenDisorder | undefined {
    if (explained.withToken === 0) return undefined;
    const { plain, fenced } = explained;
    plain.finish();
    fenced.finish();
    const found = this.#disorder(key, explained);
    if (found !== undefined) return found;
    if (fenced.progress.state !== "general" || fenced.search() !== "not-linearizable") return undefined;
    const explains = plain.progress.state === "following" || plain.search() === "linearizable";
    return explains ? { key, operation: undefined, rival: undefined } : undefined;
  }

  #disorder(key: string, { plain, fenced }: Explained): TokenDisorder | undefined {
    const { progress } = fenced;
    if (progress.state === "following" && plain.progress.state === "following") return undefined;
    // After this event the two follow different histories.
    if (progress.state !== "general" || plain.progress.state !== "following") this.abandon(key);
    if (progress.state !== "impossible" || plain.progress.state !== "following") return undefined;
    const { operation, before } = progress.impossible;
    const { lastFence } = before.state;
    const largest = Number.isFinite(lastFence) ? lastFence : undefined;
    return { key, operation, rival: operation.kind === "acquire" ? largest : (before.grant?.fence ?? largest) };
  }

  /**
   * Follows a key no further. To be called too when an owner that may still hold is granted it with another fencing token: it is
   * unknown whether it was a re-entry, or a new hold because a fault had taken the old one.
   */
  abandon(key: string): void {
    const explained = this.#keys.get(key);
    if (explained !== undefined && explained !== "done") {
      explained.plain.conclude();
      explained.fenced.conclude();
    }
    this.#keys.set(key, "done");
  }

  #of(key: string): Explained | undefined {
    const known = this.#keys.get(key);
    if (known !== undefined) return known === "done" ? undefined : known;
    if (!this.#withToken && this.#keys.size >= KEYS_WITHOUT_TOKEN) {
      this.#keys.set(key, "done");
      return undefined;
    }
    const { beganFree } = this.#evidence;
    const follow = (model: LockModelName): KeyOperations =>
      new KeyOperations(
        lockModel(model, { beganFree }),
        false,
        this.#room,
        undefined,
        this.#budget,
        this.#evidence.holds.lineage,
      );
    const fresh: Explained = {
      plain: follow("reentrant-mutex"),
      fenced: follow("reentrant-fenced-mutex"),
      withoutToken: 0,
      withToken: 0,
    };
    this.#keys.set(key, fresh);
    return fresh;
  }
}
