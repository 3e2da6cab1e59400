package org.lockstorm.locks;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.lockstorm.worker.Address;

/** A server that answers scripts and SET with what a test queued, and everything else as Redisson and Lettuce expect of a healthy one. */
final class ScriptedServer implements AutoCloseable {
  /** Instead of a reply: the connection breaks. */
  static final String BREAK = "";

  private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final Queue<String> scripts = new ConcurrentLinkedQueue<>();
  private final Queue<String> sets = new ConcurrentLinkedQueue<>();
  private final Set<String> names = ConcurrentHashMap.newKeySet();
  private final Queue<List<String>> seen = new ConcurrentLinkedQueue<>();

  ScriptedServer() throws IOException {
    start(() -> {
      while (true) {
        Socket accepted = listening.accept();
        start(() -> serve(accepted));
      }
    });
  }

  Address address() {
    return new Address(listening.getInetAddress().getHostAddress(), listening.getLocalPort());
  }

  /** The replies to the next scripts. */
  void answerScripts(String... replies) {
    scripts.addAll(List.of(replies));
  }

  /** The replies to the next SET commands; without any, each succeeds. */
  void answerSets(String... replies) {
    sets.addAll(List.of(replies));
  }

  /** Whether a command of this name came. */
  boolean got(String name) {
    return names.contains(name);
  }

  /** The scripts that came, without those that no reply was queued for. */
  List<List<String>> seen() {
    return List.copyOf(seen);
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }

  private void serve(Socket socket) throws IOException {
    try (socket) {
      InputStream input = new BufferedInputStream(socket.getInputStream());
      for (List<String> words = read(input); words != null; words = read(input)) {
        String reply = reply(words);
        if (reply.equals(BREAK)) return;
        socket.getOutputStream().write(reply.getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private String reply(List<String> words) {
    String name = words.get(0).toUpperCase(Locale.ROOT);
    names.add(name);
    // Lettuce asks for a newer protocol, and goes on without.
    if (name.equals("HELLO")) return "-ERR unknown command\r\n";
    if (name.equals("PING")) return "+PONG\r\n";
    if (name.equals("DEL") || name.equals("PEXPIRE")) return ":1\r\n";
    if (name.endsWith("SUBSCRIBE")) {
      String channel = words.get(1);
      String kind = name.toLowerCase(Locale.ROOT);
      return "*3\r\n$" + kind.length() + "\r\n" + kind + "\r\n$" + channel.length() + "\r\n" + channel + "\r\n:1\r\n";
    }
    String ofSet = name.equals("SET") ? sets.poll() : null;
    if (ofSet != null) return ofSet;
    if (!name.startsWith("EVAL")) return "+OK\r\n";
    String queued = scripts.poll();
    if (queued == null) return "-ERR no reply is queued\r\n";
    seen.add(words);
    return queued;
  }

  private static List<String> read(InputStream input) throws IOException {
    String header = line(input);
    if (header == null) return null;
    List<String> words = new ArrayList<>();
    for (int left = Integer.parseInt(header.substring(1)); left > 0; left--) {
      int size = Integer.parseInt(line(input).substring(1));
      words.add(new String(input.readNBytes(size + 2), 0, size, StandardCharsets.UTF_8));
    }
    return words;
  }

  private static String line(InputStream input) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int read = input.read(); read != -1; read = input.read()) {
      if (read == '\n') return line.substring(0, line.length() - 1);
      line.append((char) read);
    }
    return null;
  }

  private interface Work {
    void run() throws IOException;
  }

  private void start(Work work) {
    Thread thread = new Thread(() -> {
      try {
        work.run();
      } catch (IOException error) {
        if (!listening.isClosed()) throw new UncheckedIOException(error);
      }
    });
    thread.setDaemon(true);
    thread.start();
  }
}
