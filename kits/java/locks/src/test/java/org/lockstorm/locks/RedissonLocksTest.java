package org.lockstorm.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.lockstorm.worker.ContendedException;
import org.lockstorm.worker.Environment;
import org.lockstorm.worker.Grant;
import org.lockstorm.worker.LockClient;
import org.lockstorm.worker.Servers;

/** Redisson's locks, against a server that does as it is told. */
class RedissonLocksTest {
  private static final String GRANTED = "$-1\r\n";
  private static final String HELD = ":800\r\n";
  private static final String UNLOCKED = ":1\r\n";
  private static final String NOT_MINE = "$-1\r\n";
  private static final String GAVE_UP = "$-1\r\n";

  private ScriptedServer server;
  private LockClient client;

  @BeforeEach
  void listen() throws IOException {
    server = new ScriptedServer();
    client = new RedissonLease(Connections.one(servers(), config -> {}));
  }

  @AfterEach
  void close() throws Exception {
    client.close();
    server.close();
  }

  private Servers servers() {
    return new Servers.Single(server.address());
  }

  @Test
  void grantsContendsAndReleases() throws Exception {
    server.answerScripts(GRANTED, HELD, UNLOCKED);
    long before = System.nanoTime();
    Grant grant = client.acquire("k", 2000, 0);
    assertEquals(2000, grant.validForMs());
    assertTrue(before <= grant.sentAtNanos() && grant.sentAtNanos() <= System.nanoTime());
    assertThrows(ContendedException.class, () -> client.acquire("k", 2000, 0));
    assertTrue(client.release("k", grant.owner()));
  }

  @Test
  void eachAcquisitionHasAnOwnerOfItsOwnWhichTheServerSees() throws Exception {
    server.answerScripts(GRANTED, GRANTED);
    Grant first = client.acquire("k", 2000, 0);
    Grant second = client.acquire("l", 2000, 0);
    assertNotEquals(first.owner(), second.owner());
    assertTrue(server.seen().get(1).contains(second.owner()));
  }

  @Test
  void aReleaseThatIsRefusedSaysSo() throws Exception {
    server.answerScripts(GRANTED, NOT_MINE);
    Grant grant = client.acquire("k", 2000, 0);
    assertFalse(client.release("k", grant.owner()));
  }

  @Test
  void aReleaseWhoseReplyIsLostIsNeitherDoneNorRefused() throws Exception {
    server.answerScripts(GRANTED, ScriptedServer.BREAK, NOT_MINE);
    Grant grant = client.acquire("k", 2000, 0);
    assertThrows(Exception.class, () -> client.release("k", grant.owner()));
  }

  @Test
  void anAcquisitionWhoseReplyIsLostIsNeitherGrantedNorContended() {
    server.answerScripts(ScriptedServer.BREAK, HELD);
    Exception error = assertThrows(Exception.class, () -> client.acquire("k", 2000, 0));
    assertFalse(error instanceof ContendedException, error.toString());
  }

  @Test
  void aLeaseThatWasWaitedForBeginsWithTheLastTry() throws Exception {
    server.answerScripts(":300\r\n", ":200\r\n", GRANTED);
    long before = System.nanoTime();
    Grant grant = client.acquire("k", 2000, 5000);
    assertTrue(grant.sentAtNanos() - before >= 150_000_000, "it waited for the TTL of the other holder first");
    assertTrue(grant.sentAtNanos() <= System.nanoTime());
  }

  @Test
  void aFencedLockHasTheTokenOfTheServer() throws Exception {
    try (LockClient fenced = new RedissonFenced(Connections.one(servers(), config -> {}))) {
      server.answerScripts("*2\r\n:-1\r\n:42\r\n", "*2\r\n:800\r\n:-1\r\n");
      assertEquals(42, fenced.acquire("k", 2000, 0).fence());
      assertThrows(ContendedException.class, () -> fenced.acquire("k", 2000, 0));
    }
  }

  @Test
  void aFairLockSaysOnceThatAWaiterStandsInTheQueue() throws Exception {
    List<String> told = new CopyOnWriteArrayList<>();
    Environment environment = Environment.forTests(servers(), message -> told.add(message.get("event") + " " + message.get("key")));
    try (LockClient fair = new RedissonFair(environment, Connections.one(servers(), config -> {}))) {
      server.answerScripts(HELD, GAVE_UP);
      assertThrows(ContendedException.class, () -> fair.acquire("k", 2000, 0));
      assertEquals(List.of(), told, "one try has no place in the queue");
      server.answerScripts(":30\r\n", ":20\r\n", GRANTED);
      fair.acquire("k", 2000, 5000);
      assertEquals(List.of("queued k"), told);
    }
  }

  @Test
  void aWatchdogAppliesItsOwnTimeOut() throws Exception {
    Environment environment = Environment.forTests(servers());
    try (LockClient watched = new RedissonWatchdog(environment, RedissonWatchdog.connect(environment))) {
      server.answerScripts(GRANTED);
      assertEquals(RedissonWatchdog.TIMEOUT_MS, watched.acquire("k", 700, 0).validForMs());
      assertTrue(server.seen().get(0).contains(Long.toString(RedissonWatchdog.TIMEOUT_MS)));
    }
  }
}
