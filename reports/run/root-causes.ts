import type { Cause } from "../../harness/core/verdict.ts";
import { clientIsToBlame } from "../wording.ts";
import type { Story } from "./story.ts";

/** The violations of a run that come from the same thing. */
export interface RootCause {
  readonly cause: Cause;
  /** The kind of fault that enabled them, where the verdict names one. */
  readonly enabledBy?: string | undefined;
  /** At least one, in the order of the properties; the first tells the most. */
  readonly stories: readonly Story[];
}

/**
 * Groups stories by what led to them: the cause, and the kind of fault that enabled it. What the lock did comes before
 * what its clients did: an overrun, of which a busy run has many, hides no double grant.
 */
export function rootCausesOf(stories: readonly Story[]): readonly RootCause[] {
  const groups = Map.groupBy(stories, ({ violation, enabling }) => `${violation.cause} ${enabling?.kind ?? ""}`);
  return [...groups.values()]
    .flatMap((alike): readonly RootCause[] => {
      const [first] = alike;
      if (first === undefined) return [];
      const kind = first.enabling?.kind;
      return [{ cause: first.violation.cause, enabledBy: kind, stories: alike }];
    })
    .toSorted((one, other) => Number(clientIsToBlame(one.cause)) - Number(clientIsToBlame(other.cause)));
}
