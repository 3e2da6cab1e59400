package org.lockstorm.locks;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.lockstorm.locks.LettuceCommands.Sent;
import org.lockstorm.worker.Capabilities;
import org.lockstorm.worker.ContendedException;
import org.lockstorm.worker.Environment;
import org.lockstorm.worker.Grant;
import org.lockstorm.worker.IndeterminateException;
import org.lockstorm.worker.LockClient;
import org.lockstorm.worker.Worker;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The Redis provider of ShedLock, unmodified, with Spring Data Redis and Lettuce: {@code lockAtMostFor} is the lease, and {@code
 * lockAtLeastFor} is zero, so that an unlock frees the lock.
 */
public final class ShedLock implements LockClient {
  /** The provider counts whole milliseconds, rounded down. */
  private static final long ROUNDED_MS = 1;

  private final LettuceConnectionFactory connections;
  private final LettuceCommands commands;
  private final RedisLockProvider provider;
  private final String client;
  private final Map<String, SimpleLock> held = new ConcurrentHashMap<>();
  private long acquisitions;

  ShedLock(Environment environment) {
    connections = LettuceConnections.to(environment.servers());
    commands = LettuceCommands.of(connections);
    provider = new RedisLockProvider(connections);
    client = environment.client();
  }

  @Override
  public Grant acquire(String key, long ttlMs, long waitMs) throws Exception {
    Sent sent = commands.begin();
    // The lease ends so long after the time in the configuration, however late the command is sent.
    long fromNanos = System.nanoTime();
    Instant now = ClockProvider.now();
    Optional<SimpleLock> taken = provider.lock(new LockConfiguration(now, key, Duration.ofMillis(ttlMs), Duration.ZERO));
    if (taken.isEmpty()) throw refused(sent, "it is locked");
    String owner = client + "/" + ++acquisitions;
    held.put(owner, taken.get());
    return new Grant(owner, ttlMs - ROUNDED_MS, fromNanos);
  }

  @Override
  public Grant extend(String key, String owner, long ttlMs) throws Exception {
    Sent sent = commands.begin();
    long fromNanos = System.nanoTime();
    // An extension that fails has used up the lock as well.
    Optional<SimpleLock> extended = held.get(owner).extend(Duration.ofMillis(ttlMs), Duration.ZERO);
    if (extended.isEmpty()) throw refused(sent, "it could not be extended");
    held.put(owner, extended.get());
    return new Grant(owner, ttlMs - ROUNDED_MS, fromNanos);
  }

  /** {@code unlock} deletes the key, whosever it is, and does not say whether there was one. */
  @Override
  public boolean release(String key, String owner) throws Exception {
    held.remove(owner).unlock();
    throw new IndeterminateException("unlock does not say whether the lock was still this owner's");
  }

  @Override
  public void close() {
    connections.destroy();
  }

  private static RuntimeException refused(Sent sent, String why) {
    if (sent.certain()) return new ContendedException(why);
    return new IndeterminateException(why + ", but a command went unanswered, and may have been applied");
  }

  /** Holds it for lockstorm. */
  public static void main(String[] words) {
    Worker.serve(Capabilities.NONE.withExtension(Capabilities.Extension.ANY), ShedLock::new);
  }
}
