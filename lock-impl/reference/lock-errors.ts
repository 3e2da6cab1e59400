/** The lease of a held lock ended without a release: it expired, or another client took the lock. */
export class LockLostError extends Error {
  override readonly name = "LockLostError";
  readonly key: string;

  constructor(key: string, reason: string) {
    super(`the lock ${key} is lost: ${reason}`);
    this.key = key;
  }
}

/**
 * The lock could not be taken, for another reason than another holder. `indeterminate`: nobody knows whether a request
 * of this client was applied; if it was, nobody holds the lock until that lease ends.
 */
export class LockUnavailableError extends Error {
  override readonly name = "LockUnavailableError";
  readonly key: string;
  readonly indeterminate: boolean;

  constructor(key: string, reason: string, indeterminate: boolean) {
    super(`the lock ${key} cannot be taken: ${reason}`);
    this.key = key;
    this.indeterminate = indeterminate;
  }
}
