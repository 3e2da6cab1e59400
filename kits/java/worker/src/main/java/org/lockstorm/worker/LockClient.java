package org.lockstorm.worker;

import java.util.List;

/**
 * One client of the lock. lockstorm asks for one operation at a time, always from the same thread.
 *
 * <p>An operation that throws {@link ContendedException} or {@link FailedException} certainly had no effect. With any other
 * exception nobody knows; so let those of the library through.
 */
public interface LockClient extends AutoCloseable {
  /**
   * Takes the lock.
   *
   * @param key the name of the lock
   * @param ttlMs the lease to ask for
   * @param waitMs how long to wait for another holder; 0 means one try
   * @return the lease that was granted
   * @throws Exception when it was not granted, or nobody knows
   */
  Grant acquire(String key, long ttlMs, long waitMs) throws Exception;

  /**
   * Takes permits of a semaphore, all in one grant. Never called unless the capabilities say that the lock is one.
   *
   * @param key the name of the semaphore
   * @param limit how many permits it has
   * @param permits how many to take
   * @param ttlMs the lease to ask for
   * @param waitMs how long to wait for other holders; 0 means one try
   * @return the lease that was granted
   * @throws Exception when it was not granted, or nobody knows
   */
  default Grant acquirePermits(String key, int limit, int permits, long ttlMs, long waitMs) throws Exception {
    throw new UnsupportedOperationException("this lock is no semaphore");
  }

  /**
   * Takes a read-write lock. Never called unless the capabilities say that the lock is one.
   *
   * @param key the name of the lock
   * @param mode how to take it
   * @param ttlMs the lease to ask for
   * @param waitMs how long to wait for other holders; 0 means one try
   * @return the lease that was granted
   * @throws Exception when it was not granted, or nobody knows
   */
  default Grant acquireMode(String key, Mode mode, long ttlMs, long waitMs) throws Exception {
    throw new UnsupportedOperationException("this lock has no readers");
  }

  /**
   * Takes several keys, all or none, under one owner value. {@link #extend} and {@link #release} name the first key, and mean all.
   * Never called unless the capabilities say that the lock can.
   *
   * @param keys the names, at least two
   * @param ttlMs the lease to ask for
   * @param waitMs how long to wait for other holders; 0 means one try
   * @return the lease that was granted
   * @throws Exception when it was not granted, or nobody knows
   */
  default Grant acquireKeys(List<String> keys, long ttlMs, long waitMs) throws Exception {
    throw new UnsupportedOperationException("this lock takes one key at a time");
  }

  /**
   * Prolongs a lease to {@code ttlMs} from now. Never called unless the capabilities say that the lock can.
   *
   * @param key the name of the lock
   * @param owner the owner of its grant
   * @param ttlMs the new lease
   * @return the lease that was granted
   * @throws Exception when it was not granted, or nobody knows
   */
  default Grant extend(String key, String owner, long ttlMs) throws Exception {
    throw new UnsupportedOperationException("this lock does not extend leases");
  }

  /**
   * Gives the lock back.
   *
   * @param key the name of the lock
   * @param owner the owner of its grant
   * @return false if it was <em>certainly</em> no longer this owner's
   * @throws Exception when nobody knows
   */
  boolean release(String key, String owner) throws Exception;

  @Override
  default void close() throws Exception {}
}
