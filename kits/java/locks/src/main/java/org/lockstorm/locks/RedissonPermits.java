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
import org.lockstorm.worker.Worker;
import org.redisson.api.RSemaphore;

/** {@code RSemaphore}, unmodified: a counter. Its permits have neither owners nor leases, so no TTL is sent. */
public final class RedissonPermits extends RedissonSemaphore<RSemaphore> {
  private final Map<String, Integer> taken = new ConcurrentHashMap<>();

  RedissonPermits(Connection connection) {
    super(connection);
  }

  @Override
  RSemaphore semaphore(String key) {
    return connection().redisson().getSemaphore(key);
  }

  @Override
  void setLimit(RSemaphore semaphore, int limit) {
    semaphore.trySetPermits(limit);
  }

  @Override
  Grant take(RSemaphore semaphore, int permits, long ttlMs, long waitMs, Sent sent) throws InterruptedException {
    boolean granted = waitMs > 0
        ? semaphore.tryAcquire(permits, waitMs, TimeUnit.MILLISECONDS)
        : semaphore.tryAcquire(permits);
    if (!granted) return null;
    String owner = UUID.randomUUID().toString();
    taken.put(owner, permits);
    return new Grant(owner, Grant.ENDLESS, sent.lastNanos());
  }

  /** As an application does it: a client gives back as many permits as it took. Nothing is compared. */
  @Override
  public boolean release(String key, String owner) throws FailedException {
    Integer permits = taken.remove(owner);
    if (permits == null) throw new FailedException("permits of RSemaphore have no owner by which another could release them");
    semaphore(key).release(permits);
    return true;
  }

  /** Holds it for lockstorm. */
  public static void main(String[] words) {
    Worker.serve(
        Capabilities.NONE.withWaiting().withPermits(),
        environment -> new RedissonPermits(Connections.one(environment.servers(), config -> {})));
  }
}
