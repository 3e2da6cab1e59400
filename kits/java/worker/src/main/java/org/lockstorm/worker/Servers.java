package org.lockstorm.worker;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Where the lock's servers are, as this client sees them. Use these addresses only: faults act on the links behind them. */
public sealed interface Servers {
  /**
   * One server.
   *
   * @param address where it is
   */
  record Single(Address address) implements Servers {}

  /**
   * A master and replicas that Sentinels watch.
   *
   * @param masterName what the Sentinels call the master
   * @param sentinels where they are
   * @param natMap from an address that a Sentinel announces ({@code 10.1.2.3:6379}) to the one to use
   */
  record Sentinel(String masterName, List<Address> sentinels, Map<String, Address> natMap) implements Servers {
    /**
     * Translates what a Sentinel announced.
     *
     * @param announced an address
     * @return the one to use
     */
    public Address translate(Address announced) {
      return natMap.getOrDefault(announced.toString(), announced);
    }
  }

  /**
   * Independent masters.
   *
   * @param nodes where they are
   */
  record Redlock(List<Address> nodes) implements Servers {}

  /** What the first line says. */
  static Servers of(Map<String, Object> message) {
    String kind = Json.text(message, "kind");
    return switch (kind) {
      case "single" -> new Single(Address.of(Json.object(message, "address")));
      case "sentinel" -> new Sentinel(Json.text(message, "masterName"), addresses(message, "sentinels"), natMap(message));
      case "redlock" -> new Redlock(addresses(message, "nodes"));
      default -> throw new IllegalArgumentException("this package knows no servers of the kind " + kind);
    };
  }

  private static List<Address> addresses(Map<String, Object> message, String field) {
    return Json.objects(message, field).stream().map(Address::of).toList();
  }

  private static Map<String, Address> natMap(Map<String, Object> message) {
    Map<String, Object> stated = Json.object(message, "natMap");
    Map<String, Address> addresses = new LinkedHashMap<>();
    for (String announced : stated.keySet()) addresses.put(announced, Address.of(Json.object(stated, announced)));
    return addresses;
  }
}
