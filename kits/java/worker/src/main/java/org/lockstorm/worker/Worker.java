package org.lockstorm.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The program around a lock: lines of JSON in and out, one conversation with lockstorm. */
public final class Worker {
  /** The version of the protocol that this package speaks. */
  public static final int PROTOCOL = 1;

  private static final int LONGEST_REASON = 2000;

  private final Capabilities capabilities;
  private final LockConnector lock;
  private final BufferedReader lines;
  private final PrintStream output;

  Worker(Capabilities capabilities, LockConnector lock, InputStream input, PrintStream output) {
    this.capabilities = capabilities;
    this.lock = lock;
    this.lines = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
    this.output = output;
  }

  /**
   * Holds the lock for lockstorm until it says that it is done, or its end of the pipe closes; then <em>ends the process</em>,
   * whatever threads the lock has left. What the program prints goes to standard error: standard output is for the protocol only.
   *
   * @param capabilities what the lock can do
   * @param lock connects a client of it
   */
  public static void serve(Capabilities capabilities, LockConnector lock) {
    PrintStream protocol = System.out;
    System.setOut(System.err);
    int code = 0;
    try {
      new Worker(capabilities, lock, System.in, protocol).run();
    } catch (IOException | RuntimeException error) {
      error.printStackTrace();
      code = 1;
    }
    System.err.flush();
    Runtime.getRuntime().halt(code);
  }

  /** Speaks from the first line to the last. */
  void run() throws IOException {
    String opening = lines.readLine();
    if (opening == null) return;
    Map<String, Object> first = Json.parse(opening);
    if (Json.number(first, "protocol") != PROTOCOL) {
      say(notReady("this worker speaks version " + PROTOCOL + " of the protocol"));
      return;
    }
    Map<String, Object> ready = new LinkedHashMap<>();
    ready.put("ready", true);
    ready.put("capabilities", capabilities.message());
    if (Boolean.TRUE.equals(first.get("describe"))) {
      say(ready);
      return;
    }
    LockClient client;
    Environment environment;
    try {
      environment = environment(first);
      client = lock.connect(environment);
    } catch (Throwable error) { // The author's code: whatever is wrong, lockstorm says it in one line.
      error.printStackTrace();
      say(notReady(inWords(error)));
      return;
    }
    say(ready);
    converse(client, environment);
  }

  private Environment environment(Map<String, Object> first) {
    long origin = Long.parseLong(Json.text(first, "origin"));
    return new Environment(Json.text(first, "client"), Servers.of(Json.object(first, "servers")), origin, this::say);
  }

  /** Operations have a thread of their own, so that the clock is answered while one runs. */
  private void converse(LockClient client, Environment environment) throws IOException {
    ExecutorService operations = Executors.newSingleThreadExecutor(Worker::daemon);
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Map<String, Object> request = Json.parse(line);
      String op = Json.text(request, "op");
      if (op.equals("close")) {
        close(client, operations);
        say(new LinkedHashMap<>(Map.of("closed", true)));
        return;
      }
      if (op.equals("clock")) say(answer(request, clock()));
      else operations.execute(() -> say(answer(request, perform(client, environment, op, request))));
    }
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "operations");
    thread.setDaemon(true);
    return thread;
  }

  private static void close(LockClient client, ExecutorService operations) {
    operations.shutdown();
    try {
      operations.awaitTermination(1, TimeUnit.SECONDS);
      client.close();
    } catch (Exception error) { // It is the end: nobody is left to mind.
      error.printStackTrace();
    }
  }

  private static Map<String, Object> perform(
      LockClient client, Environment environment, String op, Map<String, Object> request) {
    try {
      String key = Json.text(request, "key");
      return switch (op) {
        case "acquire" -> granted(acquire(client, key, request), environment);
        case "extend" -> granted(
            client.extend(key, Json.text(request, "owner"), Json.number(request, "ttlMs")), environment);
        case "release" -> ok(Map.of("released", client.release(key, Json.text(request, "owner"))));
        default -> throw new UnsupportedOperationException("this worker does not know " + op);
      };
    } catch (ContendedException error) {
      return failure("contended", error);
    } catch (FailedException error) {
      return failure("error", error);
    } catch (UnsupportedOperationException error) {
      return failure("unsupported", error);
    } catch (Throwable error) { // Also of the library's, also a class that is missing: nobody knows how far it got.
      error.printStackTrace();
      return failure("indeterminate", error);
    }
  }

  private static Grant acquire(LockClient client, String key, Map<String, Object> request) throws Exception {
    long ttlMs = Json.number(request, "ttlMs");
    long waitMs = Json.number(request, "waitMs");
    if (request.containsKey("limit")) {
      long permits = request.containsKey("permits") ? Json.number(request, "permits") : 1;
      return client.acquirePermits(key, (int) Json.number(request, "limit"), (int) permits, ttlMs, waitMs);
    }
    if (request.containsKey("mode")) return client.acquireMode(key, Mode.of(Json.text(request, "mode")), ttlMs, waitMs);
    if (request.containsKey("alsoKeys")) {
      List<String> keys = new ArrayList<>(List.of(key));
      keys.addAll(Json.texts(request, "alsoKeys"));
      return client.acquireKeys(keys, ttlMs, waitMs);
    }
    return client.acquire(key, ttlMs, waitMs);
  }

  private static Map<String, Object> clock() {
    return ok(Map.of("wallMs", System.currentTimeMillis(), "monotonicNs", Long.toString(System.nanoTime())));
  }

  private static Map<String, Object> granted(Grant grant, Environment environment) {
    Map<String, Object> message = ok(Map.of("owner", grant.owner()));
    if (grant.validForMs() != Grant.ENDLESS) message.put("validForMs", Math.max(0, grant.validForMs()));
    message.put("grantedAt", environment.sinceOrigin(grant.sentAtNanos()));
    if (grant.fence() != null) message.put("fence", grant.fence());
    if (grant.place() != null) message.put("place", grant.place());
    return message;
  }

  private static Map<String, Object> ok(Map<String, Object> fields) {
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("ok", true);
    message.putAll(fields);
    return message;
  }

  private static Map<String, Object> failure(String kind, Throwable error) {
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("ok", false);
    message.put("kind", kind);
    message.put("reason", inWords(error));
    return message;
  }

  private static Map<String, Object> notReady(String reason) {
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("ready", false);
    message.put("reason", reason);
    return message;
  }

  private static Map<String, Object> answer(Map<String, Object> request, Map<String, Object> fields) {
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("id", Json.number(request, "id"));
    message.putAll(fields);
    return message;
  }

  private static String inWords(Throwable error) {
    String words = error.getClass().getSimpleName() + ": " + error.getMessage();
    return words.length() <= LONGEST_REASON ? words : words.substring(0, LONGEST_REASON);
  }

  private synchronized void say(Map<String, Object> message) {
    output.print(Json.write(message) + "\n");
    output.flush();
  }
}
