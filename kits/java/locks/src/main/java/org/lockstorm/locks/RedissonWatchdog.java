package org.lockstorm.locks;

import java.util.Collection;
import org.lockstorm.locks.Connections.Connection;
import org.lockstorm.locks.SentCommands.AnswerListener;
import org.lockstorm.worker.Capabilities;
import org.lockstorm.worker.Environment;
import org.lockstorm.worker.Worker;
import org.redisson.api.RLock;

/**
 * {@code RLock} without a lease time: Redisson's watchdog renews it every third of a time-out that all locks of a client share,
 * 30 s by default and less here, whatever lease is asked for.
 */
public final class RedissonWatchdog extends ThreadLock<RLock> {
  static final long TIMEOUT_MS = 1500;
  private static final long NO_LEASE_TIME = -1;

  private final Environment environment;

  RedissonWatchdog(Environment environment, Connection connection) {
    super(connection);
    this.environment = environment;
  }

  @Override
  RLock lock(String key) {
    return connection().redisson().getLock(key);
  }

  @Override
  Long take(RLock lock, long ttlMs, long waitMs) throws InterruptedException {
    return tryLock(lock, waitMs, NO_LEASE_TIME);
  }

  @Override
  long appliedMs(long ttlMs) {
    return TIMEOUT_MS;
  }

  /** A renewal is answered with the names that it has found. */
  @Override
  AnswerListener whileHeld(String key, String owner) {
    return (sentAtNanos, reply) -> {
      if (reply instanceof Collection<?> found && found.contains(key)) {
        environment.renewed(key, owner, TIMEOUT_MS, sentAtNanos);
      }
    };
  }

  static Connection connect(Environment environment) {
    return Connections.one(environment.servers(), config -> config.setLockWatchdogTimeout(TIMEOUT_MS));
  }

  /** Holds it for lockstorm. */
  public static void main(String[] words) {
    Worker.serve(
        Capabilities.NONE.withWaiting(), environment -> new RedissonWatchdog(environment, connect(environment)));
  }
}
