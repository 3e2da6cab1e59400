package org.lockstorm.locks;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.redisson.client.NettyHook;
import org.redisson.client.RedisNoScriptException;
import org.redisson.client.protocol.CommandData;
import org.redisson.client.protocol.CommandsData;

/**
 * Sees the commands of a Redisson client as they are sent, and notes those that mention a word: when they went, and whether each
 * was answered. Redisson sends by itself, and says neither when nor how often.
 */
final class SentCommands implements NettyHook {
  private final Map<String, Sent> watched = new ConcurrentHashMap<>();

  /** Notes commands that mention this word, from now on. */
  Sent watch(String word) {
    return watch(word, (sentAtNanos, reply) -> {});
  }

  /** The same; each answer is told. What was sent before does not count any more. */
  Sent watch(String word, AnswerListener listener) {
    return watch(word, new Sent(listener, null));
  }

  /** Notes commands that mention this word and not the other, from now on. */
  Sent watchWithout(String word, String other) {
    return watch(word, new Sent((sentAtNanos, reply) -> {}, other));
  }

  private Sent watch(String word, Sent sent) {
    watched.put(word, sent);
    return sent;
  }

  void forget(String word) {
    watched.remove(word);
  }

  @Override
  public void afterBoostrapInitialization(Bootstrap bootstrap) {}

  @Override
  public void afterChannelInitialization(Channel channel) {
    // What Redisson writes comes to the last handler first.
    channel.pipeline().addLast(new Observer());
  }

  private final class Observer extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) throws Exception {
      long now = System.nanoTime();
      if (message instanceof CommandData<?, ?> command) note(command, now);
      else if (message instanceof CommandsData batch) batch.getCommands().forEach(command -> note(command, now));
      super.write(context, message, promise);
    }
  }

  private void note(CommandData<?, ?> command, long now) {
    for (Object word : command.getParams()) {
      Sent sent = word instanceof String text ? watched.get(text) : null;
      if (sent == null || Arrays.asList(command.getParams()).contains(sent.without)) continue;
      sent.begin(command, now);
      command.getPromise().whenComplete((reply, error) -> sent.end(now, reply, isAnswer(error)));
    }
  }

  private static boolean isAnswer(Throwable error) {
    return error == null || error instanceof RedisNoScriptException;
  }

  /** What became of the commands that mention a word. */
  static final class Sent {
    /** What else is to be done with an answer may be done before it is noted here. */
    private static final long NOTED_MS = 100;

    private final AnswerListener listener;
    private final String without;
    private long lastNanos;
    private Object[] lastWords = {};
    private int open;
    private boolean uncertain;
    private boolean answered;
    private Object lastReply;

    private Sent(AnswerListener listener, String without) {
      this.listener = listener;
      this.without = without;
    }

    private synchronized void begin(CommandData<?, ?> command, long now) {
      // A command before it was never answered: it is sent again.
      if (open > 0) uncertain = true;
      open += 1;
      lastNanos = now;
      lastWords = command.getParams();
    }

    private void end(long sentAtNanos, Object reply, boolean isAnswer) {
      synchronized (this) {
        if (isAnswer) {
          open -= 1;
          answered = true;
          lastReply = reply;
        } else uncertain = true;
        notifyAll();
      }
      if (isAnswer) listener.answered(sentAtNanos, reply);
    }

    /** Whether any was sent. */
    synchronized boolean any() {
      return lastWords.length > 0;
    }

    /** When the last one was sent: a reading of {@link System#nanoTime()} before it went. */
    synchronized long lastNanos() {
      return lastNanos;
    }

    /** What follows the name in the last one. */
    synchronized Object[] lastWords() {
      return lastWords;
    }

    /** Whether one was answered, and the last answer was this. */
    synchronized boolean ended(Predicate<Object> reply) {
      return answered && reply.test(lastReply);
    }

    /** Whether each was sent once and answered, so that the last answer speaks of all of them. */
    synchronized boolean certain() throws InterruptedException {
      long deadline = System.nanoTime() + NOTED_MS * 1_000_000;
      for (long left = NOTED_MS; open > 0 && !uncertain && left > 0; left = (deadline - System.nanoTime()) / 1_000_000) {
        wait(left);
      }
      return open == 0 && !uncertain;
    }
  }

  /** Hears of answered commands. */
  interface AnswerListener {
    void answered(long sentAtNanos, Object reply);
  }
}
