package org.lockstorm.locks;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.event.command.CommandFailedEvent;
import io.lettuce.core.event.command.CommandListener;
import io.lettuce.core.event.command.CommandStartedEvent;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Sees the commands of a Lettuce client as they are sent: when they went, and whether each was answered. Lettuce sends a command
 * again when it connects anew, and does not say so.
 */
final class LettuceCommands implements CommandListener, RedisConnectionStateListener {
  private final AtomicLong unanswered = new AtomicLong();
  private volatile long lastNanos;

  /** Listens from before the first connection on, and connects: else the first acquisition would have to. */
  static LettuceCommands of(LettuceConnectionFactory connections) {
    LettuceCommands commands = new LettuceCommands();
    RedisClient client = (RedisClient) connections.getRequiredNativeClient();
    client.addListener((CommandListener) commands);
    client.addListener((RedisConnectionStateListener) commands);
    connections.getConnection().close();
    return commands;
  }

  @Override
  public void commandStarted(CommandStartedEvent event) {
    lastNanos = System.nanoTime();
  }

  @Override
  public void commandFailed(CommandFailedEvent event) {
    if (!(event.getCause() instanceof RedisNoScriptException)) unanswered.incrementAndGet();
  }

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
    unanswered.incrementAndGet();
  }

  /** Begins to note what is sent. */
  Sent begin() {
    return new Sent(unanswered.get());
  }

  /** What became of the commands since it began. */
  final class Sent {
    private final long before;

    private Sent(long before) {
      this.before = before;
    }

    /** When the last one was sent: a reading of {@link System#nanoTime()} before it went. */
    long lastNanos() {
      return lastNanos;
    }

    /** Whether each was sent once and answered, so that the last answer speaks of all of them. */
    boolean certain() {
      return unanswered.get() == before;
    }
  }
}
