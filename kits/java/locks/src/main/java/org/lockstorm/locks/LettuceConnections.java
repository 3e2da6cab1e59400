package org.lockstorm.locks;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import java.time.Duration;
import java.util.function.Function;
import org.lockstorm.worker.Address;
import org.lockstorm.worker.Servers;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Connections of Spring Data Redis for lockstorm's addresses: its defaults and Lettuce's, but for time-outs. */
final class LettuceConnections {
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  private LettuceConnections() {}

  /** The connections of a client to one server, or to the master that Sentinels name. */
  static LettuceConnectionFactory to(Servers servers) {
    Function<HostAndPort, HostAndPort> translate = announced -> mapped(servers, announced);
    LettuceClientConfiguration settings = LettuceClientConfiguration.builder()
        .commandTimeout(TIMEOUT)
        .shutdownTimeout(Duration.ZERO)
        .clientOptions(ClientOptions.builder().socketOptions(SocketOptions.builder().connectTimeout(TIMEOUT).build()).build())
        .clientResources(DefaultClientResources.builder()
            .socketAddressResolver(MappingSocketAddressResolver.create(translate))
            .build())
        .build();
    LettuceConnectionFactory factory = new LettuceConnectionFactory(place(servers), settings);
    factory.afterPropertiesSet();
    factory.start();
    return factory;
  }

  private static RedisConfiguration place(Servers servers) {
    if (servers instanceof Servers.Single single) {
      return new RedisStandaloneConfiguration(single.address().host(), single.address().port());
    }
    if (servers instanceof Servers.Sentinel sentinel) {
      RedisSentinelConfiguration place = new RedisSentinelConfiguration().master(sentinel.masterName());
      for (Address address : sentinel.sentinels()) place.sentinel(address.host(), address.port());
      return place;
    }
    throw new IllegalArgumentException("this lock does not run on " + servers);
  }

  private static HostAndPort mapped(Servers servers, HostAndPort announced) {
    if (!(servers instanceof Servers.Sentinel sentinel)) return announced;
    Address used = sentinel.translate(new Address(announced.getHostText(), announced.getPort()));
    return HostAndPort.of(used.host(), used.port());
  }
}
