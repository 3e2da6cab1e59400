package org.lockstorm.locks;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.lockstorm.locks.Connections.Connection;
import org.lockstorm.locks.SentCommands.Sent;
import org.lockstorm.worker.Capabilities;
import org.lockstorm.worker.FailedException;
import org.lockstorm.worker.Grant;
import org.lockstorm.worker.LockClient;
import org.lockstorm.worker.Worker;
import org.redisson.api.RSemaphore;

/** {@code RSemaphore}, unmodified: a counter. Its permits have neither owners nor leases, so a TTL is not asked of it. */
public final class RedissonPermits implements LockClient {
  private final Connection connection;
  private final Map<String, Integer> taken = new ConcurrentHashMap<>();

  RedissonPermits(Connection connection) {
    this.connection = connection;
  }

  @Override
  public Grant acquire(String key, long ttlMs, long waitMs) throws Exception {
    return acquirePermits(key, 1, 1, ttlMs, waitMs);
  }

  @Override
  public Grant acquirePermits(String key, int limit, int permits, long ttlMs, long waitMs) throws Exception {
    RSemaphore semaphore = connection.redisson().getSemaphore(key);
    initialized(() -> semaphore.trySetPermits(limit));
    Sent sent = connection.sent().watch(key);
    try {
      boolean granted = waitMs > 0
          ? semaphore.tryAcquire(permits, waitMs, TimeUnit.MILLISECONDS)
          : semaphore.tryAcquire(permits);
      if (!granted) throw ThreadLock.refused(sent);
      String owner = UUID.randomUUID().toString();
      taken.put(owner, permits);
      return new Grant(owner, Grant.ENDLESS, sent.lastNanos());
    } finally {
      connection.sent().forget(key);
    }
  }

  /** As an application does it: whoever took permits gives back as many. Nothing is compared. */
  @Override
  public boolean release(String key, String owner) throws FailedException {
    Integer permits = taken.remove(owner);
    if (permits == null) throw new FailedException("permits of RSemaphore have no owner by which another could release them");
    connection.redisson().getSemaphore(key).release(permits);
    return true;
  }

  @Override
  public void close() {
    connection.close();
  }

  /** Sets the number of permits, unless it is there. Takes none, so that a failure is certain. */
  static void initialized(Runnable set) throws FailedException {
    try {
      set.run();
    } catch (RuntimeException error) {
      throw new FailedException("the number of permits could not be set: " + error.getMessage());
    }
  }

  /** Holds it for lockstorm. */
  public static void main(String[] words) {
    Worker.serve(
        Capabilities.NONE.withWaiting().withPermits(),
        environment -> new RedissonPermits(Connections.one(environment.servers(), config -> {})));
  }
}
