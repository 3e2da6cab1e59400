import type { Violation } from "../../core/verdict.ts";
import { NANOSECONDS_PER_MS } from "../../history/history.ts";
import { longestTtlMs } from "../../history/holds/lease.ts";
import type { CompletionEvent, InvocationEvent } from "../../history/operations.ts";
import type { Findings } from "../findings.ts";

/** More violations than anybody reads. */
const KEPT = 1000;

/** A violation unless the lock's leases last so long. */
interface Unless {
  /** The shortest lease that explains it, in nanoseconds. */
  readonly explainedFrom: number;
  readonly describe: (ownLease: number) => Violation;
}

/**
 * Violations that a longer lease explains. Some locks have a lease of their own, whatever they are asked for, and only a grant
 * says which: it may come later, or be of another key.
 */
export class LaterPromises {
  readonly #unless: Unless[] = [];
  /** The longest lease that the lock promised beyond what it was asked for, in nanoseconds. */
  #ownLease = 0;

  /** A grant or an extension, by its request and its answer. */
  hear(
    request: Extract<InvocationEvent, { f: "acquire" | "extend" }>,
    { value }: Extract<CompletionEvent, { f: "acquire" | "extend"; type: "ok" }>,
  ): void {
    const promisedMs = value.validForMs ?? 0;
    if (promisedMs > longestTtlMs(request)) this.#ownLease = Math.max(this.#ownLease, promisedMs * NANOSECONDS_PER_MS);
  }

  /** Keeps a violation until all promises are known. The one that needs the longest lease is always kept: it may be the only one left. */
  keep(violation: Unless): void {
    if (violation.explainedFrom <= this.#ownLease) return;
    const last = this.#unless[KEPT - 1];
    if (last === undefined) this.#unless.push(violation);
    else if (violation.explainedFrom > last.explainedFrom) this.#unless[KEPT - 1] = violation;
  }

  /** Adds what no promise explains. */
  settle(findings: Findings): void {
    for (const { explainedFrom, describe } of this.#unless)
      if (explainedFrom > this.#ownLease) findings.add(() => describe(this.#ownLease));
  }
}
