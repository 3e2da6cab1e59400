import { freshOwnerValue } from "./owner-value.ts";

/** Under which owner value a client tries next, and whether that is a re-entry into a hold of its own. */
export interface Try {
  readonly owner: string;
  /** True when the client believes that it holds already and enters once more. */
  readonly inner: boolean;
}

/**
 * What a client remembers of its own holds, so far as it matters for the owner value of its next acquisition. One for
 * each client.
 */
export interface OwnHolds {
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

/** Owner values from a source that knows nothing of holds. */
export function ownersFrom(source: (key: string) => string): OwnHolds {
  return { next: (key) => ({ owner: source(key), inner: false }), entered() {}, left() {}, lost() {} };
}
