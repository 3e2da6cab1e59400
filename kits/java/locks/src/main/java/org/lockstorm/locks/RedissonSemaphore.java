package org.lockstorm.locks;

import org.lockstorm.locks.Connections.Connection;
import org.lockstorm.locks.SentCommands.Sent;
import org.lockstorm.worker.FailedException;
import org.lockstorm.worker.Grant;
import org.lockstorm.worker.LockClient;

/** A semaphore of Redisson, on one connection. The subclass says which, and how its permits are taken. */
abstract class RedissonSemaphore<S> implements LockClient {
  private final Connection connection;

  RedissonSemaphore(Connection connection) {
    this.connection = connection;
  }

  /** The semaphore of this name. */
  abstract S semaphore(String key);

  /** Sets the number of permits, unless it is set already. */
  abstract void setLimit(S semaphore, int limit);

  /** Tries to take permits: the grant, or null if there are too few. {@code sent} notes the commands about this key. */
  abstract Grant take(S semaphore, int permits, long ttlMs, long waitMs, Sent sent) throws Exception;

  Connection connection() {
    return connection;
  }

  @Override
  public Grant acquire(String key, long ttlMs, long waitMs) throws Exception {
    return acquirePermits(key, 1, 1, ttlMs, waitMs);
  }

  @Override
  public Grant acquirePermits(String key, int limit, int permits, long ttlMs, long waitMs) throws Exception {
    S semaphore = semaphore(key);
    initialize(semaphore, limit);
    Sent sent = connection.sent().watch(key);
    try {
      Grant grant = take(semaphore, permits, ttlMs, waitMs, sent);
      if (grant == null) throw ThreadLock.refused(sent);
      return grant;
    } finally {
      connection.sent().forget(key);
    }
  }

  @Override
  public void close() {
    connection.close();
  }

  /** Sets the number of permits. This takes none, so a failure is certain. */
  private void initialize(S semaphore, int limit) throws FailedException {
    try {
      setLimit(semaphore, limit);
    } catch (RuntimeException error) {
      throw new FailedException("the number of permits could not be set: " + error.getMessage());
    }
  }
}
