package org.lockstorm.locks;

import org.lockstorm.locks.Connections.Connection;
import org.lockstorm.worker.Capabilities;
import org.lockstorm.worker.Worker;
import org.redisson.api.RLock;

/** {@code RLock} with a lease time, unmodified. */
public final class RedissonLease extends ThreadLock<RLock> {
  RedissonLease(Connection connection) {
    super(connection);
  }

  @Override
  RLock lock(String key) {
    return connection().redisson().getLock(key);
  }

  @Override
  Long take(RLock lock, long ttlMs, long waitMs) throws InterruptedException {
    return tryLock(lock, waitMs, ttlMs);
  }

  /** Holds it for lockstorm, with a check whether a replica has the lock, as is Redisson's default. */
  public static void main(String[] words) {
    serve(true);
  }

  static void serve(boolean checkLockSyncedSlaves) {
    Worker.serve(
        Capabilities.NONE.withWaiting(),
        environment -> new RedissonLease(
            Connections.one(
                environment.servers(), config -> config.setCheckLockSyncedSlaves(checkLockSyncedSlaves))));
  }
}
