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
import org.lockstorm.worker.LockClient;
import org.lockstorm.worker.Servers;

/** The lock registry of Spring Integration, against a server that does as it is told. */
class SpringLockRegistryTest {
  private static final String YES = ":1\r\n";
  private static final String NO = "$-1\r\n";

  private ScriptedServer server;
  private LockClient client;

  @BeforeEach
  void listen() throws IOException {
    server = new ScriptedServer();
    client = new SpringLockRegistry(Environment.forTests(new Servers.Single(server.address())));
  }

  @AfterEach
  void close() throws Exception {
    client.close();
    server.close();
  }

  @Test
  void grantsContendsExtendsAndReleases() throws Exception {
    server.answerScripts(YES, NO, YES, YES);
    long before = System.nanoTime();
    Grant grant = client.acquire("k", 2000, 0);
    assertEquals(2000, grant.validForMs());
    assertTrue(before <= grant.sentAtNanos() && grant.sentAtNanos() <= System.nanoTime());
    assertThrows(ContendedException.class, () -> client.acquire("l", 2000, 0));
    assertEquals(700, client.extend("k", grant.owner(), 700).validForMs());
    assertTrue(client.release("k", grant.owner()));
  }

  @Test
  void whatItHoldsItselfIsContendedAndEachAcquisitionHasAnOwner() throws Exception {
    server.answerScripts(YES, YES, YES);
    Grant first = client.acquire("k", 2000, 0);
    assertThrows(ContendedException.class, () -> client.acquire("k", 2000, 0));
    assertTrue(client.release("k", first.owner()));
    assertNotEquals(first.owner(), client.acquire("k", 2000, 0).owner());
  }

  @Test
  void anExtensionAndAReleaseThatAreRefusedSaySo() throws Exception {
    server.answerScripts(YES, NO, NO);
    Grant grant = client.acquire("k", 2000, 0);
    assertThrows(ContendedException.class, () -> client.extend("k", grant.owner(), 700));
    assertFalse(client.release("k", grant.owner()));
  }

  @Test
  void anAcquisitionWhoseReplyIsLostIsNeitherGrantedNorContended() {
    server.answerScripts(ScriptedServer.BREAK, NO);
    Exception error = assertThrows(Exception.class, () -> client.acquire("k", 2000, 0));
    assertFalse(error instanceof ContendedException, error.toString());
  }

  @Test
  void aReleaseWhoseReplyIsLostIsNeitherDoneNorRefused() throws Exception {
    server.answerScripts(YES, ScriptedServer.BREAK, NO);
    Grant grant = client.acquire("k", 2000, 0);
    assertThrows(Exception.class, () -> client.release("k", grant.owner()));
  }

  @Test
  void aLeaseThatWasWaitedForBeginsWithTheLastTry() throws Exception {
    server.answerScripts(NO, NO, YES);
    long before = System.nanoTime();
    Grant grant = client.acquire("k", 2000, 5000);
    assertTrue(grant.sentAtNanos() - before >= 190_000_000, "it slept 100 ms after each refusal");
  }
}
