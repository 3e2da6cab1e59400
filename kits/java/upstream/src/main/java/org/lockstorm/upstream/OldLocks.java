package org.lockstorm.upstream;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.lockstorm.worker.Capabilities;
import org.lockstorm.worker.Grant;
import org.lockstorm.worker.Mode;
import org.redisson.RedissonMultiLock;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;

/** What the application of a report does with Redisson to take a lock. */
enum OldLocks {
  /** {@code RedissonRedLock.tryLock(-1, ttl)}: do not wait. */
  REDLOCK(Capabilities.NONE.withWaiting()) {
    @Override
    Lock take(List<RedissonClient> clients, String key, Mode mode, long ttlMs) throws InterruptedException {
      RLock[] locks = clients.stream().map(client -> client.getLock(key)).toArray(RLock[]::new);
      RedissonRedLock lock = new RedissonRedLock(locks);
      return lock.tryLock(-1, ttlMs, TimeUnit.MILLISECONDS) ? lock : null;
    }
  },

  /** {@code RReadWriteLock} with a lease time. */
  READ_WRITE(Capabilities.NONE.withWaiting().withModes()) {
    @Override
    Lock take(List<RedissonClient> clients, String key, Mode mode, long ttlMs) throws InterruptedException {
      RReadWriteLock pair = clients.get(0).getReadWriteLock(key);
      RLock lock = mode == Mode.SHARED ? pair.readLock() : pair.writeLock();
      return lock.tryLock(0, ttlMs, TimeUnit.MILLISECONDS) ? lock : null;
    }
  },

  /**
   * {@code RReadWriteLock} without a lease time. Whoever reads has written before, and took the read lock before it gave the other
   * back.
   */
  DOWNGRADED(Capabilities.NONE.withWaiting().withModes()) {
    @Override
    Lock take(List<RedissonClient> clients, String key, Mode mode, long ttlMs) {
      RReadWriteLock pair = clients.get(0).getReadWriteLock(key);
      if (!pair.writeLock().tryLock()) return null;
      if (mode == Mode.EXCLUSIVE) return pair.writeLock();
      pair.readLock().lock();
      pair.writeLock().unlock();
      return pair.readLock();
    }

    @Override
    double appliedMs(long ttlMs) {
      return Grant.ENDLESS;
    }
  },

  /** {@code RedissonMultiLock.lock}, in seconds. It waits for ever. */
  MULTI_LOCK_SECONDS(Capabilities.NONE.withTtlGranularityMs(1000).withWaiting()) {
    @Override
    Lock take(List<RedissonClient> clients, String key, Mode mode, long ttlMs) {
      RedissonMultiLock lock = new RedissonMultiLock(clients.get(0).getLock(key));
      lock.lock(TimeUnit.MILLISECONDS.toSeconds(ttlMs), TimeUnit.SECONDS);
      return lock;
    }
  },

  /** {@code RLock} without a lease time, of an application that used the same object with one of an hour before. */
  LEASED_BEFORE(Capabilities.NONE.withWaiting()) {
    @Override
    Lock take(List<RedissonClient> clients, String key, Mode mode, long ttlMs) throws InterruptedException {
      RLock lock = clients.get(0).getLock(key);
      if (!lock.tryLock(0, 1, TimeUnit.HOURS)) return null;
      lock.unlock();
      return lock.tryLock() ? lock : null;
    }

    @Override
    double appliedMs(long ttlMs) {
      return OldRedisson.WATCHDOG_MS;
    }
  },

  /** {@code RLock} with a lease time, of an application that takes it twice more meanwhile, and gives that back. */
  REENTERED(Capabilities.NONE.withWaiting()) {
    @Override
    Lock take(List<RedissonClient> clients, String key, Mode mode, long ttlMs) throws InterruptedException {
      RLock lock = clients.get(0).getLock(key);
      if (!lock.tryLock(0, ttlMs, TimeUnit.MILLISECONDS)) return null;
      lock.lock(ttlMs, TimeUnit.MILLISECONDS);
      lock.lock(ttlMs, TimeUnit.MILLISECONDS);
      lock.unlock();
      lock.unlock();
      return lock;
    }
  },

