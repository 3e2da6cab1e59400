package org.lockstorm.locks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.lockstorm.locks.Connections.Connection;
import org.lockstorm.locks.SentCommands.Sent;
import org.lockstorm.worker.Capabilities;
import org.lockstorm.worker.ContendedException;
import org.lockstorm.worker.Grant;
import org.lockstorm.worker.IndeterminateException;
import org.lockstorm.worker.LockClient;
import org.lockstorm.worker.Worker;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;

/**
 * {@code RedissonRedLock} with a lease time, unmodified, over an {@code RLock} for each independent server, each of a client of
 * its own. It says neither which servers it has the lock on, nor which of them unlocked: what was answered does.
 */
public final class RedissonRed implements LockClient {
  private final List<Connection> connections;
  private final Map<String, Held> held = new ConcurrentHashMap<>();

  private record Held(Holder holder, RedissonRedLock lock, long threadId) {}

  RedissonRed(List<Connection> connections) {
    this.connections = connections;
  }

  @Override
  public Grant acquire(String key, long ttlMs, long waitMs) throws Exception {
    Holder holder = new Holder();
    long threadId = holder.threadId();
    RLock[] locks = connections.stream().map(each -> each.redisson().getLock(key)).toArray(RLock[]::new);
    RedissonRedLock lock = new RedissonRedLock(locks);
    // The last thing that it does to the locks that it took: it gives their keys the lease time, as of now, whoever has them.
    List<Sent> leases =
        connections.stream().map(each -> each.sent().watchWithout(key, nameOf(each, threadId))).toList();
    List<Sent> sent = watch(threadId);
    String owner = nameOf(connections.get(0), threadId);
    try {
      if (!holder.call(() -> lock.tryLock(waitMs, ttlMs, TimeUnit.MILLISECONDS))) throw refused(sent);
      long sentAtNanos = leases.stream()
          .filter(Sent::any)
          .map(Sent::lastNanos)
          .reduce(Math::min)
          .orElseThrow(() -> new IndeterminateException("it was granted, and no lease was set"));
      held.put(owner, new Held(holder, lock, threadId));
      return new Grant(owner, ttlMs, sentAtNanos);
    } finally {
      connections.forEach(each -> each.sent().forget(key));
      forget(threadId);
      if (!held.containsKey(owner)) holder.close();
    }
  }

  /** The library swallows what servers answer to an unlock. */
  @Override
  public boolean release(String key, String owner) throws Exception {
    Held mine = held.remove(owner);
    // A thread that holds nothing unlocks nothing.
    if (mine == null) return false;
    List<Sent> sent = watch(mine.threadId());
    try {
      mine.holder().call(() -> unlock(mine.lock()));
      if (isMajority(certain(sent, Boolean.class::isInstance))) return true;
      if (isMajority(certain(sent, Objects::isNull))) return false;
      throw new IndeterminateException("a majority of servers has answered neither that it unlocked nor that it did not");
    } finally {
      forget(mine.threadId());
      mine.holder().close();
    }
  }

  @Override
  public void close() {
    connections.forEach(Connection::close);
  }

  private static Void unlock(RLock lock) {
    lock.unlock();
    return null;
  }

  /** Certain, if a majority of servers said that another has it, each asked once: they say for how long. */
  private RuntimeException refused(List<Sent> sent) throws InterruptedException {
    if (isMajority(certain(sent, Long.class::isInstance))) return new ContendedException("it was not granted");
    return new IndeterminateException("it was not granted, and no majority of servers has said that another has it");
  }

  /** How many servers certainly ended with such an answer. */
  private static int certain(List<Sent> sent, Predicate<Object> reply) throws InterruptedException {
    int count = 0;
    for (Sent each : sent) if (each.certain() && each.ended(reply)) count += 1;
    return count;
  }

  private boolean isMajority(int servers) {
    return servers > connections.size() / 2;
  }

  private List<Sent> watch(long threadId) {
    List<Sent> watched = new ArrayList<>();
    for (Connection each : connections) watched.add(each.sent().watch(nameOf(each, threadId)));
    return watched;
  }

  private void forget(long threadId) {
    for (Connection each : connections) each.sent().forget(nameOf(each, threadId));
  }

  /** What the server of this connection calls the holder. */
  private static String nameOf(Connection connection, long threadId) {
    return connection.redisson().getId() + ":" + threadId;
  }

  /** Holds it for lockstorm. */
  public static void main(String[] words) {
    Worker.serve(
        Capabilities.NONE.withWaiting(),
        environment -> new RedissonRed(Connections.each(environment.servers(), config -> {})));
  }
}
