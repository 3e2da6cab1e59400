package org.lockstorm.worker;

/** Nobody knows whether the operation had its effect. Any exception that this package does not define means the same. */
public class IndeterminateException extends RuntimeException {
  /**
   * Says why nobody knows.
   *
   * @param message what happened
   * @param cause the error of the library, or null
   */
  public IndeterminateException(String message, Throwable cause) {
    super(message, cause);
  }
}