  /** {@code RedissonSpinLock} without a lease time. It waits for less than a second. */
  SPIN(Capabilities.NONE.withWaiting()) {
    @Override
    Lock take(List<RedissonClient> clients, String key, Mode mode, long ttlMs) throws Exception {
      // Older versions, which this is compiled with too, have none.
      RLock lock = (RLock) RedissonClient.class.getMethod("getSpinLock", String.class).invoke(clients.get(0), key);
      return lock.tryLock(SPIN_MS, TimeUnit.MILLISECONDS) ? lock : null;
    }

    @Override
    double appliedMs(long ttlMs) {
      return Grant.ENDLESS;
    }
  },

  /** {@code RLock} without a lease time, of an application that interrupts the thread when it waits too long. */
  INTERRUPTED(Capabilities.NONE.withWaiting()) {
    @Override
    Lock take(List<RedissonClient> clients, String key, Mode mode, long ttlMs) {
      RLock lock = clients.get(0).getLock(key);
      CompletableFuture<Void> interruption = CompletableFuture.runAsync(
          Thread.currentThread()::interrupt, CompletableFuture.delayedExecutor(PATIENCE_MS, TimeUnit.MILLISECONDS));
      try {
        return lock.tryLock() ? lock : null;
      } finally {
        interruption.cancel(false);
        Thread.interrupted();
      }
    }

    @Override
    double appliedMs(long ttlMs) {
      return OldRedisson.WATCHDOG_MS;
    }
  },

  /** {@code RLock} without a lease time, which was taken once before, and whose key somebody deleted. */
  DELETED_BEFORE(Capabilities.NONE.withWaiting()) {
    @Override
    Lock take(List<RedissonClient> clients, String key, Mode mode, long ttlMs) throws InterruptedException {
      RLock lock = clients.get(0).getLock(key);
      if (!lock.tryLock()) return null;
      clients.get(0).getKeys().delete(key);
      Thread.sleep(OldRedisson.RENEWED_AFTER_MS);
      return lock.tryLock() ? lock : null;
    }

    @Override
    double appliedMs(long ttlMs) {
      return Grant.ENDLESS;
    }
  },

  /** {@code RLock} without a lease time, which was taken once before, and whose renewal the server refused until it was lost. */
  REFUSED_BEFORE(Capabilities.NONE.withWaiting()) {
    @Override
    Lock take(List<RedissonClient> clients, String key, Mode mode, long ttlMs) throws InterruptedException {
      RLock lock = clients.get(0).getLock(key);
      if (!lock.tryLock()) return null;
      // Its type is wrong for the script that renews.
      clients.get(0).getBucket(key).set("");
      Thread.sleep(OldRedisson.RENEWED_AFTER_MS);
      clients.get(0).getKeys().delete(key);
      return lock.tryLock() ? lock : null;
    }

    @Override
    double appliedMs(long ttlMs) {
      return Grant.ENDLESS;
    }
  },

  /** {@code RLock} without a lease time. */
  WATCHDOG(Capabilities.NONE.withWaiting()) {
    @Override
    Lock take(List<RedissonClient> clients, String key, Mode mode, long ttlMs) {
      RLock lock = clients.get(0).getLock(key);
      return lock.tryLock() ? lock : null;
    }

    @Override
    double appliedMs(long ttlMs) {
      return Grant.ENDLESS;
    }
  },

  /** {@code RLock} without a lease time, which another thread has taken twice before, and given back as often. */
  REENTERED_BEFORE(Capabilities.NONE.withWaiting()) {
    @Override
    Lock take(List<RedissonClient> clients, String key, Mode mode, long ttlMs) {
      RLock lock = clients.get(0).getLock(key);
      boolean free = CompletableFuture.supplyAsync(() -> takenTwice(lock)).join();
      return free && lock.tryLock() ? lock : null;
    }

    private boolean takenTwice(RLock lock) {
      if (!lock.tryLock()) return false;
      lock.lock();
      lock.unlock();
      lock.unlock();
      return true;
    }

    @Override
    double appliedMs(long ttlMs) {
      return Grant.ENDLESS;
    }
  };

  private static final long SPIN_MS = 600;
  /** Less than the time-out of a command. */
  private static final long PATIENCE_MS = 700;

  private final Capabilities capabilities;

  OldLocks(Capabilities capabilities) {
    this.capabilities = capabilities;
  }

  Capabilities capabilities() {
    return capabilities;
  }

  /** The lock, or null if another holds it. */
  abstract Lock take(List<RedissonClient> clients, String key, Mode mode, long ttlMs) throws Exception;

  /** How long the application may trust its lock. One without a lease time is renewed until it is given back. */
  double appliedMs(long ttlMs) {
    return ttlMs;
  }
}
