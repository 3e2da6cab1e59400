package org.lockstorm.worker;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Who this client is, where its servers are, and whom it tells what the lock notices by itself. */
public final class Environment {
  private final String client;
  private final Servers servers;
  private final long originNanos;
  private final Consumer<Map<String, Object>> tell;

  Environment(String client, Servers servers, long originNanos, Consumer<Map<String, Object>> tell) {
    this.client = client;
    this.servers = servers;
    this.originNanos = originNanos;
    this.tell = tell;
  }

  /**
   * An environment without lockstorm, for the tests of a lock.
   *
   * @param servers where its servers are
   * @return an environment that tells nobody
   */
  public static Environment forTests(Servers servers) {
    return forTests(servers, message -> {});
  }

  /**
   * An environment without lockstorm, for the tests of what a lock tells.
   *
   * @param servers where its servers are
   * @param told hears the messages, as docs/protocol.md has them
   * @return an environment that tells it
   */
  public static Environment forTests(Servers servers, Consumer<Map<String, Object>> told) {
    return new Environment("client-0", servers, System.nanoTime(), told);
  }

  /**
   * The client's name.
   *
   * @return {@code client-0}
   */
  public String client() {
    return client;
  }

  /**
   * Where the servers are.
   *
   * @return their kind and addresses
   */
  public Servers servers() {
    return servers;
  }

  /**
   * Says that the lock found out by itself that a lease is gone.
   *
   * @param key the name of the lock
   * @param owner the owner of the grant
   */
  public void lost(String key, String owner) {
    tell.accept(new LinkedHashMap<>(Map.of("event", "lost", "key", key, "owner", owner)));
  }

  /**
   * Says that the server has answered that the acquire that runs stands in the queue for a key. Call it before the acquire ends,
   * once for each place: again if it lost its place because it did not show itself in time, and took one at the end of the queue.
   *
   * @param key the name of the lock
   */
  public void queued(String key) {
    tell.accept(new LinkedHashMap<>(Map.of("event", "queued", "key", key)));
  }

  /**
   * Says that the lock prolonged a lease by itself.
   *
   * @param key the name of the lock
   * @param owner the owner of the grant
   * @param validForMs how long the lease is now
   * @param sentAtNanos {@link System#nanoTime()} before the request was sent
   */
  public void renewed(String key, String owner, double validForMs, long sentAtNanos) {
    Map<String, Object> message = new LinkedHashMap<>(Map.of("event", "renewed", "key", key, "owner", owner));
    message.put("validForMs", validForMs);
    message.put("grantedAt", sinceOrigin(sentAtNanos));
    tell.accept(message);
  }

  /** Nanoseconds since the moment that lockstorm named. */
  long sinceOrigin(long nanos) {
    return Math.max(0, nanos - originNanos);
  }
}
