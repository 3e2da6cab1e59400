package org.lockstorm.worker;

/** The operation certainly had no effect, for another reason than contention. */
public class FailedException extends RuntimeException {
  /** @param message the reason */
  public FailedException(String message) {
    super(message);
  }
}
