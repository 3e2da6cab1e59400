package org.lockstorm.locks;

import org.lockstorm.locks.Connections.Connection;
import org.lockstorm.worker.Capabilities;
import org.lockstorm.worker.Grant;
import org.lockstorm.worker.Mode;
import org.lockstorm.worker.Worker;
import org.redisson.RedissonWriteLock;
import org.redisson.api.RLock;
import org.redisson.api.RReadWriteLock;

/** {@code RReadWriteLock} with a lease time, unmodified. Without a mode it is a mutex: the write lock. */
public final class RedissonReadWrite extends ThreadLock<RLock> {
  RedissonReadWrite(Connection connection) {
    super(connection);
  }

  @Override
  RLock lock(String key) {
    return pair(key).writeLock();
  }

  @Override
  public Grant acquireMode(String key, Mode mode, long ttlMs, long waitMs) throws Exception {
    return acquire(key, mode == Mode.SHARED ? pair(key).readLock() : pair(key).writeLock(), ttlMs, waitMs);
  }

  @Override
  Long take(RLock lock, long ttlMs, long waitMs) throws InterruptedException {
    return tryLock(lock, waitMs, ttlMs);
  }

  @Override
  String suffix(RLock lock) {
    return lock instanceof RedissonWriteLock ? ":write" : "";
  }

  private RReadWriteLock pair(String key) {
    return connection().redisson().getReadWriteLock(key);
  }

  /** Holds it for lockstorm. */
  public static void main(String[] words) {
    Worker.serve(
        Capabilities.NONE.withWaiting().withModes(),
        environment -> new RedissonReadWrite(Connections.one(environment.servers(), config -> {})));
  }
}
