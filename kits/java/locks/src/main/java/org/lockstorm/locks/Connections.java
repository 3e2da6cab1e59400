package org.lockstorm.locks;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.lockstorm.worker.Address;
import org.lockstorm.worker.Servers;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.BaseConfig;
import org.redisson.config.Config;
import org.redisson.config.ConstantDelay;
import org.redisson.config.SentinelServersConfig;
import org.redisson.config.SingleServerConfig;
import org.redisson.misc.RedisURI;

/** Clients of Redisson for lockstorm's addresses: its defaults, but for time-outs and the number of idle connections. */
final class Connections {
  private static final int TIMEOUT_MS = 1000;
  private static final Duration RETRY_DELAY = Duration.ofMillis(100);
  private static final int IDLE = 1;
  /** Redisson's own are 16 and 32, for an application that does more than hold one lock. */
  private static final int THREADS = 4;

  private Connections() {}

  /** A client, and what it sends. */
  record Connection(RedissonClient redisson, SentCommands sent) implements AutoCloseable {
    @Override
    public void close() {
      redisson.shutdown(0, 1, TimeUnit.SECONDS);
    }
  }

  /** One client of one server, or of the master that Sentinels name. */
  static Connection one(Servers servers, Consumer<Config> settings) {
    return open(settings, config -> {
      if (servers instanceof Servers.Single single) useOne(config, single.address());
      else if (servers instanceof Servers.Sentinel sentinel) useSentinels(config, sentinel);
      else throw new IllegalArgumentException("this lock does not run on " + servers);
    });
  }

  /** A client for each of the independent servers. */
  static List<Connection> each(Servers servers, Consumer<Config> settings) {
    Stream<Address> nodes;
    if (servers instanceof Servers.Single single) nodes = Stream.of(single.address());
    else if (servers instanceof Servers.Redlock redlock) nodes = redlock.nodes().stream();
    else throw new IllegalArgumentException("this lock does not run on " + servers);
    return nodes.map(node -> open(settings, config -> useOne(config, node))).toList();
  }

  private static Connection open(Consumer<Config> settings, Consumer<Config> servers) {
    SentCommands sent = new SentCommands();
    Config config = new Config();
    config.setCodec(StringCodec.INSTANCE).setThreads(THREADS).setNettyThreads(THREADS).setNettyHook(sent);
    settings.accept(config);
    servers.accept(config);
    return new Connection(Redisson.create(config), sent);
  }

  private static void useOne(Config config, Address address) {
    SingleServerConfig used = config.useSingleServer().setAddress("redis://" + address);
    used.setConnectionMinimumIdleSize(IDLE).setSubscriptionConnectionMinimumIdleSize(IDLE);
    impatient(used);
  }

  private static void useSentinels(Config config, Servers.Sentinel servers) {
    String[] sentinels = servers.sentinels().stream().map(address -> "redis://" + address).toArray(String[]::new);
    SentinelServersConfig used = config
        .useSentinelServers()
        .setMasterName(servers.masterName())
        .addSentinelAddress(sentinels)
        .setNatMapper(uri -> mapped(servers, uri));
    used.setMasterConnectionMinimumIdleSize(IDLE)
        .setSlaveConnectionMinimumIdleSize(IDLE)
        .setSubscriptionConnectionMinimumIdleSize(IDLE);
    impatient(used);
  }

  private static RedisURI mapped(Servers.Sentinel servers, RedisURI announced) {
    Address used = servers.translate(new Address(announced.getHost(), announced.getPort()));
    return new RedisURI(announced.getScheme(), used.host(), used.port());
  }

  private static void impatient(BaseConfig<?> config) {
    config.setTimeout(TIMEOUT_MS);
    config.setConnectTimeout(TIMEOUT_MS);
    config.setRetryDelay(new ConstantDelay(RETRY_DELAY));
  }
}
