package org.lockstorm.worker;

import java.util.Objects;

/**
 * A lease that was granted.
 *
 * @param owner the value under which the lock is held, fresh for each acquisition
 * @param validForMs how long the holder may trust the lease that was <em>really applied</em>; 0 promises nothing,
 *     and {@link #ENDLESS} says that the lock has no leases
 * @param sentAtNanos {@link System#nanoTime()} just <em>before</em> the request was sent that took the lock. The server's time
 *     begins later, so the lease that counts from here ends in time
 * @param fence the fencing token, or null
 * @param place the server ({@code node-2}), for locks that live on one of several, or null
 */
public record Grant(String owner, double validForMs, long sentAtNanos, Long fence, String place) {
  /** The validity of a lock without leases, which is held until it is released. Its worker file says {@code "leases": false}. */
  public static final double ENDLESS = Double.POSITIVE_INFINITY;

  /** Refuses a grant without an owner. */
  public Grant {
    Objects.requireNonNull(owner, "owner");
  }

  /**
   * A lease without a fencing token.
   *
   * @param owner the value under which the lock is held
   * @param validForMs how long the holder may trust it
   * @param sentAtNanos the reading of {@link System#nanoTime()} before the request was sent
   */
  public Grant(String owner, double validForMs, long sentAtNanos) {
    this(owner, validForMs, sentAtNanos, null, null);
  }

  /**
   * The same with a fencing token.
   *
   * @param token the token
   * @return a further grant
   */
  public Grant withFence(long token) {
    return new Grant(owner, validForMs, sentAtNanos, token, place);
  }
}
