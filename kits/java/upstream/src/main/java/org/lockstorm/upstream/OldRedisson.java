package org.lockstorm.upstream;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;
import org.lockstorm.worker.Address;
import org.lockstorm.worker.ContendedException;
import org.lockstorm.worker.Grant;
import org.lockstorm.worker.LockClient;
import org.lockstorm.worker.Mode;
import org.lockstorm.worker.Servers;
import org.lockstorm.worker.Worker;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/**
 * Locks of Redisson 3.11 and newer, without retries. All operations of a client have one thread, so a client that acquires a lock
 * again re-enters it: plans for it have one section of a key for each client.
 */
public final class OldRedisson implements LockClient {
  /** For all locks without a lease time; 30 s by default. */
  static final long WATCHDOG_MS = 2400;
  /** By then a renewal, after a third of that, was answered. */
  static final long RENEWED_AFTER_MS = WATCHDOG_MS / 2;

  private static final int TIMEOUT_MS = 1000;
  private static final long RETRY_AFTER_MS = 50;

  private final OldLocks kind;
  private final List<RedissonClient> clients;
  private final Map<String, Callable<Boolean>> releases = new HashMap<>();

  private OldRedisson(OldLocks kind, Servers servers) {
    this.kind = kind;
    Stream<Address> addresses = servers instanceof Servers.Redlock redlock
        ? redlock.nodes().stream()
        : Stream.of(((Servers.Single) servers).address());
    clients = addresses.map(OldRedisson::connect).toList();
  }

  private static RedissonClient connect(Address address) {
    Config config = new Config();
    config.setCodec(StringCodec.INSTANCE).setThreads(2).setNettyThreads(2).setLockWatchdogTimeout(WATCHDOG_MS);
    config
        .useSingleServer()
        .setAddress("redis://" + address)
        .setConnectionMinimumIdleSize(1)
        .setConnectionPoolSize(4)
        .setSubscriptionConnectionMinimumIdleSize(1)
        .setTimeout(TIMEOUT_MS)
        .setRetryAttempts(0);
    return Redisson.create(config);
  }

  @Override
  public Grant acquire(String key, long ttlMs, long waitMs) throws Exception {
    return acquireMode(key, Mode.EXCLUSIVE, ttlMs, waitMs);
  }

  @Override
  public Grant acquireMode(String key, Mode mode, long ttlMs, long waitMs) throws Exception {
    return attempt(waitMs, sentAtNanos -> {
      Lock lock = kind.take(clients, key, mode, ttlMs);
      if (lock == null) return null;
      return granted(nameOf(key), kind.appliedMs(ttlMs), sentAtNanos, () -> unlock(lock));
    });
  }

  @Override
  public boolean release(String key, String owner) throws Exception {
    return releases.remove(owner).call();
  }

  private interface Try {
    /** The grant, or null if another holds the lock. */
    Grant once(long sentAtNanos) throws Exception;
  }

  private static Grant attempt(long waitMs, Try attempt) throws Exception {
    long giveUpAtNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs);
    while (true) {
      Grant grant = attempt.once(System.nanoTime());
      if (grant != null) return grant;
      if (System.nanoTime() >= giveUpAtNanos) throw new ContendedException("it was not granted");
      Thread.sleep(RETRY_AFTER_MS);
    }
  }

  private Grant granted(String owner, double validForMs, long sentAtNanos, Callable<Boolean> release) {
    releases.put(owner, release);
    return new Grant(owner, validForMs, sentAtNanos);
  }

  private static boolean unlock(Lock lock) {
    try {
      lock.unlock();
      return true;
    } catch (IllegalMonitorStateException error) {
      return false;
    }
  }

  /** What tells this acquisition from those of other clients, and of other keys. */
  private static String nameOf(String key) {
    return key + ":" + ProcessHandle.current().pid() + ":" + System.nanoTime();
  }

  @Override
  public void close() {
    clients.forEach(RedissonClient::shutdown);
  }

  /** Holds them for lockstorm. The first word is the name of one of {@link OldLocks}. */
  public static void main(String[] words) {
    OldLocks kind = OldLocks.valueOf(words[0]);
    Worker.serve(kind.capabilities(), environment -> new OldRedisson(kind, environment.servers()));
  }
}
