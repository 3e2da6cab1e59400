package org.lockstorm.locks;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.lockstorm.locks.Connections.Connection;
import org.lockstorm.locks.SentCommands.Sent;
import org.lockstorm.worker.Capabilities;
import org.lockstorm.worker.Capabilities.Extension;
import org.lockstorm.worker.ContendedException;
import org.lockstorm.worker.Grant;
import org.lockstorm.worker.IndeterminateException;
import org.lockstorm.worker.Worker;
import org.redisson.api.RPermitExpirableSemaphore;

/** {@code RPermitExpirableSemaphore} with a lease time, unmodified. Its leases end by the clocks of its clients. */
public final class RedissonExpirablePermits extends RedissonSemaphore<RPermitExpirableSemaphore> {
  /** Where the script that takes permits has the end of the lease: after itself, the number of keys, three keys, a number. */
  private static final int END_OF_LEASE = 6;

  private final Map<String, List<String>> taken = new ConcurrentHashMap<>();

  RedissonExpirablePermits(Connection connection) {
    super(connection);
  }

  @Override
  RPermitExpirableSemaphore semaphore(String key) {
    return connection().redisson().getPermitExpirableSemaphore(key);
  }

  @Override
  void setLimit(RPermitExpirableSemaphore semaphore, int limit) {
    semaphore.trySetPermits(limit);
  }

  @Override
  Grant take(RPermitExpirableSemaphore semaphore, int permits, long ttlMs, long waitMs, Sent sent)
      throws InterruptedException {
    List<String> ids = semaphore.tryAcquire(permits, waitMs, ttlMs, TimeUnit.MILLISECONDS);
    if (ids == null || ids.isEmpty()) return null;
    String owner = String.join(",", ids);
    taken.put(owner, ids);
    return new Grant(owner, ttlMs, begun(sent, ttlMs));
  }

  @Override
  public Grant extend(String key, String owner, long ttlMs) throws Exception {
    Sent sent = connection().sent().watch(key);
    try {
      long beforeNanos = System.nanoTime();
      int extended = 0;
      List<String> ids = ids(owner);
      for (String id : ids) if (semaphore(key).updateLeaseTime(id, ttlMs, TimeUnit.MILLISECONDS)) extended += 1;
      if (extended == ids.size()) return new Grant(owner, ttlMs, beforeNanos);
      if (extended == 0 && sent.certain()) throw new ContendedException("no permit was left to extend");
      throw new IndeterminateException(extended + " of " + ids.size() + " permits were certainly extended");
    } finally {
      connection().sent().forget(key);
    }
  }

  @Override
  public boolean release(String key, String owner) throws Exception {
    Sent sent = connection().sent().watch(key);
    try {
      List<String> ids = ids(owner);
      taken.remove(owner);
      if (semaphore(key).tryRelease(ids) == ids.size()) return true;
      if (sent.certain()) return false;
      throw new IndeterminateException("a command was sent again, and the first may have released");
    } finally {
      connection().sent().forget(key);
    }
  }

  /** The permits of a grant, also of another client's. */
  private List<String> ids(String owner) {
    return taken.getOrDefault(owner, List.of(owner.split(",")));
  }

  /**
   * When the lease began. The library computes the end of the lease from the wall clock before it sends the command, perhaps long
   * before. The end that it sent shows how long ago that was.
   */
  private static long begun(Sent sent, long ttlMs) {
    long endMs = (Long) sent.lastWords()[END_OF_LEASE];
    long nowNanos = System.nanoTime();
    long agoMs = System.currentTimeMillis() - (endMs - ttlMs);
    // The minimum guards against a wall clock that was set back meanwhile. Both readings cut off up to a millisecond: hence + 1.
    return Math.min(sent.lastNanos(), nowNanos - TimeUnit.MILLISECONDS.toNanos(agoMs + 1));
  }

  /** Holds it for lockstorm. */
  public static void main(String[] words) {
    Worker.serve(
        Capabilities.NONE.withExtension(Extension.ANY).withWaiting().withPermits(),
        environment -> new RedissonExpirablePermits(Connections.one(environment.servers(), config -> {})));
  }
}
