package org.lockstorm.locks;

import java.util.concurrent.TimeUnit;
import org.lockstorm.locks.Connections.Connection;
import org.lockstorm.worker.Capabilities;
import org.lockstorm.worker.Worker;
import org.redisson.api.RFencedLock;

/** {@code RFencedLock} with a lease time, unmodified. */
public final class RedissonFenced extends ThreadLock<RFencedLock> {
  RedissonFenced(Connection connection) {
    super(connection);
  }

  @Override
  RFencedLock lock(String key) {
    return connection().redisson().getFencedLock(key);
  }

  @Override
  Long take(RFencedLock lock, long ttlMs, long waitMs) {
    return lock.tryLockAndGetToken(waitMs, ttlMs, TimeUnit.MILLISECONDS);
  }

  /** Holds it for lockstorm. */
  public static void main(String[] words) {
    Worker.serve(
        Capabilities.NONE.withWaiting().withFence(),
        environment -> new RedissonFenced(Connections.one(environment.servers(), config -> {})));
  }
}
