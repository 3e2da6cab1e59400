package org.lockstorm.locks;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.lockstorm.locks.Connections.Connection;
import org.lockstorm.locks.SentCommands.AnswerListener;
import org.lockstorm.locks.SentCommands.Sent;
import org.lockstorm.worker.ContendedException;
import org.lockstorm.worker.Grant;
import org.lockstorm.worker.IndeterminateException;
import org.lockstorm.worker.LockClient;
import org.redisson.api.RLock;

/** A lock of Redisson that a thread holds, on one connection. How it is taken, and for how long, is the subclass's. */
abstract class ThreadLock<L extends RLock> implements LockClient {
  private final Connection connection;
  private final Map<String, Held<L>> held = new ConcurrentHashMap<>();

  private record Held<L>(Holder holder, L lock) {}

  ThreadLock(Connection connection) {
    this.connection = connection;
  }

  /** The lock of this name. */
  abstract L lock(String key);

  /** Tries to take it, in the thread that is to hold it: the fencing token, 0 of a lock without one, or null if it is held. */
  abstract Long take(L lock, long ttlMs, long waitMs) throws Exception;

  /** The lease that was asked of the server. */
  long appliedMs(long ttlMs) {
    return ttlMs;
  }

  /** Hears of the answers to an acquisition that runs. */
  AnswerListener whileWaiting(String key, long waitMs) {
    return (sentAtNanos, reply) -> {};
  }

  /** Hears of the answers about a lock that is held. */
  AnswerListener whileHeld(String key, String owner) {
    return (sentAtNanos, reply) -> {};
  }

  /** What follows the thread in the name by which the server knows the holder. */
  String suffix(L lock) {
    return "";
  }

  Connection connection() {
    return connection;
  }

  @Override
  public Grant acquire(String key, long ttlMs, long waitMs) throws Exception {
    return acquire(key, lock(key), ttlMs, waitMs);
  }

  /** Takes this lock of the key's. */
  Grant acquire(String key, L lock, long ttlMs, long waitMs) throws Exception {
    Holder holder = new Holder();
    String owner = connection.redisson().getId() + ":" + holder.threadId() + suffix(lock);
    Sent sent = connection.sent().watch(owner, whileWaiting(key, waitMs));
    try {
      Long token = holder.call(() -> take(lock, ttlMs, waitMs));
      if (token == null) throw refused(sent);
      long sentAtNanos = sent.lastNanos();
      connection.sent().watch(owner, whileHeld(key, owner));
      held.put(owner, new Held<>(holder, lock));
      Grant grant = new Grant(owner, appliedMs(ttlMs), sentAtNanos);
      return token == 0 ? grant : grant.withFence(token);
    } finally {
      if (!held.containsKey(owner)) {
        connection.sent().forget(owner);
        holder.close();
      }
    }
  }

  @Override
  public boolean release(String key, String owner) throws Exception {
    Held<L> mine = held.remove(owner);
    // Not a lock of this client: its owner cannot be named by another, so a thread that holds nothing unlocks.
    if (mine == null) return releaseForeign(key);
    Sent sent = connection.sent().watch(owner);
    try {
      mine.holder().call(() -> unlock(mine.lock()));
      return true;
    } catch (IllegalMonitorStateException error) {
      if (sent.certain()) return false;
      throw new IndeterminateException("a command was sent again, and the first may have unlocked", error);
    } finally {
      connection.sent().forget(owner);
      mine.holder().close();
    }
  }

  @Override
  public void close() {
    connection.close();
  }

  private boolean releaseForeign(String key) throws Exception {
    try (Holder stranger = new Holder()) {
      L lock = lock(key);
      stranger.call(() -> unlock(lock));
      return true;
    } catch (IllegalMonitorStateException error) {
      return false;
    }
  }

  private static Void unlock(RLock lock) {
    lock.unlock();
    return null;
  }

  static RuntimeException refused(Sent sent) throws InterruptedException {
    if (sent.certain()) return new ContendedException("it was not granted");
    return new IndeterminateException("it was not granted, but a command went unanswered, and may have been applied");
  }

  /** {@code tryLock}, as {@link #take} answers. */
  static Long tryLock(RLock lock, long waitMs, long leaseMs) throws InterruptedException {
    return lock.tryLock(waitMs, leaseMs, TimeUnit.MILLISECONDS) ? 0L : null;
  }
}
