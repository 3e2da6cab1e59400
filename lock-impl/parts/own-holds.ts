import { freshOwnerValue } from "./owner-value.ts";

/** The owner value of a client's next try, and whether that try is a re-entry into its own hold. */
export interface Try {
  readonly owner: string;
  /** True when the client believes that it already holds and enters once more. */
  readonly inner: boolean;
}

/** What a client remembers of its own holds to choose the owner value of its next acquisition. One per client. */
export interface OwnHolds {
  /** The owner value of the next try. */
  next(key: string): Try;
  /** A try was granted. */
  entered(key: string, owner: string): void;
  /** One level of the hold was given up. */
  left(key: string, owner: string): void;
  /** The hold is lost, on all its levels. */
  lost(key: string, owner: string): void;
}

/** A fresh owner value for each acquisition; nothing to remember. */
export function freshOwners(): OwnHolds {
  return ownersFrom(freshOwnerValue);
}

/** Owner values from a source that does not depend on holds. */
export function ownersFrom(source: (key: string) => string): OwnHolds {
  return { next: (key) => ({ owner: source(key), inner: false }), entered() {}, left() {}, lost() {} };
}
