package org.lockstorm.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.lockstorm.worker.ContendedException;
import org.lockstorm.worker.Environment;
import org.lockstorm.worker.Grant;
import org.lockstorm.worker.IndeterminateException;
import org.lockstorm.worker.LockClient;
import org.lockstorm.worker.Servers;

/** ShedLock's Redis provider, against a server that does as it is told. */
class ShedLockTest {
  private static final String OK = "+OK\r\n";
  private static final String NO = "$-1\r\n";

  private ScriptedServer server;
  private LockClient client;

  @BeforeEach
  void listen() throws IOException {
    server = new ScriptedServer();
    client = new ShedLock(Environment.forTests(new Servers.Single(server.address())));
  }

  @AfterEach
  void close() throws Exception {
    client.close();
    server.close();
  }

  @Test
  void grantsContendsAndExtends() throws Exception {
    server.answerSets(OK, NO, OK, NO);
    long before = System.nanoTime();
    Grant grant = client.acquire("k", 2000, 0);
    assertEquals(1999, grant.validForMs());
    assertTrue(before <= grant.sentAtNanos() && grant.sentAtNanos() <= System.nanoTime());
    assertThrows(ContendedException.class, () -> client.acquire("k", 2000, 0));
    assertEquals(699, client.extend("k", grant.owner(), 700).validForMs());
    assertThrows(ContendedException.class, () -> client.extend("k", grant.owner(), 700));
  }

  @Test
  void aReleaseSaysNothing() throws Exception {
    server.answerSets(OK, OK);
    Grant first = client.acquire("k", 2000, 0);
    assertThrows(IndeterminateException.class, () -> client.release("k", first.owner()));
    assertTrue(server.got("DEL"));
    assertNotEquals(first.owner(), client.acquire("k", 2000, 0).owner());
  }

  @Test
  void anAcquisitionWhoseReplyIsLostIsNeitherGrantedNorContended() {
    server.answerSets(ScriptedServer.BREAK, NO);
    Exception error = assertThrows(Exception.class, () -> client.acquire("k", 2000, 0));
    assertFalse(error instanceof ContendedException, error.toString());
  }
}
