package org.lockstorm.worker;

/** Nobody knows whether the operation had its effect. Any exception that this package does not define means the same. */
public class IndeterminateException extends RuntimeException {
  /**
   * Says why nobody knows, where no error of the library is behind it: of an {@code unlock} that reports nothing, for instance.
   *
   * @param message what happened
   */
  public IndeterminateException(String message) {
    super(message);
  }

  /**
   * Says why nobody knows.
   *
   * @param message what happened
   * @param cause the error of the library
   */
  public IndeterminateException(String message, Throwable cause) {
    super(message, cause);
  }
}
