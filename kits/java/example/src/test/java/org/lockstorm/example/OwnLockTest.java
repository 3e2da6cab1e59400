package org.lockstorm.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.lockstorm.worker.Address;
import org.lockstorm.worker.ContendedException;
import org.lockstorm.worker.Grant;

class OwnLockTest {
  /** A server that gives each connection the next of these replies. */
  private static OwnLock against(String... replies) throws IOException {
    ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread server = new Thread(() -> {
      try (listening) {
        for (String reply : replies) {
          try (Socket client = listening.accept()) {
            client.getInputStream().read();
            client.getOutputStream().write(reply.getBytes(StandardCharsets.UTF_8));
            client.shutdownOutput();
            client.getInputStream().readAllBytes();
          }
        }
      } catch (IOException error) {
        throw new IllegalStateException(error);
      }
    });
    server.setDaemon(true);
    server.start();
    return new OwnLock(new Address(listening.getInetAddress().getHostAddress(), listening.getLocalPort()));
  }

  @Test
  void grantsContendsAndReleases() throws Exception {
    OwnLock lock = against("+OK\r\n", "$-1\r\n", ":1\r\n", ":0\r\n");
    Grant grant = lock.acquire("k", 900, 0);
    assertEquals(900, grant.validForMs());
    assertThrows(ContendedException.class, () -> lock.acquire("k", 900, 0));
    assertTrue(lock.release("k", grant.owner()));
    assertFalse(lock.release("k", grant.owner()));
  }

  @Test
  void aLostReplyIsNoRefusal() throws Exception {
    OwnLock lock = against("");
    assertThrows(IOException.class, () -> lock.acquire("k", 900, 0));
  }
}
