package org.lockstorm.example;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.lockstorm.worker.Address;
import org.lockstorm.worker.Capabilities;
import org.lockstorm.worker.ContendedException;
import org.lockstorm.worker.Grant;
import org.lockstorm.worker.LockClient;
import org.lockstorm.worker.Servers;
import org.lockstorm.worker.Worker;

/**
 * A lock of your own: SET NX PX and a script that compares the owner, on one server. It speaks to Redis itself, a connection a
 * command; yours would use its client library.
 */
public final class OwnLock implements LockClient {
  private static final String RELEASE =
      "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
  private static final int TIMEOUT_MS = 1000;
  private static final long RETRY_AFTER_MS = 50;

  private final Address address;

  OwnLock(Address address) {
    this.address = address;
  }

  /** Waits by trying again: a fresh owner, and the time before the request, for every try. */
  @Override
  public Grant acquire(String key, long ttlMs, long waitMs) throws IOException, InterruptedException {
    long giveUpAt = System.nanoTime() + waitMs * 1_000_000;
    while (true) {
      String owner = UUID.randomUUID().toString();
      long sentAtNanos = System.nanoTime();
      if (call("SET", key, owner, "NX", "PX", Long.toString(ttlMs)).equals("+OK")) {
        return new Grant(owner, ttlMs, sentAtNanos);
      }
      if (System.nanoTime() >= giveUpAt) throw new ContendedException("another client holds the lock");
      Thread.sleep(RETRY_AFTER_MS);
    }
  }

  @Override
  public boolean release(String key, String owner) throws IOException {
    return call("EVAL", RELEASE, "1", key, owner).equals(":1");
  }

  /** The first line of the reply. When it throws, nobody knows what became of the command. */
  private String call(String... words) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(address.host(), address.port()), TIMEOUT_MS);
      socket.setSoTimeout(TIMEOUT_MS);
      StringBuilder command = new StringBuilder("*" + words.length + "\r\n");
      for (String word : words) {
        command.append('$').append(word.getBytes(StandardCharsets.UTF_8).length).append("\r\n").append(word).append("\r\n");
      }
      socket.getOutputStream().write(command.toString().getBytes(StandardCharsets.UTF_8));
      return firstLine(new BufferedInputStream(socket.getInputStream()));
    }
  }

  private static String firstLine(InputStream reply) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int read = reply.read(); read != '\n'; read = reply.read()) {
      if (read == -1) throw new IOException("the connection was closed");
      line.append((char) read);
    }
    if (line.charAt(0) == '-') throw new IOException(line.toString());
    return line.toString().strip();
  }

  /** Holds the lock for lockstorm. */
  public static void main(String[] words) {
    Worker.serve(
        Capabilities.NONE.withWaiting(),
        environment -> new OwnLock(((Servers.Single) environment.servers()).address()));
  }
}
