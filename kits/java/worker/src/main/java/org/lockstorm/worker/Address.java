package org.lockstorm.worker;

import java.util.Map;

/**
 * An address to connect to.
 *
 * @param host its host
 * @param port its port
 */
public record Address(String host, int port) {
  static Address of(Map<String, Object> message) {
    return new Address(Json.text(message, "host"), (int) Json.number(message, "port"));
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
