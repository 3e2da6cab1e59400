package org.lockstorm.worker;

/** Another client holds the lock, and this operation certainly changed nothing. */
public class ContendedException extends RuntimeException {
  /** @param message what the lock said */
  public ContendedException(String message) {
    super(message);
  }
}
