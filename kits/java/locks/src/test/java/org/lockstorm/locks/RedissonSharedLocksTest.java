package org.lockstorm.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.lockstorm.locks.Connections.Connection;
import org.lockstorm.worker.ContendedException;
import org.lockstorm.worker.FailedException;
import org.lockstorm.worker.Grant;
import org.lockstorm.worker.IndeterminateException;
import org.lockstorm.worker.Mode;
import org.lockstorm.worker.Servers;

/** Redisson's semaphores, its read-write lock and its RedLock, against servers that do as they are told. */
class RedissonSharedLocksTest {
  private static final String SET = ":1\r\n";
  private static final String TAKEN = ":1\r\n";
  private static final String NONE_LEFT = ":0\r\n";
  private static final String GRANTED = "$-1\r\n";
  private static final String HELD = ":800\r\n";
  private static final String UNLOCKED = ":1\r\n";
  private static final String NOT_MINE = "$-1\r\n";
  private static final String LEASE = ":1\r\n";
  private static final String OK = "$2\r\nOK\r\n";

  private List<ScriptedServer> servers;

  @BeforeEach
  void listen() throws IOException {
    servers = List.of(new ScriptedServer(), new ScriptedServer(), new ScriptedServer());
  }

  @AfterEach
  void close() throws IOException {
    for (ScriptedServer server : servers) server.close();
  }

  private Connection connection() {
    return Connections.one(new Servers.Single(servers.get(0).address()), config -> {});
  }

  @Test
  void aSemaphoreIsSetUpTakenAndGivenBackWithoutALease() throws Exception {
    try (RedissonPermits client = new RedissonPermits(connection())) {
      servers.get(0).answerScripts(SET, TAKEN, SET, NONE_LEFT, GRANTED);
      Grant grant = client.acquirePermits("k", 3, 2, 2000, 0);
      assertEquals(Grant.ENDLESS, grant.validForMs());
      assertThrows(ContendedException.class, () -> client.acquirePermits("k", 3, 2, 2000, 0));
      assertTrue(client.release("k", grant.owner()));
      assertThrows(FailedException.class, () -> client.release("k", "another"));
      assertTrue(servers.get(0).seen().get(0).contains("3"));
      assertTrue(servers.get(0).seen().get(4).contains("2"));
    }
  }

  @Test
  void aPermitWhoseReplyIsLostIsNeitherTakenNorRefused() throws Exception {
    try (RedissonPermits client = new RedissonPermits(connection())) {
      servers.get(0).answerScripts(SET, ScriptedServer.BREAK, NONE_LEFT);
      Exception error = assertThrows(Exception.class, () -> client.acquirePermits("k", 3, 1, 2000, 0));
      assertFalse(error instanceof ContendedException || error instanceof FailedException, error.toString());
    }
  }

  @Test
  void anExpirablePermitHasTheLeaseThatWasSentAndIsReleasedByItsId() throws Exception {
    try (RedissonExpirablePermits client = new RedissonExpirablePermits(connection())) {
      servers.get(0).answerScripts(SET, OK, UNLOCKED, NONE_LEFT, NONE_LEFT);
      long before = System.nanoTime();
      long wallBefore = System.currentTimeMillis();
      Grant grant = client.acquirePermits("k", 2, 1, 2000, 0);
      long endMs = Long.parseLong(servers.get(0).seen().get(1).get(7));
      assertEquals(2000, grant.validForMs());
      // The promise ends with what the server was told, or a little before it.
      assertTrue(grant.sentAtNanos() - before <= (endMs - 2000 - wallBefore + 1) * 1_000_000);
      assertTrue(grant.sentAtNanos() >= before - 2_000_000);
      assertEquals(700, client.extend("k", grant.owner(), 700).validForMs());
      assertThrows(ContendedException.class, () -> client.extend("k", grant.owner(), 700));
      assertFalse(client.release("k", grant.owner()));
    }
  }

  @Test
  void readersAndWritersHaveOwnersThatTheServerSees() throws Exception {
    try (RedissonReadWrite client = new RedissonReadWrite(connection())) {
      servers.get(0).answerScripts(GRANTED, GRANTED, HELD, UNLOCKED);
      Grant reader = client.acquireMode("k", Mode.SHARED, 2000, 0);
      Grant writer = client.acquireMode("l", Mode.EXCLUSIVE, 2000, 0);
      assertTrue(writer.owner().endsWith(":write"));
      assertTrue(servers.get(0).seen().get(0).contains(reader.owner()));
      assertTrue(servers.get(0).seen().get(1).contains(writer.owner()));
      assertThrows(ContendedException.class, () -> client.acquireMode("k", Mode.EXCLUSIVE, 2000, 0));
      assertTrue(client.release("k", reader.owner()));
    }
  }

  private RedissonRed redlock() {
    return new RedissonRed(
        Connections.each(new Servers.Redlock(servers.stream().map(ScriptedServer::address).toList()), config -> {}));
  }

  /** The first server answers the first of these, and so on. */
  private void answer(String... replies) {
    IntStream.range(0, replies.length).forEach(index -> servers.get(index).answerScripts(replies[index]));
  }

  @Test
  void aMajorityGrantsRefusesAndUnlocks() throws Exception {
    try (RedissonRed client = redlock()) {
      answer(GRANTED, GRANTED, HELD);
      answer(LEASE, LEASE);
      long before = System.nanoTime();
      Grant grant = client.acquire("k", 2000, 0);
      assertEquals(2000, grant.validForMs());
      assertTrue(before <= grant.sentAtNanos() && grant.sentAtNanos() <= System.nanoTime());
      answer(UNLOCKED, UNLOCKED, NOT_MINE);
      assertTrue(client.release("k", grant.owner()));
      answer(HELD, HELD);
      assertThrows(ContendedException.class, () -> client.acquire("k", 2000, 0));
    }
  }

  @Test
  void whatNoMajorityHasSaidIsIndeterminate() throws Exception {
    try (RedissonRed client = redlock()) {
      // It asks no third server when two have not granted.
      answer(ScriptedServer.BREAK, HELD);
      servers.get(0).answerScripts(HELD);
      assertThrows(IndeterminateException.class, () -> client.acquire("k", 2000, 0));
      answer(GRANTED, GRANTED, HELD);
      answer(LEASE, LEASE);
      Grant grant = client.acquire("k", 2000, 0);
      answer(UNLOCKED, NOT_MINE, ScriptedServer.BREAK);
      assertThrows(IndeterminateException.class, () -> client.release("k", grant.owner()));
    }
  }
}
