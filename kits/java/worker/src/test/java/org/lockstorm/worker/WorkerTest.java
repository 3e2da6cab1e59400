package org.lockstorm.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkerTest {
  private static final Capabilities CAPABILITIES = Capabilities.NONE.withFence().withWaiting();

  /** A lock without servers. */
  private static class InMemory implements LockClient {
    private final Environment environment;
    private final Map<String, String> owners = new HashMap<>();

    InMemory(Environment environment) {
      this.environment = environment;
    }

    @Override
    public Grant acquire(String key, long ttlMs, long waitMs) throws IOException {
      if (key.equals("broken")) throw new IOException("the connection broke");
      if (key.equals("unsaid")) throw new IndeterminateException("the library returns nothing");
      if (key.equals("unlinked")) throw new NoClassDefFoundError("redis/Codec");
      if (key.equals("refused")) throw new FailedException("no");
      if (owners.putIfAbsent(key, "me") != null) throw new ContendedException("held");
      return new Grant("me", ttlMs - 10, System.nanoTime()).withFence(7);
    }

    @Override
    public boolean release(String key, String owner) {
      environment.lost(key, owner);
      return owners.remove(key, owner);
    }
  }

  private static List<Map<String, Object>> converse(LockConnector lock, String... lines) throws IOException {
    ByteArrayInputStream input = new ByteArrayInputStream((String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    new Worker(CAPABILITIES, lock, input, new PrintStream(output, true, StandardCharsets.UTF_8)).run();
    return output.toString(StandardCharsets.UTF_8).lines().map(Json::parse).toList();
  }

  private static String opening() {
    return "{\"protocol\":1,\"client\":\"client-0\",\"origin\":\"" + System.nanoTime()
        + "\",\"servers\":{\"kind\":\"single\",\"address\":{\"host\":\"h\",\"port\":1}}}";
  }

  /** The answers to these operations, and to nothing else. */
  private static List<Map<String, Object>> operations(String... requests) throws IOException {
    Stream<String> lines = Stream.of(Stream.of(opening()), Stream.of(requests), Stream.of("{\"op\":\"close\"}")).flatMap(s -> s);
    List<Map<String, Object>> said = converse(InMemory::new, lines.toArray(String[]::new));
    return said.subList(1, said.size() - 1);
  }

  private static String acquire(int id, String key) {
    return "{\"id\":" + id + ",\"op\":\"acquire\",\"key\":\"" + key + "\",\"ttlMs\":1000,\"waitMs\":0}";
  }

  @Test
  void isReadyWithItsCapabilitiesAndCloses() throws IOException {
    List<Map<String, Object>> said = converse(InMemory::new, opening(), "{\"op\":\"close\"}");
    Map<String, Object> capabilities =
        Map.of(
            "extend", "none",
            "ttlGranularityMs", 1L,
            "reentrant", false,
            "fence", true,
            "waits", true,
            "supports", Map.of("permits", false, "modes", false, "severalKeys", false, "fair", false));
    assertEquals(List.of(Map.of("ready", true, "capabilities", capabilities), Map.of("closed", true)), said);
  }

  @Test
  void describesItsLockWithoutConnecting() throws IOException {
    LockConnector unconnectable = environment -> {
      throw new AssertionError("nobody asked to connect");
    };
    List<Map<String, Object>> said = converse(unconnectable, "{\"protocol\":1,\"describe\":true}");
    assertEquals(List.of(true), said.stream().map(message -> message.get("ready")).toList());
  }

  @Test
  void aLeaseCountsFromBeforeItWasSent() throws IOException {
    long before = System.nanoTime();
    Map<String, Object> granted = operations(acquire(0, "k")).get(0);
    long took = System.nanoTime() - before;
    assertEquals(
        Map.of("id", 0L, "ok", true, "owner", "me", "validForMs", 990.0, "fence", 7L, "grantedAt", granted.get("grantedAt")),
        granted);
    assertTrue((long) granted.get("grantedAt") >= 0 && (long) granted.get("grantedAt") <= took);
  }

  /** Tells how it was asked. */
  private static final class Shared implements LockClient {
    @Override
    public Grant acquire(String key, long ttlMs, long waitMs) {
      return new Grant("me", ttlMs, System.nanoTime());
    }

    @Override
    public Grant acquirePermits(String key, int limit, int permits, long ttlMs, long waitMs) {
      return new Grant(permits + " of " + limit, Grant.ENDLESS, System.nanoTime());
    }

    @Override
    public Grant acquireMode(String key, Mode mode, long ttlMs, long waitMs) {
      return new Grant(mode.name(), ttlMs, System.nanoTime());
    }

    @Override
    public boolean release(String key, String owner) {
      return true;
    }
  }

  private static String acquire(int id, String key, String sharing) {
    return acquire(id, key).replace("}", "," + sharing + "}");
  }

  @Test
  void asksForPermitsAndModes() throws IOException {
    List<Map<String, Object>> said = converse(
        environment -> new Shared(),
        opening(),
        acquire(0, "k", "\"limit\":3,\"permits\":2"),
        acquire(1, "k", "\"limit\":3"),
        acquire(2, "k", "\"mode\":\"shared\""),
        acquire(3, "k"),
        "{\"op\":\"close\"}");
    List<Map<String, Object>> answers = said.subList(1, 5);
    assertEquals(
        List.of("2 of 3", "1 of 3", "SHARED", "me"), answers.stream().map(answer -> answer.get("owner")).toList());
    assertEquals(
        List.of(false, false, true, true), answers.stream().map(answer -> answer.containsKey("validForMs")).toList());
    assertEquals(
        Map.of("permits", true, "modes", true, "severalKeys", false, "fair", false),
        Capabilities.NONE.withPermits().withModes().message().get("supports"));
  }

  @Test
  void asksForSeveralKeys() throws IOException {
    LockConnector keySet = environment -> new InMemory(environment) {
      @Override
      public Grant acquireKeys(List<String> keys, long ttlMs, long waitMs) {
        return new Grant(String.join("+", keys), ttlMs, System.nanoTime());
      }
    };
    String several = acquire(0, "k", "\"alsoKeys\":[\"l\",\"m\"]");
    assertEquals("k+l+m", converse(keySet, opening(), several, "{\"op\":\"close\"}").get(1).get("owner"));
    assertEquals(
        Map.of("permits", false, "modes", false, "severalKeys", true, "fair", false),
        Capabilities.NONE.withSeveralKeys().message().get("supports"));
  }

  @Test
  void tellsAPlaceInTheQueueBeforeTheAnswer() throws IOException {
    LockConnector firstCome = environment -> new InMemory(environment) {
      @Override
      public Grant acquire(String key, long ttlMs, long waitMs) throws IOException {
        environment.queued(key);
        return super.acquire(key, ttlMs, waitMs);
      }
    };
    List<Map<String, Object>> said = converse(firstCome, opening(), acquire(0, "k"), "{\"op\":\"close\"}");
    assertEquals(Map.of("event", "queued", "key", "k"), said.get(1));
    assertEquals("me", said.get(2).get("owner"));
    assertEquals(
        Map.of("permits", false, "modes", false, "severalKeys", false, "fair", true), Capabilities.NONE.withFairness().message().get("supports"));
  }

  @ParameterizedTest
  @CsvSource({"'\"limit\":1'", "'\"mode\":\"shared\"'", "'\"alsoKeys\":[\"l\"]'"})
  void aMutexIsNoSemaphoreAndHasNoReadersNorSeveralKeys(String sharing) throws IOException {
    assertEquals("unsupported", operations(acquire(0, "k", sharing)).get(0).get("kind"));
  }

  @ParameterizedTest
  @CsvSource({"broken,indeterminate", "unlinked,indeterminate", "refused,error"})
  void saysHowAnOperationFailed(String key, String kind) throws IOException {
    Map<String, Object> failed = operations(acquire(0, key)).get(0);
    assertEquals(List.of(false, kind), List.of(failed.get("ok"), failed.get("kind")));
  }

  @Test
  void saysWhyNobodyKnowsWithoutAnErrorOfTheLibrary() throws IOException {
    assertEquals(
        "IndeterminateException: the library returns nothing", operations(acquire(0, "unsaid")).get(0).get("reason"));
  }

  @Test
  void contentionAReleaseAndWhatIsNotSupported() throws IOException {
    List<Map<String, Object>> answers = operations(
        acquire(0, "k"),
        acquire(1, "k"),
        "{\"id\":2,\"op\":\"extend\",\"key\":\"k\",\"owner\":\"me\",\"ttlMs\":1}",
        "{\"id\":3,\"op\":\"release\",\"key\":\"k\",\"owner\":\"me\"}",
        "{\"id\":4,\"op\":\"dance\",\"key\":\"k\"}");
    assertEquals("contended", answers.get(1).get("kind"));
    assertEquals("unsupported", answers.get(2).get("kind"));
    assertEquals(Map.of("event", "lost", "key", "k", "owner", "me"), answers.get(3));
    assertEquals(Map.of("id", 3L, "ok", true, "released", true), answers.get(4));
    assertEquals("unsupported", answers.get(5).get("kind"));
  }

  @Test
  void theClockIsThisMachines() throws IOException {
    long before = System.nanoTime();
    Map<String, Object> shown = operations("{\"id\":0,\"op\":\"clock\"}").get(0);
    long reading = Long.parseLong((String) shown.get("monotonicNs"));
    assertTrue(before <= reading && reading <= System.nanoTime());
  }

  @Test
  void saysWhyItIsNotReady() throws IOException {
    LockConnector broken = environment -> {
      throw new IOException("no licence");
    };
    assertEquals("IOException: no licence", converse(broken, opening()).get(0).get("reason"));
    LockConnector unlinked = environment -> {
      throw new NoClassDefFoundError("redis/Client");
    };
    assertEquals("NoClassDefFoundError: redis/Client", converse(unlinked, opening()).get(0).get("reason"));
    assertEquals(false, converse(InMemory::new, "{\"protocol\":2}").get(0).get("ready"));
  }

  @Test
  void translatesWhatASentinelAnnounces() {
    Servers servers = Servers.of(Json.parse(
        "{\"kind\":\"sentinel\",\"masterName\":\"m\",\"sentinels\":[{\"host\":\"s\",\"port\":2}],"
            + "\"natMap\":{\"10.0.0.1:6379\":{\"host\":\"127.0.0.1\",\"port\":4000}}}"));
    Servers.Sentinel sentinel = (Servers.Sentinel) servers;
    assertEquals(new Address("127.0.0.1", 4000), sentinel.translate(new Address("10.0.0.1", 6379)));
    assertEquals(new Address("10.0.0.2", 6379), sentinel.translate(new Address("10.0.0.2", 6379)));
  }
}
