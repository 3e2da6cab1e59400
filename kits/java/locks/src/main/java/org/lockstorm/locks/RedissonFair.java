package org.lockstorm.locks;

import java.util.concurrent.atomic.AtomicBoolean;
import org.lockstorm.locks.Connections.Connection;
import org.lockstorm.locks.SentCommands.AnswerListener;
import org.lockstorm.worker.Capabilities;
import org.lockstorm.worker.Environment;
import org.lockstorm.worker.Worker;
import org.redisson.api.RLock;

/** {@code RedissonClient.getFairLock} with a lease time, unmodified: waiting threads stand in a queue at the server. */
public final class RedissonFair extends ThreadLock<RLock> {
  private final Environment environment;

  RedissonFair(Environment environment, Connection connection) {
    super(connection);
    this.environment = environment;
  }

  @Override
  RLock lock(String key) {
    return connection().redisson().getFairLock(key);
  }

  @Override
  Long take(RLock lock, long ttlMs, long waitMs) throws InterruptedException {
    return tryLock(lock, waitMs, ttlMs);
  }

  /**
   * A try that is refused is answered with milliseconds, when its thread stands in the queue. Only the first answer counts: a
   * waiter need not ask again to keep its place, so one that takes another was dropped by the lock.
   */
  @Override
  AnswerListener whileWaiting(String key, long waitMs) {
    AtomicBoolean told = new AtomicBoolean(waitMs == 0);
    return (sentAtNanos, reply) -> {
      if (reply instanceof Long && !told.getAndSet(true)) environment.queued(key);
    };
  }

  /** Holds it for lockstorm. */
  public static void main(String[] words) {
    Worker.serve(
        Capabilities.NONE.withWaiting().withFairness(),
        environment -> new RedissonFair(environment, Connections.one(environment.servers(), config -> {})));
  }
}
