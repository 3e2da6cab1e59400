import type { Property, PropertyVerdict, Violation } from "../core/verdict.ts";
import { inFigures } from "../core/words/in-figures.ts";

/** A broken lock may have thousands of violations; nobody reads more than this. */
const LISTED_VIOLATIONS = 100;

/**
 * Collects the violations of one property: the first hundred in full, the rest as a number. They are described at the
 * end, when everything is known: a fault is recorded only when its effect was seen.
 */
export class Findings {
  readonly #property: Property;
  readonly #listed: (() => Violation)[] = [];
  #count = 0;

  constructor(property: Property) {
    this.#property = property;
  }

  /** Adds a violation. `describe` is called at the end, if the violation is listed. */
  add(describe: () => Violation): void {
    if (this.#listed.length < LISTED_VIOLATIONS) this.#listed.push(describe);
    this.#count += 1;
  }

  /** Counts a violation that is not to be listed: more than enough others will be. */
  addUnlisted(): void {
    this.#count += 1;
  }

  /** Remarks on the violations that are not listed. */
  get remarks(): readonly string[] {
    const unlisted = this.#count - this.#listed.length;
    if (unlisted === 0) return [];
    const more = unlisted === 1 ? "violation" : "violations";
    return [`${inFigures(unlisted)} more ${more} of ${this.#property} ${unlisted === 1 ? "is" : "are"} not listed`];
  }

  /** `invalid` with the violations in the order of their first event, or else `otherwise`. */
  verdict(otherwise: PropertyVerdict): PropertyVerdict {
    if (this.#count === 0) return otherwise;
    const violations = this.#listed
      .map((describe) => describe())
      .toSorted((left, right) => lastEvent(left) - lastEvent(right));
    return { verdict: "invalid", violations };
  }
}

function lastEvent(violation: Violation): number {
  return violation.events.at(-1) ?? 0;
}

export const VALID: PropertyVerdict = { verdict: "valid", violations: [] };

/** Why a property says nothing of a lock that several clients may hold at a time. */
export const NOT_JUDGED = "of locks that several clients may hold at a time are not judged";

export function notApplicable(reason: string): PropertyVerdict {
  return { verdict: "not-applicable", violations: [], reason };
}

export function unknown(reason: string): PropertyVerdict {
  return { verdict: "unknown", violations: [], reason };
}

/** Event indices as a violation lists them: ascending, each once. */
export function eventList(...events: readonly (number | undefined)[]): readonly number[] {
  return [...new Set(events.filter((index) => index !== undefined))].toSorted((left, right) => left - right);
}
