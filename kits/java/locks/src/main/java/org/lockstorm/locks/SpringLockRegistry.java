package org.lockstorm.locks;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.lockstorm.locks.LettuceCommands.Sent;
import org.lockstorm.worker.Capabilities;
import org.lockstorm.worker.ContendedException;
import org.lockstorm.worker.Environment;
import org.lockstorm.worker.Grant;
import org.lockstorm.worker.IndeterminateException;
import org.lockstorm.worker.LockClient;
import org.lockstorm.worker.Worker;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * {@code RedisLockRegistry} of Spring Integration, unmodified, with Lettuce: the spin lock, which is its default. A lock belongs to a
 * thread of its registry, so each acquisition has a thread of its own.
 */
public final class SpringLockRegistry implements LockClient {
  private final LettuceConnectionFactory connections;
  private final LettuceCommands commands;
  private final RedisLockRegistry registry;
  private final String client;
  private final Map<String, Held> held = new ConcurrentHashMap<>();
  private long acquisitions;

  private record Held(Holder holder, DistributedLock lock) {}

  SpringLockRegistry(Environment environment) {
    connections = LettuceConnections.to(environment.servers());
    commands = LettuceCommands.of(connections);
    registry = new RedisLockRegistry(connections, "locks");
    client = environment.client();
  }

  @Override
  public Grant acquire(String key, long ttlMs, long waitMs) throws Exception {
    Holder holder = new Holder();
    DistributedLock lock = registry.obtain(key);
    Sent sent = commands.begin();
    try {
      if (!holder.call(() -> lock.tryLock(Duration.ofMillis(waitMs), Duration.ofMillis(ttlMs)))) {
        throw refused(sent, "tryLock returned false");
      }
    } catch (Exception error) {
      holder.close();
      throw error;
    }
    String owner = client + "/" + ++acquisitions;
    held.put(owner, new Held(holder, lock));
    return new Grant(owner, ttlMs, sent.lastNanos());
  }

  @Override
  public Grant extend(String key, String owner, long ttlMs) throws Exception {
    Sent sent = commands.begin();
    try {
      held.get(owner).holder().call(() -> {
        registry.renewLock(key, Duration.ofMillis(ttlMs));
        return null;
      });
    } catch (IllegalStateException error) {
      throw refused(sent, error.getMessage());
    }
    return new Grant(owner, ttlMs, sent.lastNanos());
  }

  @Override
  public boolean release(String key, String owner) throws Exception {
    Held mine = held.remove(owner);
    Sent sent = commands.begin();
    try {
      mine.holder().call(() -> {
        mine.lock().unlock();
        return null;
      });
      return true;
    } catch (ConcurrentModificationException error) {
      if (sent.certain()) return false;
      throw new IndeterminateException("a command was sent again, and the first may have unlocked", error);
    } finally {
      mine.holder().close();
    }
  }

  @Override
  public void close() {
    registry.destroy();
    connections.destroy();
  }

  private static RuntimeException refused(Sent sent, String why) {
    if (sent.certain()) return new ContendedException(why);
    return new IndeterminateException(why + ", but a command went unanswered, and may have been applied");
  }

  /** Holds it for lockstorm. */
  public static void main(String[] words) {
    Worker.serve(
        Capabilities.NONE.withExtension(Capabilities.Extension.ANY).withWaiting(), SpringLockRegistry::new);
  }
}
