import type { Violation } from "../../core/verdict.ts";
import { NANOSECONDS_PER_MS } from "../../history/history.ts";
import { longestTtlMs } from "../../history/holds/lease.ts";
import type { CompletionEvent, InvocationEvent } from "../../history/operations.ts";
import type { Findings } from "../findings.ts";

/** More violations than anybody reads. */
const KEPT = 1000;

/** A violation unless the lock's leases last so long, or its tries may have refused one another. */
interface Unless {
  /** The shortest lease that explains it, in nanoseconds. */
  readonly explainedFrom: number;
  /** Whether another client waited for the lock meanwhile: its tries may have had the key in turn, if the lock gives back what it took. */
  readonly isBesideAnother: boolean;
  readonly describe: (ownLease: number) => Violation;
}

/**
 * Violations that a longer lease explains, or what a try gave back. Some locks have a lease of their own, whatever they are asked for,
 * and only a grant says which: it may come later, or be of another key. Others take the key, ask for more than that, such as that
 * replicas have it too, and give it back if they are not granted that.
 */
export class LaterPromises {
  readonly #unless: Unless[] = [];
  /** The longest lease that the lock promised beyond what it was asked for, in nanoseconds. */
  #ownLease = 0;
  #givesBack = false;

  /** A grant or an extension, by its request and its answer. */
  hear(
    request: Extract<InvocationEvent, { f: "acquire" | "extend" }>,
    { value }: Extract<CompletionEvent, { f: "acquire" | "extend"; type: "ok" }>,
  ): void {
    const promisedMs = value.validForMs ?? 0;
    if (promisedMs > longestTtlMs(request)) this.#ownLease = Math.max(this.#ownLease, promisedMs * NANOSECONDS_PER_MS);
  }

  /** Without a fault, a try failed for another reason than that somebody held: the lock may have taken the key and given it back. */
  hearOfFailure(): void {
    this.#givesBack = true;
  }

  /** Keeps a violation until all promises are known. The one that needs the longest lease is always kept: it may be the only one left. */
  keep(violation: Unless): void {
    if (violation.explainedFrom <= this.#ownLease) return;
    const last = this.#unless[KEPT - 1];
    if (last === undefined) this.#unless.push(violation);
    else if (violation.explainedFrom > last.explainedFrom) this.#unless[KEPT - 1] = violation;
  }

  /** Whether the lock has promised leases so long, in nanoseconds, beyond what it was asked for. */
  explain(lease: number): boolean {
    return lease <= this.#ownLease;
  }

  /** Adds what no promise explains. */
  settle(findings: Findings): void {
    for (const { explainedFrom, isBesideAnother, describe } of this.#unless) {
      if (isBesideAnother && this.#givesBack) continue;
      if (explainedFrom > this.#ownLease) findings.add(() => describe(this.#ownLease));
    }
  }
}
